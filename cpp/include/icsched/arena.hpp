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

// A knock-out tournament of numbered players. Some players take part. `beats` is a total order.
template <class Beats>
class Knockout {
 public:
  Knockout(std::int32_t players, Beats beats) : players_(players), winners_(2 * players, -1), beats_(beats) {}

  std::int32_t winner() const { return winners_[1]; }

  // Plays the matches of `player` again, because the player has changed, joined or left.
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
  std::vector<std::int32_t> winners_;  // match i: winners 2i and 2i + 1 meet; the last are players
  Beats beats_;
};

// The active profiles, and the least priority of each over the others: its floor. If too many
// profiles are active, a profile is measured only against the oldest of them, its rivals. Once the
// looks at rivals are spent, it is measured only against the oldest few. Then a floor stays even
// if the profile that set it is no longer active.
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
    std::int32_t by = -1;  // a profile over which the priority is that low; -1 if none is active
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
  // Gives the free slot to the oldest active profile that is not a rival yet. Measures it and the
  // rivals against each other, so that floors are exact once all active profiles are rivals.
  void admit_next();
  // Measures all rivals against the newest.
  void lower_rivals();
  // Measures the profiles again whose floor was set by `gone`, oldest first.
  void refresh_dependents(std::int32_t gone);
  Ratio over(std::int32_t profile, const Rival& rival);
  void lower(std::int32_t profile, const Rival& by);
  void refresh(std::int32_t profile);
  void set_floor(std::int32_t profile, const Floor& floor);

  Over measure_;
  std::vector<std::priority_queue<Member, std::vector<Member>, std::greater<Member>>> members_;
  std::vector<Floor> floor_;
  std::vector<std::int32_t> since_;  // number of the activation of each profile; or inactive
  // By the profile that set their floor; some have another floor by now.
  std::vector<std::vector<std::int32_t>> dependents_;
  std::int32_t slots_;
  std::vector<Measured> measured_;  // by profile, then by the rival's slot
  std::vector<std::int32_t> free_slots_;
  std::vector<Rival> rivals_;                                  // oldest first
  std::queue<std::pair<std::int32_t, std::int32_t>> waiting_;  // (profile, since): the next rivals
  std::int32_t active_ = 0, activations_ = 0;
  std::int64_t looks_left_;
  Knockout<Better> knockout_;
};

}  // namespace icsched
