// Cutting a dag into its blocks: step 2 of "A Tool for Prioritizing DAGMan Jobs and its
// Evaluation" (Malewicz, Foster, Rosenberg and Wilde 2007).
//
// Let s be a source of what is left of the dag. C(s) is the smallest set that has s, the
// children of every source in the set, and all parents of every member. If no smaller C(s') lies
// inside C(s), then C(s) is a block. The nonsinks of a block leave the dag, and so do its sinks
// that have no children at all. The other sinks become sources. Bipartite blocks leave first; a
// block that is not bipartite leaves only when no bipartite one is left. Minimal sets are equal or
// disjoint, so the blocks do not depend on the order in which they leave.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// Row b of `nonsinks` has the nonsinks that block b owns, row b of `sinks` its sinks. Every task
// with children is a nonsink of one block, and may be a sink of one earlier block. Blocks are
// numbered as they leave, so arcs lead from lower to higher numbers or stay inside. Isolated tasks
// are in no block.
struct Blocks {
  Rows nonsinks, sinks;
  std::span<const std::uint8_t> bipartite;  // per block

  std::int32_t size() const { return nonsinks.size(); }
};

struct BuiltBlocks {
  std::vector<std::int32_t> nonsink_offsets{0}, nonsinks;
  std::vector<std::int32_t> sink_offsets{0}, sinks;
  std::vector<std::uint8_t> bipartite;

  Blocks view() const { return {{nonsink_offsets, nonsinks}, {sink_offsets, sinks}, bipartite}; }
};

// Requires a dag. Shortcuts only make blocks larger than necessary. Near O(tasks + arcs).
BuiltBlocks decompose(Rows children, Rows parents);

}  // namespace icsched
