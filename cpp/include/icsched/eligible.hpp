// Sets of eligible tasks to hand out, one class per rule.
//
// All classes have the same members:
// - set_order(order) says which tasks come first, for rules with an order. It is called first.
// - clear() empties the set, and size() counts its tasks.
// - add(task) adds a task that is not in the set, remove(task) removes one that is.
// - take(count, visit) takes out up to `count` tasks, best first, and calls visit(task) for each;
//   visit must not change the set.
// A task may be added again after it was taken, but not after it was removed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// A set of numbers below a limit that finds its least number. The lowest level has a bit per
// number, the next a bit per word of 64, and so on up to one word.
class Bitmap {
 public:
  explicit Bitmap(std::int32_t limit) {
    std::size_t words = (static_cast<std::size_t>(limit) + 63) / 64;
    std::size_t all = 0;
    do {
      start_[depth_++] = all;
      all += words;
      words = (words + 63) / 64;
    } while (all - start_[depth_ - 1] > 1);
    words_.resize(all);
  }

  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  void insert(std::int32_t number) {
    std::size_t i = number;
    for (std::size_t level = 0; level < depth_; ++level, i /= 64) {
      std::uint64_t& word = words_[start_[level] + i / 64];
      const std::uint64_t before = word;
      word |= bit(i);
      if (before != 0) return;
    }
  }

  void erase(std::int32_t number) {
    words_[number / 64] &= ~bit(number);
    if (words_[number / 64] == 0) clear_above(number / 64);
  }

  // The least number of the set that is not below `number`; -1 if there is none.
  std::int64_t next(std::int64_t number) const {
    auto i = static_cast<std::size_t>(number);
    for (std::size_t level = 0; level < depth_; ++level, i = i / 64 + 1) {
      const std::size_t at = start_[level] + i / 64;
      if (at >= (level + 1 < depth_ ? start_[level + 1] : words_.size())) return -1;
      const std::uint64_t bits = words_[at] & (~std::uint64_t{0} << (i % 64));
      if (bits == 0) continue;
      i = i / 64 * 64 + std::countr_zero(bits);
      while (level-- > 0) i = i * 64 + std::countr_zero(words_[start_[level] + i]);
      return static_cast<std::int64_t>(i);
    }
    return -1;
  }

  // Erases the `count` least numbers and visits each. Requires at least `count` numbers.
  template <class Visit>
  void take(std::int64_t count, Visit visit) {
    while (count > 0) {
      const std::size_t at = first_word();
      std::uint64_t bits = words_[at];
      for (; bits != 0 && count > 0; bits &= bits - 1, --count) {
        visit(static_cast<std::int32_t>(at * 64 + std::countr_zero(bits)));
      }
      words_[at] = bits;
      if (bits == 0) clear_above(at);
    }
  }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

  std::size_t first_word() const {
    std::size_t i = 0;
    for (std::size_t level = depth_; level-- > 1;) {
      i = i * 64 + std::countr_zero(words_[start_[level] + i]);
    }
    return i;
  }

  void clear_above(std::size_t i) {
    for (std::size_t level = 1; level < depth_; ++level, i /= 64) {
      std::uint64_t& word = words_[start_[level] + i / 64];
      word &= ~bit(i);
      if (word != 0) return;
    }
  }

  std::vector<std::uint64_t> words_;    // all levels, the lowest first
  std::array<std::size_t, 6> start_{};  // of each level; 64^6 exceeds any limit
  std::size_t depth_ = 0;
};

// Least rank first.
class RankedSet {
 public:
  explicit RankedSet(std::int32_t tasks) : bits_(tasks), order_(tasks), rank_(tasks) {}

  void set_order(Ids order) {
    std::copy(order.begin(), order.end(), order_.begin());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      rank_[order[rank]] = static_cast<std::int32_t>(rank);
    }
  }
  void clear() {
    bits_.clear();
    size_ = 0;
  }
  void add(std::int32_t task) {
    bits_.insert(rank_[task]);
    ++size_;
  }
  void remove(std::int32_t task) {
    bits_.erase(rank_[task]);
    --size_;
  }
  std::int64_t size() const { return size_; }

  template <class Visit>
  void take(std::int64_t count, Visit visit) {
    count = std::min(count, size_);
    size_ -= count;
    bits_.take(count, [&](std::int32_t rank) { visit(order_[rank]); });
  }

 private:
  Bitmap bits_;
  std::vector<std::int32_t> order_, rank_;
  std::int64_t size_ = 0;
};

// A line whose removed tasks stay in it until their turn comes.
class WithRemovals {
 public:
  explicit WithRemovals(std::int32_t tasks) : removed_(tasks) {}

  void set_order(Ids) {}
  void remove(std::int32_t task) {
    removed_[task] = true;
    --size_;
  }
  std::int64_t size() const { return size_; }

 protected:
  void clear_removals() {
    size_ = 0;
    std::fill(removed_.begin(), removed_.end(), false);
  }

  // Visits the next count tasks that are not removed; next() takes a task out of the line.
  template <class Next, class Visit>
  void take_by(Next next, std::int64_t count, Visit visit) {
    for (count = std::min(count, size_); count > 0;) {
      const std::int32_t task = next();
      if (removed_[task]) continue;
      --count;
      --size_;
      visit(task);
    }
  }

  std::vector<std::uint8_t> removed_;  // by task; may still be in line
  std::int64_t size_ = 0;
};

// First the task that was added first, or the one that was added last.
template <bool newest_first>
class Line : public WithRemovals {
 public:
  explicit Line(std::int32_t tasks) : WithRemovals(tasks) { line_.reserve(tasks); }

  void clear() {
    line_.clear();
    head_ = 0;
    clear_removals();
  }
  void add(std::int32_t task) {
    line_.push_back(task);
    ++size_;
  }

  template <class Visit>
  void take(std::int64_t count, Visit visit) {
    take_by([this] { return next(); }, count, visit);
    drop_taken();
  }

 private:
  std::int32_t next() {
    if constexpr (newest_first) {
      const std::int32_t task = line_.back();
      line_.pop_back();
      return task;
    } else {
      return line_[head_++];
    }
  }

  // Tasks may come back without end; the memory must not grow without end.
  void drop_taken() {
    if (2 * head_ <= line_.size() || head_ < removed_.size()) return;
    line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

  std::vector<std::int32_t> line_;  // oldest first
  std::size_t head_ = 0;            // entries before it are taken; 0 if the newest go first
};

// Least class first, and in a class the task that was added first. set_classes is called first.
class ClassedLine : public WithRemovals {
 public:
  using WithRemovals::WithRemovals;

  void set_classes(Ids classes) { classes_ = classes; }
  void clear() {
    line_ = {};
    added_ = 0;
    clear_removals();
  }
  void add(std::int32_t task) {
    line_.push({classes_[task], added_++, task});
    ++size_;
  }

  template <class Visit>
  void take(std::int64_t count, Visit visit) {
    const auto next = [this] {
      const std::int32_t task = line_.top().task;
      line_.pop();
      return task;
    };
    take_by(next, count, visit);
  }

 private:
  struct Place {
    std::int32_t of_class;
    std::int64_t number;  // of the addition
    std::int32_t task;
    auto operator<=>(const Place&) const = default;
  };

  Ids classes_;  // by task
  std::priority_queue<Place, std::vector<Place>, std::greater<>> line_;
  std::int64_t added_ = 0;  // times that a task was added
};

}  // namespace icsched
