#include "icsched/profiles.hpp"

#include <utility>

#include "icsched/max_plus.hpp"
#include "icsched/tree_knapsack.hpp"

namespace icsched {

std::vector<std::int32_t> max_plus(Ids first, Ids second) {
  const std::vector<std::int32_t> a(first.begin(), first.end()), b(second.begin(), second.end());
  MaxPlus sums(static_cast<std::int32_t>(a.size() + b.size() - 2));
  return sums.sum({0, a}, {0, b}).values;
}

std::vector<std::int32_t> tree_profile(const Front& front) {
  const SinksOf sinks_of(front);
  TreeKnapsack trees(front, sinks_of.rows(), front.sources());
  std::vector<std::uint8_t> seen(front.sources());
  std::vector<std::int32_t> piece;
  std::vector<Yield> profiles;
  for (std::int32_t source = 0; source < front.sources(); ++source) {
    if (seen[source]) continue;
    seen[source] = 1;
    piece.assign(1, source);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (const std::int32_t sink : sinks_of.rows()[piece[i]]) {
        for (const std::int32_t next : front.sinks[sink]) {
          if (!std::exchange(seen[next], 1)) piece.push_back(next);
        }
      }
    }
    profiles.push_back(trees.profile(source));
  }
  MaxPlus sums(front.sources());
  return sums.total(std::move(profiles)).values;
}

}  // namespace icsched
