// Shortcuts: arcs that another path makes superfluous.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// For each arc, in the order of children.targets, 1 if another path joins its ends.
// Dropping exactly those arcs is the transitive reduction. Requires a dag and `order` a
// legal order of it. An arc to the next level is never a shortcut. The other arcs are decided
// by searches from both ends. Once these have looked at more than `patience` arcs, the rest
// is decided 512 tasks at a time, by passes over the part of the order between the tasks and their
// children. What would take more than `most_work` arcs looked at in all stays 0: then some
// shortcuts may be missing, but no other arc is ever marked. Near O(tasks + arcs) on
// workflow-shaped dags, O(tasks * arcs / 512) passes of 8 words at worst.
std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order, std::int64_t patience,
                                    std::int64_t most_work);

}  // namespace icsched
