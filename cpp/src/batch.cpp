#include "icsched/batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

bool is(std::uint8_t state, TaskState wanted) { return state == static_cast<std::uint8_t>(wanted); }

// Rows of sources in the order in which they were found, and how often in a row.
struct Found {
  Vector offsets{0}, sources, weights;
  bool sorted = true;

  std::int32_t size() const { return static_cast<std::int32_t>(weights.size()); }
  Ids operator[](std::int32_t i) const {
    return Ids(sources).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }

  // Makes a row of the sources that have been added since the last.
  void close_row() {
    const auto begin = sources.begin() + offsets.back();
    if (!std::is_sorted(begin, sources.end())) std::sort(begin, sources.end());
    const Ids last = size() == 0 ? Ids() : (*this)[size() - 1];
    const Ids row(begin, sources.end());
    if (std::ranges::equal(last, row)) {
      ++weights.back();
      sources.resize(offsets.back());
      return;
    }
    sorted = sorted && std::ranges::lexicographical_compare(last, row);
    offsets.push_back(static_cast<std::int32_t>(sources.size()));
    weights.push_back(1);
  }
};

class FrontBuilder {
 public:
  FrontBuilder(Rows children, Rows parents, std::span<const std::uint8_t> states, Ids sources)
      : children_(children), parents_(parents), states_(states), sources_(sources),
        number_(states.size()) {
    for (std::size_t i = 0; i < sources.size(); ++i) number_[sources[i]] = static_cast<std::int32_t>(i);
    front_.yields.assign(sources.size(), 0);
    found_.sources.reserve(2 * sources.size());
    found_.offsets.reserve(sources.size());
    found_.weights.reserve(sources.size());
  }

  BuiltFront build() && {
    // Where most tasks are near the front, one pass over all is faster than to jump around.
    if (4 * sources_.size() > states_.size()) {
      look_at_all();
    } else {
      look_at_children();
    }
    if (found_.sorted) {
      front_.sink_offsets = std::move(found_.offsets);
      front_.parents = std::move(found_.sources);
      front_.weights = std::move(found_.weights);
    } else {
      join_alike();
    }
    return std::move(front_);
  }

 private:
  void look_at_all() {
    for (std::int32_t task = 0; task < parents_.size(); ++task) {
      if (is(states_[task], TaskState::waiting)) look_at(task);
    }
  }

  void look_at_children() {
    for (const std::int32_t source : sources_) {
      for (const std::int32_t child : children_[source]) {
        if (!std::exchange(number_[child], 1)) look_at(child);  // a child is not offered
      }
    }
  }

  // Notes a task if all its parents are executed or offered, and some are offered.
  void look_at(std::int32_t task) {
    const std::int32_t before = found_.offsets.back();
    work_.add(1 + std::ssize(parents_[task]));
    for (const std::int32_t parent : parents_[task]) {
      if (is(states_[parent], TaskState::offered)) {
        found_.sources.push_back(number_[parent]);
      } else if (is(states_[parent], TaskState::waiting)) {
        return found_.sources.resize(before);
      }
    }
    const std::size_t size = found_.sources.size() - static_cast<std::size_t>(before);
    if (size > 1) return found_.close_row();
    if (size == 1) ++front_.yields[found_.sources.back()];
    found_.sources.resize(before);
  }

  // Sorts the rows found, by counting their first sources, and joins equal ones.
  void join_alike() {
    Vector ends(sources_.size() + 1);
    for (std::int32_t i = 0; i < found_.size(); ++i) ++ends[found_[i][0]];
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0);
    Vector order(found_.size());
    for (std::int32_t i = 0; i < found_.size(); ++i) order[ends[found_[i][0]]++] = i;
    front_.sink_offsets.reserve(found_.offsets.size());
    front_.weights.reserve(found_.offsets.size());
    front_.parents.reserve(found_.sources.size());
    front_.sink_offsets.push_back(0);
    std::int32_t begin = 0;
    for (std::size_t source = 0; source < sources_.size(); begin = ends[source++]) {
      append(std::span(order).subspan(begin, ends[source] - begin));
    }
  }

  void append(std::span<std::int32_t> bucket) {
    if (bucket.size() > 1) {
      std::ranges::sort(bucket, [&](std::int32_t a, std::int32_t b) {
        work_.add(1 + std::ssize(found_[a]));
        return std::ranges::lexicographical_compare(found_[a], found_[b]);
      });
    }
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      const Ids row = found_[bucket[i]];
      if (i > 0 && std::ranges::equal(found_[bucket[i - 1]], row)) {
        front_.weights.back() += found_.weights[bucket[i]];
        continue;
      }
      front_.parents.insert(front_.parents.end(), row.begin(), row.end());
      front_.sink_offsets.push_back(static_cast<std::int32_t>(front_.parents.size()));
      front_.weights.push_back(found_.weights[bucket[i]]);
    }
  }

  Rows children_, parents_;
  std::span<const std::uint8_t> states_;
  Ids sources_;
  Vector number_;  // of an offered task; of others, whether it was looked at
  Found found_;
  BuiltFront front_;
  WorkCounter work_;
};

}  // namespace

BuiltFront batch_front(Rows children, Rows parents, std::span<const std::uint8_t> states,
                       Ids sources) {
  return FrontBuilder(children, parents, states, sources).build();
}

namespace {

constexpr std::int32_t steps_per_unit = 16;  // of work: additions

// What the untaken sources of each sink yield. Sources gain yields one at a time: one with few
// sinks then adds to each of them, one with very many sinks is looked up by whoever asks. So a
// change costs sqrt(arcs) at most, and so does a question.
class SharedYields {
 public:
  SharedYields(const Front& front, const SinksOf& sinks_of)
      : sinks_of_(sinks_of.rows()),
        yields_(front.yields.begin(), front.yields.end()),
        taken_(front.sources()),
        by_few_(front.sinks.size()) {
    const double most = std::sqrt(static_cast<double>(front.sinks.targets.size()));
    many_offsets_.reserve(by_few_.size() + 1);
    for (std::int32_t sink = 0; sink < front.sinks.size(); ++sink) {
      many_offsets_.push_back(static_cast<std::int32_t>(many_.size()));
      for (const std::int32_t source : front.sinks[sink]) {
        if (static_cast<double>(sinks_of_[source].size()) > most) {
          many_.push_back(source);
        } else {
          by_few_[sink] += yields_[source];
        }
      }
    }
    many_offsets_.push_back(static_cast<std::int32_t>(many_.size()));
    is_one_of_many_.assign(front.sources(), 0);
    for (const std::int32_t source : many_) is_one_of_many_[source] = 1;
  }

  bool taken(std::int32_t source) const { return taken_[source]; }
  std::int32_t of_source(std::int32_t source) const { return yields_[source]; }

  std::int64_t of_sink(std::int32_t sink) const {
    std::int64_t sum = by_few_[sink];
    check_interrupt(1 + (many_offsets_[sink + 1] - many_offsets_[sink]) / steps_per_unit);
    for (std::int32_t i = many_offsets_[sink]; i < many_offsets_[sink + 1]; ++i) {
      if (!taken_[many_[i]]) sum += yields_[many_[i]];
    }
    return sum;
  }

  void take(std::int32_t source) {
    add_to_sinks(source, -yields_[source]);
    taken_[source] = 1;
  }

  void add(std::int32_t source, std::int32_t weight) {
    yields_[source] += weight;
    add_to_sinks(source, weight);
  }

 private:
  void add_to_sinks(std::int32_t source, std::int32_t weight) {
    if (weight == 0 || is_one_of_many_[source]) return;
    check_interrupt(1 + std::ssize(sinks_of_[source]) / steps_per_unit);
    for (const std::int32_t sink : sinks_of_[source]) by_few_[sink] += weight;
  }

  Rows sinks_of_;
  Vector yields_;
  std::vector<std::uint8_t> taken_, is_one_of_many_;  // by source
  std::vector<std::int64_t> by_few_;  // by sink: yields of its untaken sources with few sinks
  Vector many_offsets_, many_;        // by sink: its sources with very many sinks
};

// Takes sources, the best candidate's first. Candidate i is what sink i still waits for, or
// source i - sinks.
class Greedy {
 public:
  Greedy(const Front& front, std::int32_t count)
      : front_(front),
        sinks_of_(front),
        yields_(front, sinks_of_),
        missing_(front.sinks.size()),
        last_pushed_(front.sinks.size() + front.sources()),
        left_(count) {
    for (std::int32_t sink = 0; sink < front.sinks.size(); ++sink) {
      missing_[sink] = static_cast<std::int32_t>(front.sinks[sink].size());
    }
  }

  Choice choose() && {
    fill_heap();
    while (left_ > 0 && !heap_.empty()) {
      const std::uint64_t entry = pop();
      const std::int32_t candidate = ~static_cast<std::uint32_t>(entry);
      const std::uint64_t now = key(candidate);
      if (now < entry) {
        push(candidate, now);  // what it would enable has been enabled since
      } else if (cost(candidate) <= left_) {
        take_candidate(candidate);
      }
    }
    for (std::int32_t source = 0; left_ > 0; ++source) {
      if (!yields_.taken(source)) take(source);
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
      enables = front_.weights[candidate] + yields_.of_sink(candidate);
    } else {
      const std::int32_t source = candidate - front_.sinks.size();
      enables = yields_.taken(source) ? 0 : yields_.of_source(source);
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
      const std::uint64_t entry = last_pushed_[candidate] = key(candidate);
      if (entry != 0) heap_.push_back(entry);
    }
    std::make_heap(heap_.begin(), heap_.end());
  }

  std::uint64_t pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::uint64_t entry = heap_.back();
    heap_.pop_back();
    check_interrupt();
    std::uint64_t& last = last_pushed_[~static_cast<std::uint32_t>(entry)];
    if (last == entry) last = 0;
    return entry;
  }

  // Pushes nothing that is in the heap already: old entries of a candidate, which may be as many
  // as its sources, become one when they come up.
  void push(std::int32_t candidate, std::uint64_t entry) {
    if (entry == 0 || last_pushed_[candidate] == entry) return;
    last_pushed_[candidate] = entry;
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end());
  }

  void take_candidate(std::int32_t candidate) {
    if (candidate >= front_.sinks.size()) return take(candidate - front_.sinks.size());
    for (const std::int32_t source : front_.sinks[candidate]) {
      if (!yields_.taken(source)) take(source);
    }
  }

  void take(std::int32_t source) {
    yields_.take(source);
    --left_;
    choice_.sources.push_back(source);
    choice_.enabled += yields_.of_source(source);
    for (const std::int32_t sink : sinks_of_.rows()[source]) {
      if (--missing_[sink] == 1) {
        become_yield(sink);
      } else if (missing_[sink] > 1) {
        push(sink, key(sink));
      }
    }
  }

  // Other sinks of its last parent gain too; they are not pushed again, for a source with very
  // many sinks would make that quadratic. They count as what they were until they come up.
  void become_yield(std::int32_t sink) {
    for (const std::int32_t source : front_.sinks[sink]) {
      if (yields_.taken(source)) continue;
      yields_.add(source, front_.weights[sink]);
      const std::int32_t candidate = front_.sinks.size() + source;
      push(candidate, key(candidate));
    }
  }

  const Front& front_;
  const SinksOf sinks_of_;
  SharedYields yields_;
  Vector missing_;
  std::vector<std::uint64_t> last_pushed_;  // of each candidate, unless it has come up; else 0
  std::vector<std::uint64_t> heap_;
  std::int32_t left_;
  Choice choice_;
};

}  // namespace

Choice greedy_batch(const Front& front, std::int32_t count) { return Greedy(front, count).choose(); }

SinksOf::SinksOf(const Front& front)
    : offsets(front.sources() + 1), sinks(front.sinks.targets.size()) {
  for (const std::int32_t source : front.sinks.targets) ++offsets[source];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  for (std::int32_t sink = front.sinks.size(); sink-- > 0;) {  // rows fill from their ends
    for (const std::int32_t source : front.sinks[sink]) sinks[--offsets[source]] = sink;
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
    check_interrupt(1 + size / steps_per_unit);
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
