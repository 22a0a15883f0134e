#include "icsched/priority.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

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
  Pairing(const Profile& first, const Profile& second) : first_(first), second_(second) {
    for (std::int64_t t : first.bend) together_.push_back(t);
    for (std::int64_t t : second.bend) together_.push_back(first.steps() + t);
  }

  // Pairs that `least` looks at, about.
  std::int64_t cost() const {
    const auto side = [&](const Profile& bent, const Profile& other) {
      const std::size_t partners = std::min(other.counts.size(), other.bend.size() + together_.size());
      return static_cast<std::int64_t>(bent.bend.size() * partners);
    };
    return side(first_, second_) + side(second_, first_);
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
  template <class Visit>
  void for_each_partner(const Profile& other, std::int64_t fixed, Visit visit) const {
    if (other.counts.size() <= other.bend.size() + together_.size()) {
      for (std::int64_t place = 0; place <= other.steps(); ++place) visit(place);
      return;
    }
    for (std::int64_t place : other.bend) visit(place);
    for (std::int64_t t : together_) {
      if (t >= fixed && t - fixed <= other.steps()) visit(t - fixed);
    }
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
  Places together_;  // bends of "all of the first, then the second"
  Ratio least_{1, 1};
};

// Which profiles are active, and each one's least priority over the others.
class Arena {
 public:
  Arena(Ids offsets, Counts counts) : members_(offsets.size() - 1), floor_(offsets.size() - 1) {
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      profiles_.emplace_back(counts.subspan(offsets[i], offsets[i + 1] - offsets[i]));
    }
  }

  bool empty() const { return active_.empty(); }

  void add(std::int32_t profile, std::int32_t key, std::int32_t block) {
    members_[profile].push({key, block});
    if (members_[profile].size() > 2) return;
    if (members_[profile].size() == 1) {
      active_.push_back(profile);
      if (active_.size() <= most_rivals) {
        for (std::int32_t other : active_) lower(other, profile);
      }
    }
    refresh(profile);
  }

  // Takes the best block out.
  std::int32_t take() {
    std::int32_t best = active_.front();
    for (std::int32_t profile : active_) {
      if (beats(profile, best)) best = profile;
    }
    const std::int32_t block = members_[best].top().second;
    members_[best].pop();
    if (members_[best].empty()) {
      std::erase(active_, best);
      for (std::int32_t other : active_) {
        if (floor_[other].by == best) refresh(other);
      }
    } else if (members_[best].size() == 1) {
      refresh(best);
    }
    return block;
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
  // Past so many active profiles, a profile is measured against the oldest of them only.
  static constexpr std::size_t most_rivals = 64;

  using Member = std::pair<std::int32_t, std::int32_t>;  // key, block
  struct Floor {
    Ratio ratio;
    std::int32_t by = -1;  // a profile over which the priority is that low; -1: none is active
  };

  // Profiles of very many bends are compared by a part of them once the work left is small,
  // so that a superdag of many such blocks still gets its order in time.
  Known measure(const Profile& first, const Profile& second) {
    const std::int64_t allowed = std::max<std::int64_t>(1'000, work_left_ / 8);
    std::int64_t stride = 1;
    for (Profile a = first, b = second;; a = first.thinned(stride), b = second.thinned(stride)) {
      Pairing pairing(a, b);
      const std::int64_t cost = pairing.cost();
      if (cost <= allowed || (a.bend.size() <= 2 && b.bend.size() <= 2)) {
        work_left_ -= cost;
        return {pairing.least(), stride == 1};
      }
      stride *= 2;
    }
  }

  bool beats(std::int32_t a, std::int32_t b) const {
    if (!(floor_[a].ratio == floor_[b].ratio)) return floor_[b].ratio < floor_[a].ratio;
    return members_[a].top() < members_[b].top();
  }

  void lower(std::int32_t profile, std::int32_t by) {
    if (profile == by) return;
    const Ratio& ratio = over(profile, by).ratio;
    if (floor_[profile].by < 0 || ratio < floor_[profile].ratio) floor_[profile] = {ratio, by};
  }

  void refresh(std::int32_t profile) {
    floor_[profile] = {};
    for (std::size_t i = 0; i < std::min(active_.size(), most_rivals); ++i) lower(profile, active_[i]);
    if (members_[profile].size() > 1) {
      const Ratio& ratio = over(profile, profile).ratio;
      if (floor_[profile].by < 0 || ratio < floor_[profile].ratio) floor_[profile] = {ratio, profile};
    }
  }

  std::vector<Profile> profiles_;
  std::vector<std::priority_queue<Member, std::vector<Member>, std::greater<Member>>> members_;
  std::vector<Floor> floor_;
  std::vector<std::int32_t> active_;
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
  for (std::size_t x = 0; x < rows; ++x) {
    for (std::size_t y = 0; y < columns; ++y) {
      best[x + y] = std::max<std::int64_t>(best[x + y], std::int64_t{first[x]} + second[y]);
    }
  }
  // Shares (x, y) that are best for their sum and lead to the end by such shares only.
  std::vector<std::uint8_t> leads(rows * columns, 0);
  const auto at = [&](std::size_t x, std::size_t y) -> std::uint8_t& { return leads[x * columns + y]; };
  for (std::size_t x = rows; x-- > 0;) {
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
                             Counts counts) {
  Arena arena(offsets, counts);
  std::vector<std::int32_t> missing(children.size());
  const auto activate = [&](std::int32_t block) { arena.add(profile_of[block], keys[block], block); };
  for (std::int32_t block = 0; block < children.size(); ++block) {
    missing[block] = static_cast<std::int32_t>(parents[block].size());
    if (missing[block] == 0) activate(block);
  }
  SuperdagOrder order;
  while (!arena.empty()) {
    const std::int32_t block = arena.take();
    if (!order.blocks.empty()) {
      const auto& known = arena.over(profile_of[order.blocks.back()], profile_of[block]);
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
