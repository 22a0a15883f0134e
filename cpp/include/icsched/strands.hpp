// The lexicographic greedy on planar bipartite trees (Cordasco, Malewicz and Rosenberg 2007,
// Theorem 3.2).
//
// A strand is a planar bipartite tree drawn in the plane. Its sources are numbered from left to
// right. The parents of a sink with several parents are an interval of sources; consecutive
// intervals share their end source. The eligibility vector of a source u lists what u and the
// sources to its right enable one after the other. The greedy executes a source with the
// lexicographically largest vector of all strands, and goes on with what remains. This is
// IC-optimal for any sum of strands. A strand may be drawn either way round.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

struct Strands {
  std::vector<std::int32_t> offsets{0};     // strand i has the sources offsets[i] .. offsets[i+1]
  std::vector<std::int32_t> own;            // per source: sinks that have no other parent
  std::vector<std::uint8_t> left, right;    // is the left (right) end of a shared sink's interval
};

// The sources of all strands in a >=_L-greedy order. Takes O(s log^2 s) comparisons of
// vectors at worst, O(log s) each. Exact; needs some 8 s log s bytes.
std::vector<std::int32_t> greedy_order(const Strands& strands);

}  // namespace icsched
