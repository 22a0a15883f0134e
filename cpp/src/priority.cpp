#include "icsched/priority.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>

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

// A knock-out of numbered players, of whom some take part; `beats` is a total order.
template <class Beats>
class Knockout {
 public:
  Knockout(std::int32_t players, Beats beats) : players_(players), winners_(2 * players, -1), beats_(beats) {}

  std::int32_t winner() const { return winners_[1]; }

  // Plays the matches of `player` again, who has changed, begun or ceased to take part.
  void replay(std::int32_t player, bool takes_part) {
    std::int32_t match = players_ + player;
    winners_[match] = takes_part ? player : -1;
    while (match > 1) {
      match /= 2;
      winners_[match] = better(winners_[2 * match], winners_[2 * match + 1]);
    }
  }

 private:
  std::int32_t better(std::int32_t a, std::int32_t b) const {
    if (a < 0 || b < 0) return std::max(a, b);
    return beats_(a, b) ? a : b;
  }

  std::int32_t players_;
  std::vector<std::int32_t> winners_;  // of match i those of 2i and 2i + 1 meet; the last are players
  Beats beats_;
};

// Which profiles are active, and each one's least priority over the others. Past so many
// active profiles, a profile is measured against the oldest of them only, its rivals. Once
// the looks at rivals are spent, against the oldest few; and floors set by what has gone stay.
class Arena {
 public:
  Arena(Priorities& priorities, std::int32_t profiles)
      : priorities_(priorities),
        members_(profiles),
        floor_(profiles),
        since_(profiles, inactive),
        dependents_(profiles),
        slots_(std::min(profiles, most_rivals)),
        measured_(static_cast<std::size_t>(profiles) * slots_),
        knockout_(profiles, Better{*this}) {
    for (std::int32_t slot = slots_; slot-- > 0;) free_slots_.push_back(slot);
  }

  bool empty() const { return active_ == 0; }

  void add(std::int32_t profile, std::int32_t key, std::int32_t block) {
    members_[profile].push({key, block});
    if (members_[profile].size() == 1) activate(profile);
    if (members_[profile].size() <= 2) refresh(profile);
    knockout_.replay(profile, true);
  }

  // Takes the best block out.
  std::int32_t take() {
    const std::int32_t best = knockout_.winner();
    const std::int32_t block = members_[best].top().second;
    members_[best].pop();
    if (members_[best].empty()) {
      retire(best);
      return block;
    }
    if (members_[best].size() == 1) refresh(best);
    knockout_.replay(best, true);
    return block;
  }

 private:
  static constexpr std::int32_t most_rivals = 64, few_rivals = 4;
  static constexpr std::int64_t all_looks = 500'000'000;  // a second or two
  static constexpr std::int64_t looks_of_a_measurement = 128;
  static constexpr std::int32_t inactive = -1;

  using Member = std::pair<std::int32_t, std::int32_t>;  // key, block
  struct Floor {
    Ratio ratio;
    std::int32_t by = -1;  // a profile over which the priority is that low; -1: none is active
  };
  struct Rival {
    std::int32_t profile, slot;
  };
  struct Measured {
    std::int32_t rival = -1;
    std::int32_t over = 1, under = 1;
  };
  struct Better {
    const Arena& arena;

    bool operator()(std::int32_t a, std::int32_t b) const {
      const Ratio &x = arena.floor_[a].ratio, &y = arena.floor_[b].ratio;
      return x == y ? arena.members_[a].top() < arena.members_[b].top() : y < x;
    }
  };

  void activate(std::int32_t profile) {
    since_[profile] = activations_++;
    ++active_;
    if (active_ > slots_) {
      waiting_.push({profile, since_[profile]});
      return;
    }
    admit(profile);
    for (const Rival& other : rivals_) lower(other.profile, rivals_.back());
  }

  void admit(std::int32_t profile) {
    rivals_.push_back({profile, free_slots_.back()});
    free_slots_.pop_back();
  }

  void retire(std::int32_t profile) {
    since_[profile] = inactive;
    floor_[profile] = {};
    --active_;
    knockout_.replay(profile, false);
    const auto rival = std::find_if(rivals_.begin(), rivals_.end(),
                                    [&](const Rival& other) { return other.profile == profile; });
    if (rival == rivals_.end()) return;
    free_slots_.push_back(rival->slot);
    rivals_.erase(rival);
    admit_next();
    refresh_dependents(profile);
  }

  // The oldest active profile that is no rival yet takes the free slot.
  void admit_next() {
    while (!waiting_.empty()) {
      const auto [profile, since] = waiting_.front();
      waiting_.pop();
      if (since_[profile] == since) return admit(profile);
    }
  }

  // Those whose floor was set by a profile that has gone, oldest first.
  void refresh_dependents(std::int32_t gone) {
    if (looks_left_ <= 0) return;
    std::vector<std::int32_t> stale;
    stale.swap(dependents_[gone]);
    std::erase_if(stale, [&](std::int32_t profile) { return floor_[profile].by != gone; });
    const auto older = [&](std::int32_t a, std::int32_t b) { return since_[a] < since_[b]; };
    std::sort(stale.begin(), stale.end(), older);
    stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
    for (std::int32_t profile : stale) {
      refresh(profile);
      knockout_.replay(profile, true);
    }
  }

  Ratio over(std::int32_t profile, const Rival& rival) {
    Measured& measured = measured_[static_cast<std::size_t>(profile) * slots_ + rival.slot];
    --looks_left_;
    if (measured.rival != rival.profile) {
      looks_left_ -= looks_of_a_measurement;
      const Ratio& ratio = priorities_.over(profile, rival.profile).ratio;
      measured = {rival.profile, static_cast<std::int32_t>(ratio.over), static_cast<std::int32_t>(ratio.under)};
    }
    return {measured.over, measured.under};
  }

  void lower(std::int32_t profile, const Rival& by) {
    if (profile == by.profile) return;
    const Ratio ratio = over(profile, by);
    if (floor_[profile].by >= 0 && !(ratio < floor_[profile].ratio)) return;
    set_floor(profile, {ratio, by.profile});
    knockout_.replay(profile, true);
  }

  void refresh(std::int32_t profile) {
    Floor floor;
    const auto offer = [&](const Ratio& ratio, std::int32_t by) {
      if (floor.by < 0 || ratio < floor.ratio) floor = {ratio, by};
    };
    const std::size_t most = looks_left_ > 0 ? most_rivals : few_rivals;
    check_interrupt();
    for (const Rival& rival : std::span(rivals_).first(std::min(rivals_.size(), most))) {
      if (rival.profile != profile) offer(over(profile, rival), rival.profile);
    }
    if (members_[profile].size() > 1) offer(priorities_.over(profile, profile).ratio, profile);
    set_floor(profile, floor);
  }

  void set_floor(std::int32_t profile, const Floor& floor) {
    const bool is_new = floor.by != floor_[profile].by && floor.by >= 0 && floor.by != profile;
    floor_[profile] = floor;
    if (is_new) dependents_[floor.by].push_back(profile);
  }

  Priorities& priorities_;
  std::vector<std::priority_queue<Member, std::vector<Member>, std::greater<Member>>> members_;
  std::vector<Floor> floor_;
  std::vector<std::int32_t> since_;  // when a profile became active, in activations; or inactive
  std::vector<std::vector<std::int32_t>> dependents_;  // by the profile that set their floor; some have moved on
  std::int32_t slots_;
  std::vector<Measured> measured_;  // by profile, then by the rival's slot
  std::vector<std::int32_t> free_slots_;
  std::vector<Rival> rivals_;                                  // oldest first
  std::queue<std::pair<std::int32_t, std::int32_t>> waiting_;  // profile, since: to become rivals
  std::int32_t active_ = 0, activations_ = 0;
  std::int64_t looks_left_ = all_looks;
  Knockout<Better> knockout_;
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
                             Counts counts) {
  Priorities priorities(offsets, counts);
  Arena arena(priorities, static_cast<std::int32_t>(offsets.size()) - 1);
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
