// The blocks that wait to run in the greedy order of the superdag, by profile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "icsched/priority.hpp"

namespace icsched {

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
  // The priority of one profile over another, by their numbers.
  using Over = std::function<Ratio(std::int32_t, std::int32_t)>;

  Arena(Over measure, std::int32_t profiles, const GreedyLimits& limits);

  bool empty() const { return active_ == 0; }

  void add(std::int32_t profile, std::int32_t key, std::int32_t block);

  // Takes the best block out.
  std::int32_t take();

 private:
  static constexpr std::size_t few_rivals = 4;
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

  void activate(std::int32_t profile);
  void admit(std::int32_t profile);
  void retire(std::int32_t profile);
  // The oldest active profile that is no rival yet takes the free slot. The rivals and it are
  // measured against each other, so that floors are exact once all active profiles are rivals.
  void admit_next();
  // Measures all rivals against the newest.
  void lower_rivals();
  // Those whose floor was set by a profile that has gone, oldest first.
  void refresh_dependents(std::int32_t gone);
  Ratio over(std::int32_t profile, const Rival& rival);
  void lower(std::int32_t profile, const Rival& by);
  void refresh(std::int32_t profile);
  void set_floor(std::int32_t profile, const Floor& floor);

  Over measure_;
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
  std::int64_t looks_left_;
  Knockout<Better> knockout_;
};

}  // namespace icsched
