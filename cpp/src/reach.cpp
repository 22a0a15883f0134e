#include "icsched/reach.hpp"

#include <algorithm>

#include "icsched/interrupt.hpp"

namespace icsched {

using Vector = std::vector<std::int32_t>;

Reach::Reach(Rows children, Rows parents, Ids order)
    : children_(children), parents_(parents), order_(order), tasks_(children.size(), Task{}) {
  WorkCounter work;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Task& task = tasks_[order[i]];
    task.place = static_cast<std::int32_t>(i);
    for (std::int32_t parent : parents[order[i]]) {
      work.add();
      task.level = std::max(task.level, tasks_[parent].level + 1);
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    Task& task = tasks_[order[i]];
    for (std::int32_t child : children[order[i]]) {
      work.add();
      task.height = std::max(task.height, tasks_[child].height + 1);
    }
  }
  number_forest();
}

// A spanning forest in which every task hangs below its deepest parent, the first such by id,
// numbered so that the tasks below a task are exactly those numbered [first, last) of it.
void Reach::number_forest() {
  Vector above(order_.size(), -1), size(order_.size(), 1), next(order_.size());
  WorkCounter work;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::int32_t task = order_[i];
    for (std::int32_t parent : parents_[task]) {
      work.add();
      if (above[task] < 0 || tasks_[parent].level > tasks_[above[task]].level) above[task] = parent;
    }
    if (above[task] >= 0) size[above[task]] += size[task];
  }
  std::int32_t roots = 0;
  for (std::int32_t task : order_) {
    work.add();
    std::int32_t& number = above[task] < 0 ? roots : next[above[task]];
    tasks_[task].first = number;
    tasks_[task].last = number += size[task];
    next[task] = tasks_[task].first + 1;
  }
}

void Reach::learn() {
  signs_.assign(tasks_.size(), Signs{});
  const Vector own = own_bits();
  const auto gather = [&](std::int32_t task, Ids row, Bits Signs::*member) {
    Bits& bits = signs_[task].*member;
    for (std::int32_t other : row) {
      for (std::size_t w = 0; w < words; ++w) bits[w] |= (signs_[other].*member)[w];
    }
    bits[own[task] / 64] |= std::uint64_t{1} << (own[task] % 64);
    check_interrupt(1 + static_cast<std::int64_t>(row.size()));
  };
  for (std::int32_t task : order_) gather(task, parents_[task], &Signs::above);
  for (std::size_t i = order_.size(); i-- > 0;) {
    gather(order_[i], children_[order_[i]], &Signs::below);
  }
}

// The bit of each task. The order is cut into equal parts, and the landmark of a part is its task
// with the most pairs of a parent and a child, the first such in the order.
Vector Reach::own_bits() const {
  constexpr std::size_t landmarks = 64 * landmark_words, shared = 64 * (words - landmark_words);
  Vector own(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u;  // spreads neighbours
    own[order_[i]] = static_cast<std::int32_t>(landmarks + (mixed >> 40) % shared);
  }
  const auto pairs = [&](std::int32_t task) { return parents_[task].size() * children_[task].size(); };
  for (std::size_t part = 0; part < landmarks; ++part) {
    const Ids tasks = order_.subspan(order_.size() * part / landmarks,
                                     order_.size() * (part + 1) / landmarks - order_.size() * part / landmarks);
    const auto best = std::max_element(tasks.begin(), tasks.end(), [&](std::int32_t a, std::int32_t b) {
      return pairs(a) < pairs(b);
    });
    if (best != tasks.end()) own[*best] = static_cast<std::int32_t>(part);
  }
  return own;
}

}  // namespace icsched
