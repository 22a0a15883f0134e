// Shortcuts: arcs that another path makes superfluous.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// For each arc, in the order of children.targets, 1 if another path joins its ends.
// Dropping exactly those arcs is the transitive reduction. Requires a dag and `order` a
// legal order of it. An arc to the next level is never a shortcut. The other arcs are decided in
// two ways. Searches look from both ends of an arc, and stop for good once they have looked at
// more than `patience` arcs. Passes decide the arcs of 512 tasks each. A pass goes over the part of
// the order between the tasks and their children. Passes decide the arcs that searches leave; if
// that looks at no more than 16 arcs per arc, they come after brief searches only. A pass is left
// out if more than `most_work` arcs would be looked at in all. Then some shortcuts may be missing,
// but no other arc is ever marked. Near O(tasks + arcs) on workflow-shaped dags. At worst looks at
// `most_work` arcs, besides O((tasks + arcs) log arcs); without a limit O(tasks * arcs / 512).
std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order, std::int64_t patience,
                                    std::int64_t most_work);

}  // namespace icsched
