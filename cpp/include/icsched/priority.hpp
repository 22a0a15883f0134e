// The priority relation between blocks, and the greedy order of the superdag (steps 4 to 6 of
// Malewicz, Foster, Rosenberg and Wilde 2007).
//
// A profile lists counts after 0, 1, ..., s executions of a block's nonsinks. Block 1 has
// priority r over block 2 if r is the largest number with
//   r * (p1(x) + p2(y)) <= p1(min(s1, x + y)) + p2(max(0, x + y - s1))   for all x, y:
// the share of the best possible count that is kept by finishing block 1 first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// A fraction with a positive denominator; compared exactly while both parts fit 31 bits
// each, which counts of tasks do.
struct Ratio {
  std::int64_t over = 1, under = 1;

  friend bool operator<(const Ratio& a, const Ratio& b) { return a.over * b.under < b.over * a.under; }
  friend bool operator==(const Ratio& a, const Ratio& b) { return a.over * b.under == b.over * a.under; }
};

// The largest r, at most 1. Requires nonnegative counts. Only ends of stretches of equal
// slope can decide it, so the cost is quadratic in their number, not in the length.
Ratio priority(std::span<const std::int64_t> first, std::span<const std::int64_t> second);

// At which of the s1 + s2 steps to execute from the second of two independent blocks (1)
// and at which from the first (0), so that every step enables as many as any sharing of
// the steps so far could; empty if no order does. The arguments are enabled counts.
// Takes s1 * s2 time and bytes.
std::vector<std::uint8_t> interleaving(Ids first, Ids second);

struct SuperdagOrder {
  std::vector<std::int32_t> blocks;
  // Per place in the order: whether the block there has priority 1 over the next; 1 for
  // the last. Where all do, each has priority over all later ones.
  std::vector<std::uint8_t> has_priority;
};

// When the greedy order saves work.
struct GreedyLimits {
  std::int32_t most_rivals = 64;         // at least 1
  std::int64_t all_looks = 500'000'000;  // a second or two
};

// Runs, of the blocks whose parents in the superdag have run, always one whose least
// priority over the others is largest; ties go to the smallest key. Block b has profile
// number profile_of[b], profile i being counts[offsets[i] .. offsets[i+1]). To stay quick
// with more than most_rivals active profiles, or profiles of very many bends, priorities then
// rest on a part of the rivals, or of the bends; has_priority never does. The looks at rivals
// are counted, and once they are spent a part grows smaller and is seldom looked at again.
//
// Needs 12 * most_rivals bytes a profile, which are 768, and some 60 bytes for each pair of
// profiles that was measured: at most all_looks / 129 pairs until the looks are spent, and
// then a few more for each block. The last is 230 MB at worst.
SuperdagOrder superdag_order(Rows children, Rows parents, Ids profile_of, Ids keys, Ids offsets,
                             std::span<const std::int64_t> counts, const GreedyLimits& limits = {});

}  // namespace icsched
