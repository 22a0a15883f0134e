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
// Once searches have looked at more than `patience` arcs, as they do on dense dags and with
// long arcs that are no shortcuts, the rest is done
// by passes over all arcs, 512 tasks at a time. Near O(tasks + arcs) on workflow-shaped
// dags, O(tasks * arcs / 512) passes of 8 words at worst.
std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order, std::int64_t patience);

}  // namespace icsched
