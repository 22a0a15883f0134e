// Rules for blocks that no theorem covers and that are too large for the referee.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/cutter.hpp"

namespace icsched {

// Nonsources enabled after 0, 1, ... executions of `order`, the block's nonsinks.
std::vector<std::int32_t> enabled_by(const Local& block, Ids order);

// The order of largest area among three: always the eligible member of most children first; the
// same rule on the dual, read backwards; and always the nonsource first that needs the fewest
// further executions. O((members + arcs) log members).
std::vector<std::int32_t> best_rule(const Local& block);

// Whether an order of a bipartite tree enables as much as any could, because no order of
// such a tree can do more. Executed sources and the sinks that they enable span a forest,
// which has fewer arcs than members. If every sink has d parents or more, x sources
// therefore enable at most (x - 1) / (d - 1) sinks. If every source has d children or
// more, the same holds of the dual: before the last, x of s sources leave at least
// (s - x)(d - 1) + 1 sinks waiting.
bool meets_tree_bound(const Local& block, Ids order);

}  // namespace icsched
