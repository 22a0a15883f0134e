// Cutting a dag into its blocks (paper 004, step 2).
//
// C(s), for a source s of what is left of the dag, is the least set that holds s, the
// children of every source in it, and all parents of every member. A containment-minimal
// C(s) is a block: its nonsinks leave, as do its sinks that have no children at all; the
// other sinks become sources. Bipartite blocks leave first, a general one only when no
// bipartite one is left. Minimal sets are equal or disjoint, so the blocks do not depend
// on the order in which equals leave.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

struct Blocks {
  // Block b owns nonsinks[nonsink_offsets[b] .. nonsink_offsets[b+1]) and has the sinks
  // sinks[sink_offsets[b] .. ). Every task with children is a nonsink of one block, and
  // may be a sink of one earlier block. Blocks are numbered as they leave, so arcs lead
  // from lower to higher numbers or stay inside. Isolated tasks are in no block.
  std::vector<std::int32_t> nonsink_offsets{0}, nonsinks;
  std::vector<std::int32_t> sink_offsets{0}, sinks;
  std::vector<std::uint8_t> bipartite;  // per block
};

// Requires a dag; shortcuts in it make blocks larger than they need be, nothing else. Near
// O(tasks + arcs).
Blocks decompose(Rows children, Rows parents);

}  // namespace icsched
