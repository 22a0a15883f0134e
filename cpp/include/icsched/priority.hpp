// The priority relation between blocks, and the greedy order of the superdag (steps 4 to 6 of
// Malewicz, Foster, Rosenberg and Wilde 2007).
//
// A profile lists counts after 0, 1, ..., s executions of a block's nonsinks. Block 1 has
// priority r over block 2 if r is the largest number with
//   r * (p1(x) + p2(y)) <= p1(min(s1, x + y)) + p2(max(0, x + y - s1))   for all x, y.
// So r is the share of the best possible count that is kept by finishing block 1 first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// A fraction with a positive denominator. Comparison is exact if both parts fit 31 bits, as counts
// of tasks do.
struct Ratio {
  std::int64_t over = 1, under = 1;

  friend bool operator<(const Ratio& a, const Ratio& b) { return a.over * b.under < b.over * a.under; }
  friend bool operator==(const Ratio& a, const Ratio& b) { return a.over * b.under == b.over * a.under; }
};

// The largest r, at most 1. Requires nonnegative counts. Only ends of stretches of equal
// slope can decide it, so the cost is quadratic in their number, not in the length.
Ratio priority(std::span<const std::int64_t> first, std::span<const std::int64_t> second);

// An IC-optimal order of two independent blocks. For each of the s1 + s2 steps: 1 to execute a
// task of the second block, 0 for the first. After every step as many tasks are enabled as any
// division of the steps between the blocks could enable. Empty if no order does this. The
// arguments are enabled counts. Takes s1 * s2 time and bytes.
std::vector<std::uint8_t> interleaving(Ids first, Ids second);

struct SuperdagOrder {
  std::vector<std::int32_t> blocks;
  // Per place in the order: whether the block there has priority 1 over the next; 1 for
  // the last. If all are 1, each block has priority over all later blocks.
  std::vector<std::uint8_t> has_priority;
};

// When the greedy order saves work.
struct GreedyLimits {
  std::int32_t most_rivals = 64;         // at least 1
  std::int64_t all_looks = 500'000'000;  // a second or two
};

// A block is ready if its parents in the superdag have run. Always runs the ready block whose least
// priority over the other ready blocks is largest; ties go to the smallest key. Block b has profile
// number profile_of[b]; profile i is counts[offsets[i] .. offsets[i+1]). With more than most_rivals
// active profiles, or profiles with very many bends, priorities use only some of the rivals or
// bends, to save time; has_priority always uses all. The looks at rivals are counted. Once
// all_looks are spent, fewer rivals are used, and they are seldom looked at again.
//
// Needs 12 * most_rivals bytes for each profile, 768 by default, and about 60 bytes for each pair
// of profiles that was measured. That is at most all_looks / 129 pairs until the looks are spent,
// 230 MB at worst, and then a few more pairs for each block.
SuperdagOrder superdag_order(Rows children, Rows parents, Ids profile_of, Ids keys, Ids offsets,
                             std::span<const std::int64_t> counts, const GreedyLimits& limits = {});

}  // namespace icsched
