// What is known about paths between tasks without a search: that a path exists, or that none does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

class Reach {
 public:
  struct Task {
    std::int32_t place;        // in the order
    std::int32_t level;        // arcs of the longest path to the task
    std::int32_t height;       // arcs of the longest path from the task
    std::int32_t first, last;  // numbers of the tasks below it in the forest: [first, last)
    std::uint32_t seen_ahead = 0, seen_back = 0;  // stamps of searches
  };

  // Requires a dag and `order` a legal order of it. O(tasks + arcs).
  Reach(Rows children, Rows parents, Ids order);

  // Makes leads_to and may_lead_to more exact. O(tasks + arcs), 64 bytes a task.
  void learn();

  Task& task(std::int32_t task) { return tasks_[task]; }
  const Task& task(std::int32_t task) const { return tasks_[task]; }

  // Whether a path is known from one task to another, or to itself.
  bool leads_to(std::int32_t from, std::int32_t to) const {
    const std::int32_t number = tasks_[to].first;
    if (number >= tasks_[from].first && number < tasks_[from].last) return true;
    return !signs_.empty() && share_a_landmark(signs_[from], signs_[to]);
  }

  // False only if no path leads from one task to the other. Requires two different tasks.
  bool may_lead_to(std::int32_t from, std::int32_t to) const {
    const Task &a = tasks_[from], &b = tasks_[to];
    if (a.level >= b.level || a.height <= b.height) return false;
    return signs_.empty() || fits(signs_[from], signs_[to]);
  }

  // Tells the processor that a task will soon be asked about.
  void fetch(std::int32_t task) const {
    __builtin_prefetch(&tasks_[task]);
    if (!signs_.empty()) __builtin_prefetch(&signs_[task]);
  }

 private:
  static constexpr std::size_t words = 4, landmark_words = 2;
  using Bits = std::array<std::uint64_t, words>;

  // Every task has a bit. `below` has the bits of the task and all its descendants, `above` the
  // bits of the task and all its ancestors. In the first words a bit stands for one task, a
  // landmark. The other tasks share the other bits.
  struct alignas(64) Signs {
    Bits below{}, above{};
  };

  static bool share_a_landmark(const Signs& from, const Signs& to) {
    std::uint64_t shared = 0;
    for (std::size_t w = 0; w < landmark_words; ++w) shared |= from.below[w] & to.above[w];
    return shared != 0;
  }

  // If a leads to b, then a leads to all descendants of b, and all ancestors of a lead to b.
  static bool fits(const Signs& from, const Signs& to) {
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < words; ++w) {
      missing |= (to.below[w] & ~from.below[w]) | (from.above[w] & ~to.above[w]);
    }
    return missing == 0;
  }

  void number_forest();
  std::vector<std::int32_t> own_bits() const;

  Rows children_, parents_;
  Ids order_;
  std::vector<Task> tasks_;
  std::vector<Signs> signs_;  // empty before learn()
};

}  // namespace icsched
