#include "icsched/strands.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// A string of counts. Substrings of lengths 1, 2, 4, ... are named so that equal ones, and
// only these, have the same name: common prefixes are found exactly, in O(log) steps.
class Text {
 public:
  Text(Vector counts, std::int32_t longest) : counts_(std::move(counts)), sum_(counts_.size() + 1) {
    for (std::size_t i = 0; i < counts_.size(); ++i) sum_[i + 1] = sum_[i] + counts_[i];
    names_.push_back(counts_);
    for (std::int32_t length = 2; length <= longest && !names_distinct_; length *= 2) name_pairs(length / 2);
  }

  std::int32_t operator[](std::int32_t i) const { return counts_[i]; }
  bool all_zero(std::int32_t from, std::int32_t to) const { return from >= to || sum_[to] == sum_[from]; }

  // Length of the common prefix of what starts at i and at j, at most `most`.
  std::int32_t common(std::int32_t i, std::int32_t j, std::int32_t most) const {
    if (i == j) return most;
    std::int32_t length = 0;
    for (std::size_t level = names_.size(); level-- > 0;) {
      const std::int32_t step = std::int32_t{1} << level;
      if (length + step <= most && names_[level][i + length] == names_[level][j + length]) length += step;
    }
    return length;
  }

 private:
  // Names the substrings twice as long as the latest, by the names of their halves.
  void name_pairs(std::int32_t half) {
    const Vector& halves = names_.back();
    const auto count = static_cast<std::int32_t>(counts_.size()) - 2 * half + 1;
    std::unordered_map<std::uint64_t, std::int32_t> known;
    Vector names(count);
    for (std::int32_t i = 0; i < count; ++i) {
      const auto pair = static_cast<std::uint64_t>(halves[i]) << 32 | static_cast<std::uint32_t>(halves[i + half]);
      names[i] = known.try_emplace(pair, static_cast<std::int32_t>(known.size())).first->second;
    }
    names_distinct_ = static_cast<std::int32_t>(known.size()) == count;
    names_.push_back(std::move(names));
  }

  Vector counts_;
  std::vector<std::int64_t> sum_;
  std::vector<Vector> names_;    // by the logarithm of the length, then by the start
  bool names_distinct_ = false;  // then no two longer substrings are equal either
};

// An eligibility vector: `first`, then the `length` counts of the text from `start` with
// `extra` added to the last, then zeros.
struct Gains {
  const Text* text;
  std::int32_t source;
  std::int32_t first, start, length, extra;

  std::int32_t at(std::int32_t i) const {
    if (i > length) return 0;
    return i == 0 ? first : (*text)[start + i - 1] + (i == length ? extra : 0);
  }
};

// Negative, zero or positive as a is lexicographically less than, equal to or more than b.
std::int32_t compare(const Gains& a, const Gains& b) {
  if (a.first != b.first) return a.first - b.first;
  const std::int32_t shared = std::min(a.length, b.length);
  // The last counts may have something added: they are compared one by one.
  std::int32_t i = shared > 1 ? a.text->common(a.start, b.start, shared - 1) + 1 : 1;
  for (; i <= shared + 1; ++i) {
    if (a.at(i) != b.at(i)) return a.at(i) - b.at(i);
  }
  const Gains& longer = a.length > b.length ? a : b;
  const std::int32_t rest = longer.start + i - 1, end = longer.start + longer.length;
  const bool more = !longer.text->all_zero(rest, end) || (rest < end && longer.extra > 0);
  if (!more) return 0;
  return &longer == &a ? 1 : -1;
}

// What is left of a strand: the sources lo .. hi. Vectors that look to the right are
// known for it if its right end is that of the stretch they were computed for; likewise
// to the left.
struct Part {
  std::int32_t lo, hi;
  bool cut_left, cut_right;  // the neighbour beyond the end has been executed
  bool knows_right, knows_left;
  Gains best;
};

class Greedy {
 public:
  explicit Greedy(const Strands& strands)
      : own_(strands.own),
        sources_(static_cast<std::int32_t>(strands.own.size())),
        hinge_(sources_),
        text_(counts(strands), longest(strands)),
        best_right_(sources_),
        best_left_(sources_) {
    for (std::int32_t u = 0; u < sources_; ++u) hinge_[u] = strands.left[u] && strands.right[u];
    left_ = strands.left;
    right_ = strands.right;
    for (std::size_t i = 0; i + 1 < strands.offsets.size(); ++i) {
      add({strands.offsets[i], strands.offsets[i + 1] - 1, false, false, false, false, {}});
    }
  }

  Vector run() {
    Vector order;
    order.reserve(sources_);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      const Part part = heap_.back();
      heap_.pop_back();
      const std::int32_t source = part.best.source;
      order.push_back(source);
      // A neighbour with which it shared a sink of no further parent now owns that sink.
      if (source > part.lo) {
        if (source - 1 == part.lo || left_[source - 1]) own_[source - 1] += 1;
        add({part.lo, source - 1, part.cut_left, true, false, part.knows_left, {}});
      }
      if (source < part.hi) {
        if (source + 1 == part.hi || right_[source + 1]) own_[source + 1] += 1;
        add({source + 1, part.hi, true, part.cut_right, part.knows_right, false, {}});
      }
    }
    return order;
  }

 private:
  // What each source enables after all to its left, then, from right to left, after all
  // to its right.
  static Vector counts(const Strands& strands) {
    Vector result;
    for (std::size_t u = 0; u < strands.own.size(); ++u) result.push_back(strands.own[u] + strands.right[u]);
    for (std::size_t u = strands.own.size(); u-- > 0;) result.push_back(strands.own[u] + strands.left[u]);
    return result;
  }

  static std::int32_t longest(const Strands& strands) {
    std::int32_t most = 0;
    for (std::size_t i = 0; i + 1 < strands.offsets.size(); ++i) {
      most = std::max(most, strands.offsets[i + 1] - strands.offsets[i]);
    }
    return most;
  }

  static bool worse(const Part& a, const Part& b) {
    const std::int32_t difference = compare(a.best, b.best);
    return difference != 0 ? difference < 0 : a.best.source > b.best.source;
  }

  Gains looking_right(std::int32_t u, std::int32_t hi, bool cut) const {
    return {&text_, u, own_[u], u + 1, hi - u, cut ? 1 : 0};
  }
  Gains looking_left(std::int32_t u, std::int32_t lo, bool cut) const {
    return {&text_, u, own_[u], 2 * sources_ - u, u - lo, cut ? 1 : 0};
  }

  void add(Part part) {
    if (!part.knows_right && !part.knows_left) survey(part);
    const bool lone = part.lo == part.hi;
    if (part.knows_right) {
      part.best = looking_right(part.lo, part.hi, part.cut_right);
      if (!lone) improve(part.best, looking_right(best_right_[part.lo + 1], part.hi, part.cut_right));
    } else {
      part.best = looking_left(part.hi, part.lo, part.cut_left);
      if (!lone) improve(part.best, looking_left(best_left_[part.hi - 1], part.lo, part.cut_left));
    }
    heap_.push_back(part);
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }

  static void improve(Gains& best, const Gains& other) {
    if (compare(other, best) > 0) best = other;
  }

  // Finds the best source from each place on to the right end, and up to it from the left
  // end. Only sources that join two shared sinks, and ends, can be best: one inside a
  // sink's interval enables nothing more than the end does, and later.
  void survey(Part& part) {
    part.knows_right = part.knows_left = true;
    Gains best = looking_right(part.hi, part.hi, part.cut_right);
    for (std::int32_t u = part.hi; u > part.lo; --u) {
      if (hinge_[u]) {
        const Gains gains = looking_right(u, part.hi, part.cut_right);
        if (compare(gains, best) >= 0) best = gains;
      }
      best_right_[u] = best.source;
    }
    best = looking_left(part.lo, part.lo, part.cut_left);
    for (std::int32_t u = part.lo; u < part.hi; ++u) {
      if (hinge_[u]) {
        const Gains gains = looking_left(u, part.lo, part.cut_left);
        if (compare(gains, best) >= 0) best = gains;
      }
      best_left_[u] = best.source;
    }
  }

  Vector own_;  // sinks that a source alone still holds back
  std::int32_t sources_;
  std::vector<std::uint8_t> hinge_, left_, right_;
  Text text_;
  Vector best_right_, best_left_;
  std::vector<Part> heap_;
};

}  // namespace

std::vector<std::int32_t> greedy_order(const Strands& strands) { return Greedy(strands).run(); }

}  // namespace icsched
