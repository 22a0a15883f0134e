// The exact referee: what the best possible order of a dag achieves, by walking its
// ideals (sets of executed tasks that contain all parents of their members).
//
// An ideal enables a nonsource if it contains all parents of the nonsource. Executing a sink
// enables nothing. So for every size up to the number of nonsinks, some best set has nonsinks
// only, and only ideals of nonsinks are walked. Tasks with the same parents and the same children
// are interchangeable. They are executed in a fixed order, so one ideal stands for many.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

inline constexpr std::int32_t most_nonsinks = 1024;

// About how much memory the kernels that keep ideals may take; they give up past it.
inline constexpr std::int64_t most_bytes = std::int64_t{2} << 30;

// Why a walk ended.
enum class Walk : std::int32_t { complete = 0, over_limit = 1, over_memory = 2 };

struct BestIdeals {
  Walk walk = Walk::complete;
  std::int64_t visited = 0;  // ideals
  // Both empty unless complete. enabled[t] is the most nonsources that an ideal of t
  // nonsinks enables, and sets[t] is an ideal that does, ids ascending; t = 0 .. nonsinks.
  std::vector<std::int32_t> enabled;
  std::vector<std::vector<std::int32_t>> sets;
};

// Visits every ideal once, in O(nonsinks) memory. Requires a dag with at most
// most_nonsinks nonsinks and `order` a legal order of it. Gives up past `limit` ideals.
BestIdeals best_ideals(Rows children, Rows parents, Ids order, std::int64_t limit);

struct NonsinkOrder {
  Walk walk = Walk::complete;
  std::int64_t visited = 0;            // ideals, a measure of the work done
  bool found = false;                  // false unless complete
  std::vector<std::int32_t> nonsinks;  // the order, if found
};

// An order of the nonsinks that reaches the count of best_ideals after every step, if there is
// one. After the walk for the counts, it searches depth first among the ideals that reach them. It
// keeps the ideals it has visited, which are few unless many choices turn out to be dead ends.
// Requirements and limit as for best_ideals.
NonsinkOrder ic_optimal_order(Rows children, Rows parents, Ids order, std::int64_t limit);

// Dynamic programming over the ideals, layer by layer: the legal order of the nonsinks
// that maximises the sum over t of the nonsources enabled after t steps. Keeps two layers
// (about 200 bytes an ideal up to 64 nonsinks, 800 past 256) and 8 bytes for every other
// ideal. Requirements and limit as for best_ideals.
NonsinkOrder maximum_area_order(Rows children, Rows parents, Ids order, std::int64_t limit);

// How many parents these kernels look at for each ideal that they visit, on average. They look at
// the parents in each distinct set of parents once for every nonsink. Requires a nonsink. O(arcs).
std::int64_t looks_a_set(Rows parents, std::int32_t nonsinks);

}  // namespace icsched
