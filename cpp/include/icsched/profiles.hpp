// Profiles of parts: the most that x executions of a part enable, for x = 0, 1, 2, ...
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/batch.hpp"
#include "icsched/graph.hpp"

namespace icsched {

// The best of two parts side by side: the max-plus convolution. Requires at least one entry in
// each, and sums that int32 holds. O(product of the lengths), or linear if both are concave.
std::vector<std::int32_t> max_plus(Ids first, Ids second);

// The most sinks that x sources of a front enable. Requires that every connected piece is a tree
// (Malewicz and Rosenberg 2006, section 5). O(sources^2).
std::vector<std::int32_t> tree_profile(const Front& front);

}  // namespace icsched
