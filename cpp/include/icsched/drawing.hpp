// Drawing a bipartite tree in the plane, as a strand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "icsched/cutter.hpp"
#include "icsched/strands.hpp"

namespace icsched {

// Adds the block to `strands` and returns its sources from left to right. Returns nothing, and
// adds nothing, unless the block is a planar bipartite tree: a tree whose members of degree two
// or more form a path, the spine. Requires a bipartite block. O(members).
std::optional<std::vector<std::int32_t>> draw_strand(const Local& block, Strands& strands);

}  // namespace icsched
