#include "icsched/priority.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "icsched/arena.hpp"
#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

using Counts = std::span<const std::int64_t>;
using Places = std::vector<std::int64_t>;

// Places where a profile bends, its two ends included.
Places bends(Counts profile) {
  Places places{0};
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    if (profile[i] - profile[i - 1] != profile[i + 1] - profile[i]) places.push_back(i);
  }
  if (profile.size() > 1) places.push_back(profile.size() - 1);
  return places;
}

struct Profile {
  Counts counts;
  Places bend;

  explicit Profile(Counts given) : counts(given), bend(bends(given)) {}
  Profile(Counts given, Places some) : counts(given), bend(std::move(some)) {}

  // The same with every `stride`-th bend only, and both ends.
  Profile thinned(std::int64_t stride) const {
    Places some;
    for (std::size_t i = 0; i < bend.size(); i += stride) some.push_back(bend[i]);
    if (some.back() != bend.back()) some.push_back(bend.back());
    return {counts, std::move(some)};
  }
  std::int64_t steps() const { return static_cast<std::int64_t>(counts.size()) - 1; }
};

// Finds the least ratio over pairs (x, y). For a fixed sum x + y the right side is fixed
// and the left side, linear between bends, is largest where x or y is a bend. For a fixed
// x the ratio of two functions linear in y is monotone between bends of either.
class Pairing {
 public:
  Pairing(const Profile& first, const Profile& second) : first_(first), second_(second) {}

  // Pairs that `least` looks at, about.
  std::int64_t cost() const {
    return static_cast<std::int64_t>(first_.bend.size() * partners(second_) + second_.bend.size() * partners(first_));
  }

  Ratio least() {
    for (std::int64_t x : first_.bend) {
      for_each_partner(second_, x, [&](std::int64_t y) { consider(x, y); });
    }
    for (std::int64_t y : second_.bend) {
      for_each_partner(first_, y, [&](std::int64_t x) { consider(x, y); });
    }
    return least_;
  }

 private:
  // Bends of "all of the first, then the second".
  std::size_t together() const { return first_.bend.size() + second_.bend.size(); }

  std::size_t partners(const Profile& other) const {
    return std::min(other.counts.size(), other.bend.size() + together());
  }

  template <class Visit>
  void for_each_partner(const Profile& other, std::int64_t fixed, Visit visit) const {
    check_interrupt(static_cast<std::int64_t>(partners(other) / 16));  // some 20 ns for 16
    if (other.counts.size() <= other.bend.size() + together()) {
      for (std::int64_t place = 0; place <= other.steps(); ++place) visit(place);
      return;
    }
    const auto visit_sum = [&](std::int64_t sum) {
      if (sum >= fixed && sum - fixed <= other.steps()) visit(sum - fixed);
    };
    for (std::int64_t place : other.bend) visit(place);
    for (std::int64_t place : first_.bend) visit_sum(place);
    for (std::int64_t place : second_.bend) visit_sum(first_.steps() + place);
  }

  void consider(std::int64_t x, std::int64_t y) {
    const std::int64_t apart = first_.counts[x] + second_.counts[y];
    if (apart == 0) return;
    const std::int64_t t = x + y, rest = std::max<std::int64_t>(0, t - first_.steps());
    const Ratio ratio{first_.counts[t - rest] + second_.counts[rest], apart};
    if (ratio < least_) least_ = ratio;
  }

  const Profile& first_;
  const Profile& second_;
  Ratio least_{1, 1};
};

// Priorities between profiles, each measured once.
class Priorities {
 public:
  Priorities(Ids offsets, Counts counts) {
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      profiles_.emplace_back(counts.subspan(offsets[i], offsets[i + 1] - offsets[i]));
    }
  }

  struct Known {
    Ratio ratio;
    bool exact = true;  // false: from some of the bends only, so perhaps too large
  };

  const Known& over(std::int32_t first, std::int32_t second) {
    const std::uint64_t pair = static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second);
    const auto [entry, fresh] = known_.try_emplace(pair);
    if (fresh) entry->second = measure(profiles_[first], profiles_[second]);
    return entry->second;
  }

 private:
  // Profiles of very many bends are compared by a part of them once the work left is small,
  // so that a superdag of many such blocks still gets its order in time.
  Known measure(const Profile& first, const Profile& second) {
    const std::int64_t allowed = std::max<std::int64_t>(1'000, work_left_ / 8);
    if (const auto ratio = least_within(allowed, first, second)) return {*ratio, true};
    for (std::int64_t stride = 2;; stride *= 2) {
      const Profile a = first.thinned(stride), b = second.thinned(stride);
      if (const auto ratio = least_within(allowed, a, b)) return {*ratio, false};
    }
  }

  // Nothing if that is too much work and the profiles could be thinned.
  std::optional<Ratio> least_within(std::int64_t allowed, const Profile& first, const Profile& second) {
    Pairing pairing(first, second);
    const std::int64_t cost = pairing.cost();
    if (cost > allowed && (first.bend.size() > 2 || second.bend.size() > 2)) return std::nullopt;
    work_left_ -= cost;
    return pairing.least();
  }

  std::vector<Profile> profiles_;
  std::unordered_map<std::uint64_t, Known> known_;
  std::int64_t work_left_ = 1'000'000'000;  // pairs of places; a second or two
};

}  // namespace

Ratio priority(Counts first, Counts second) {
  return Pairing(Profile(first), Profile(second)).least();
}

std::vector<std::uint8_t> interleaving(Ids first, Ids second) {
  const std::size_t rows = first.size(), columns = second.size();
  std::vector<std::int64_t> best(rows + columns - 1, 0);
  const auto units = static_cast<std::int64_t>(columns / 16 + 1);  // a row of a table
  for (std::size_t x = 0; x < rows; ++x) {
    check_interrupt(units);
    for (std::size_t y = 0; y < columns; ++y) {
      best[x + y] = std::max<std::int64_t>(best[x + y], std::int64_t{first[x]} + second[y]);
    }
  }
  // Shares (x, y) that are best for their sum and lead to the end by such shares only.
  std::vector<std::uint8_t> leads(rows * columns, 0);
  const auto at = [&](std::size_t x, std::size_t y) -> std::uint8_t& { return leads[x * columns + y]; };
  for (std::size_t x = rows; x-- > 0;) {
    check_interrupt(units);
    for (std::size_t y = columns; y-- > 0;) {
      const bool last = x + 1 == rows && y + 1 == columns;
      const bool onward = last || (x + 1 < rows && at(x + 1, y)) || (y + 1 < columns && at(x, y + 1));
      at(x, y) = onward && std::int64_t{first[x]} + second[y] == best[x + y];
    }
  }
  std::vector<std::uint8_t> steps;
  if (!at(0, 0)) return steps;
  for (std::size_t x = 0, y = 0; steps.size() + 1 < best.size();) {
    const bool from_first = x + 1 < rows && at(x + 1, y);
    from_first ? ++x : ++y;
    steps.push_back(!from_first);
  }
  return steps;
}

SuperdagOrder superdag_order(Rows children, Rows parents, Ids profile_of, Ids keys, Ids offsets,
                             Counts counts, const GreedyLimits& limits) {
  Priorities priorities(offsets, counts);
  const auto over = [&](std::int32_t first, std::int32_t second) { return priorities.over(first, second).ratio; };
  Arena arena(over, static_cast<std::int32_t>(offsets.size()) - 1, limits);
  std::vector<std::int32_t> missing(children.size());
  const auto activate = [&](std::int32_t block) { arena.add(profile_of[block], keys[block], block); };
  for (std::int32_t block = 0; block < children.size(); ++block) {
    check_interrupt();
    missing[block] = static_cast<std::int32_t>(parents[block].size());
    if (missing[block] == 0) activate(block);
  }
  SuperdagOrder order;
  while (!arena.empty()) {
    check_interrupt();
    const std::int32_t block = arena.take();
    if (!order.blocks.empty()) {
      const auto& known = priorities.over(profile_of[order.blocks.back()], profile_of[block]);
      order.has_priority.push_back(known.exact && known.ratio == Ratio{1, 1});
    }
    order.blocks.push_back(block);
    for (std::int32_t child : children[block]) {
      if (--missing[child] == 0) activate(child);
    }
  }
  if (!order.blocks.empty()) order.has_priority.push_back(1);
  return order;
}

}  // namespace icsched
