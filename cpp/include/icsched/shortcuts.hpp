// Shortcuts: arcs that another path makes superfluous.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// For each arc, in the order of children.targets, 1 if another path joins its ends.
// Dropping exactly those arcs is the transitive reduction. Requires a dag and `order` a
// legal order of it. An arc to the next level is never a shortcut; each task with longer
// arcs is searched from once, between the levels of the task and of its farthest child.
// Near O(tasks + arcs) on workflow-shaped dags, O(tasks * arcs) at worst.
std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order);

}  // namespace icsched
