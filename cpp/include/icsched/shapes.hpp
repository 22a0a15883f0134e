// What the blocks of a decomposition look like, for naming very many of them.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/decompose.hpp"
#include "icsched/graph.hpp"

namespace icsched {

// Per block, counting arcs inside it only.
struct BlockShapes {
  std::vector<std::int32_t> sources, sinks, members;  // sources: without parents; sinks: without children
  std::vector<std::int32_t> least_out, most_out;      // children of a source
  std::vector<std::int32_t> least_in, most_in;        // parents of a sink
  std::vector<std::uint8_t> bipartite;                // every member is a source or a sink
};

// Takes O(tasks + arcs), about.
BlockShapes block_shapes(Rows children, const Blocks& blocks);

struct Spines {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> degrees;  // along the spine; the degree of a sink is negative
};

// Of the blocks `which`, planar bipartite trees of two arcs or more: the members of degree two
// or more, which form a path. It is read from the end where the list of degrees is larger;
// if both lists are equal, from the end of smaller id.
Spines block_spines(Rows children, const Blocks& blocks, Ids which);

}  // namespace icsched
