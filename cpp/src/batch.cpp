#include "icsched/batch.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// Collects the sinks found at one source; those with the same parents become one.
class Bucket {
 public:
  void add(const Vector& row) {
    starts_.push_back(static_cast<std::int32_t>(targets_.size()));
    targets_.insert(targets_.end(), row.begin(), row.end());
  }

  void move_to(BuiltFront& front) {
    const auto count = static_cast<std::int32_t>(starts_.size());
    starts_.push_back(static_cast<std::int32_t>(targets_.size()));
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    if (count > 1) {
      std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
        return std::ranges::lexicographical_compare(row(a), row(b));
      });
    }
    for (std::int32_t i = 0; i < count; ++i) {
      if (i > 0 && std::ranges::equal(row(order_[i - 1]), row(order_[i]))) {
        ++front.weights.back();
      } else {
        append(front, row(order_[i]));
      }
    }
    starts_.clear();
    targets_.clear();
  }

 private:
  Ids row(std::int32_t i) const {
    return Ids(targets_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

  static void append(BuiltFront& front, Ids row) {
    front.parents.insert(front.parents.end(), row.begin(), row.end());
    front.sink_offsets.push_back(static_cast<std::int32_t>(front.parents.size()));
    front.weights.push_back(1);
  }

  Vector starts_, targets_, order_;
};

}  // namespace

BuiltFront batch_front(Rows children, Rows parents, std::span<const std::uint8_t> states,
                       Ids sources) {
  constexpr auto waiting = static_cast<std::uint8_t>(TaskState::waiting);
  constexpr auto offered = static_cast<std::uint8_t>(TaskState::offered);
  BuiltFront front;
  front.yields.assign(sources.size(), 0);
  front.sink_offsets.push_back(0);
  Vector number(states.size());  // of an offered task; of others, whether it was looked at
  for (std::size_t i = 0; i < sources.size(); ++i) number[sources[i]] = static_cast<std::int32_t>(i);
  Bucket bucket;
  Vector row;
  for (const std::int32_t source : sources) {
    for (const std::int32_t sink : children[source]) {
      if (number[sink] != 0) continue;
      number[sink] = 1;
      row.clear();
      bool open = false;
      for (const std::int32_t parent : parents[sink]) {
        open = states[parent] == waiting;
        if (open) break;
        if (states[parent] == offered) row.push_back(number[parent]);
      }
      if (open) continue;
      if (row.size() == 1) {
        ++front.yields[row[0]];
      } else {
        std::sort(row.begin(), row.end());
        bucket.add(row);
      }
    }
    bucket.move_to(front);
  }
  return front;
}

namespace {

// Takes sources, the best candidate's first. Candidate i is what sink i still waits for, or
// source i - sinks.
class Greedy {
 public:
  Greedy(const Front& front, std::int32_t count)
      : front_(front),
        sinks_of_(front),
        yields_(front.yields.begin(), front.yields.end()),
        missing_(front.sinks.size()),
        taken_(front.sources()),
        left_(count) {
    for (std::int32_t sink = 0; sink < front.sinks.size(); ++sink) {
      missing_[sink] = static_cast<std::int32_t>(front.sinks[sink].size());
    }
  }

  Choice choose() && {
    fill_heap();
    while (left_ > 0 && !heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const std::uint64_t entry = heap_.back();
      heap_.pop_back();
      const std::int32_t candidate = ~static_cast<std::uint32_t>(entry);
      const std::uint64_t now = key(candidate);
      if (now < entry) {
        push(now);  // what it would enable has been enabled since
      } else if (cost(candidate) <= left_) {
        take_candidate(candidate);
      }
    }
    for (std::int32_t source = 0; left_ > 0; ++source) {
      if (!taken_[source]) take(source);
    }
    return std::move(choice_);
  }

 private:
  std::int32_t cost(std::int32_t candidate) const {
    return candidate < front_.sinks.size() ? missing_[candidate] : 1;
  }

  // Orders candidates by what they enable a source, then by number; 0 for a spent candidate.
  std::uint64_t key(std::int32_t candidate) const {
    std::int64_t enables = 0;
    if (candidate < front_.sinks.size()) {
      if (missing_[candidate] < 2) return 0;  // enabled, or by now a yield
      enables = front_.weights[candidate];
      for (const std::int32_t source : front_.sinks[candidate]) {
        if (!taken_[source]) enables += yields_[source];
      }
    } else {
      const std::int32_t source = candidate - front_.sinks.size();
      enables = taken_[source] ? 0 : yields_[source];
    }
    if (enables == 0) return 0;
    const float rate = static_cast<float>(enables) / static_cast<float>(cost(candidate));
    return std::uint64_t{std::bit_cast<std::uint32_t>(rate)} << 32 |
           ~static_cast<std::uint32_t>(candidate);
  }

  void fill_heap() {
    const std::int32_t candidates = front_.sources() + front_.sinks.size();
    heap_.reserve(candidates);
    for (std::int32_t candidate = 0; candidate < candidates; ++candidate) {
      if (const std::uint64_t entry = key(candidate); entry != 0) heap_.push_back(entry);
    }
    std::make_heap(heap_.begin(), heap_.end());
  }

  void push(std::uint64_t entry) {
    if (entry == 0) return;
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end());
  }

  void take_candidate(std::int32_t candidate) {
    if (candidate >= front_.sinks.size()) return take(candidate - front_.sinks.size());
    for (const std::int32_t source : front_.sinks[candidate]) {
      if (!taken_[source]) take(source);
    }
  }

  void take(std::int32_t source) {
    taken_[source] = 1;
    --left_;
    choice_.sources.push_back(source);
    choice_.enabled += yields_[source];
    for (const std::int32_t sink : sinks_of_.rows()[source]) {
      if (--missing_[sink] == 1) {
        become_yield(sink);
      } else if (missing_[sink] > 1) {
        push(key(sink));
      }
    }
  }

  // Other sinks of its last parent gain too; they are not pushed again, for a source with very
  // many sinks would make that quadratic. They count as what they were until they come up.
  void become_yield(std::int32_t sink) {
    for (const std::int32_t source : front_.sinks[sink]) {
      if (taken_[source]) continue;
      yields_[source] += front_.weights[sink];
      push(key(front_.sinks.size() + source));
    }
  }

  const Front& front_;
  const SinksOf sinks_of_;
  Vector yields_, missing_;
  std::vector<std::uint8_t> taken_;
  std::vector<std::uint64_t> heap_;
  std::int32_t left_;
  Choice choice_;
};

}  // namespace

Choice greedy_batch(const Front& front, std::int32_t count) { return Greedy(front, count).choose(); }

SinksOf::SinksOf(const Front& front)
    : offsets(front.sources() + 1), sinks(front.sinks.targets.size()) {
  for (const std::int32_t source : front.sinks.targets) ++offsets[source + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  Vector next(offsets.begin(), offsets.end() - 1);
  for (std::int32_t sink = 0; sink < front.sinks.size(); ++sink) {
    for (const std::int32_t source : front.sinks[sink]) sinks[next[source]++] = sink;
  }
}

std::int64_t most_enabled(const Front& front, std::int32_t count) {
  constexpr std::int64_t one = 1 << 20;  // shares are fractions, rounded up
  std::vector<std::int64_t> shares(front.sources());
  for (std::int32_t source = 0; source < front.sources(); ++source) {
    shares[source] = front.yields[source] * one;
  }
  for (std::int32_t sink = 0; sink < front.sinks.size(); ++sink) {
    const Ids row = front.sinks[sink];
    const auto size = static_cast<std::int64_t>(row.size());
    const std::int64_t share = (front.weights[sink] * one + size - 1) / size;
    for (const std::int32_t source : row) shares[source] += share;
  }
  const std::int64_t all = std::reduce(front.yields.begin(), front.yields.end(), std::int64_t{0}) +
                           std::reduce(front.weights.begin(), front.weights.end(), std::int64_t{0});
  std::nth_element(shares.begin(), shares.begin() + count, shares.end(), std::greater<>());
  const std::int64_t largest = std::reduce(shares.begin(), shares.begin() + count, std::int64_t{0});
  return std::min(all, largest / one);
}

}  // namespace icsched
