// What the blocks of a decomposition look like, for naming very many of them.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/decompose.hpp"
#include "icsched/graph.hpp"

namespace icsched {

// Per block, counting arcs inside it only.
struct BlockShapes {
  std::vector<std::int32_t> sources, sinks, members;  // without parents; without children; all
  std::vector<std::int32_t> least_out, most_out;      // children of a source
  std::vector<std::int32_t> least_in, most_in;        // parents of a sink
  std::vector<std::uint8_t> bipartite;                // every member is a source or a sink
};

// Near O(tasks + arcs).
BlockShapes block_shapes(Rows children, const Blocks& blocks);

struct Spines {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> degrees;  // along the spine; the degree of a sink is negative
};

// The spines of the blocks `which`, planar bipartite trees of two arcs or more. A spine is the path
// of the members of degree two or more. It is read from the end that gives the larger list of
// degrees. If both lists are equal, it is read from the end of smaller id.
Spines block_spines(Rows children, const Blocks& blocks, Ids which);

}  // namespace icsched
