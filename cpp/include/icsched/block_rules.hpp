// Rules for blocks that no theorem covers and that are too large for the referee.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/cutter.hpp"

namespace icsched {

// Nonsources enabled after 0, 1, ... executions of `order`, the block's nonsinks.
std::vector<std::int32_t> enabled_by(const Local& block, Ids order);

// The order of largest area among three. The first rule always runs the eligible member with most
// children. The second is the same rule on the dual, read backwards. The third always completes the
// nonsource that needs the fewest further executions. O((members + arcs) log members).
std::vector<std::int32_t> best_rule(const Local& block);

// Whether an order of a bipartite tree meets a bound that no order of such a tree exceeds; then
// the order is IC-optimal. Executed sources and the sinks that they enable span a forest,
// which has fewer arcs than members. If every sink has d parents or more, x sources
// therefore enable at most (x - 1) / (d - 1) sinks. If every source has d children or
// more, the same holds of the dual: before the last, x of s sources leave at least
// (s - x)(d - 1) + 1 sinks waiting.
bool meets_tree_bound(const Local& block, Ids order);

}  // namespace icsched
