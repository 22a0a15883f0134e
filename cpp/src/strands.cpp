#include "icsched/strands.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "icsched/interrupt.hpp"

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
    WorkCounter work;
    for (std::int32_t i = 0; i < count; ++i) {
      work.add();
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

// For stretches of 1, 2, 4, ... places of a text: the places among `eligible` ones where the
// largest suffix can start, whatever follows the stretch. Of two of them the shorter is a prefix
// of the longer, so that they lie in O(log) rows of equal distances. Of P, PP, PPP the middle one
// is left out, because either the first or the last is at least as large. Inside a strand a place
// is eligible exactly if its count is positive. So a row, which has a period of the text, has no
// gaps, every doubling of the stretch thins it, and O(log) places are left.
class Contenders {
 public:
  Contenders(const Text& text, const std::vector<std::uint8_t>& eligible, std::int32_t longest) : text_(text) {
    Stretches singles;
    for (std::size_t place = 0; place < eligible.size(); ++place) {
      if (eligible[place]) singles.places.push_back(static_cast<std::int32_t>(place));
      singles.ends.push_back(singles.places.size());
    }
    levels_.push_back(std::move(singles));
    while (std::int64_t{2} << (levels_.size() - 1) <= longest) levels_.push_back(twice(levels_.back()));
  }

  // Calls visit(place) for those of the places from .. to - 1 that can be best among them.
  template <class Visit>
  void each(std::int32_t from, std::int32_t to, Visit visit) const {
    while (from < to) {
      std::size_t level = 0;
      while (level + 1 < levels_.size() && from % (2 << level) == 0 && from + (2 << level) <= to) ++level;
      for (std::int32_t place : levels_[level][from >> level]) visit(place);
      from += 1 << level;
    }
  }

 private:
  struct Stretches {
    std::vector<std::size_t> ends{0};
    Vector places;  // of each stretch, from its last to its first

    Ids operator[](std::size_t i) const { return Ids(places).subspan(ends[i], ends[i + 1] - ends[i]); }
  };

  Stretches twice(const Stretches& halves) const {
    Stretches result;
    Vector row;
    const std::size_t count = (halves.ends.size() - 1) / 2;
    const auto length = static_cast<std::int32_t>(std::int64_t{1} << levels_.size());
    for (std::size_t i = 0; i < count; ++i) {
      check_interrupt(2);
      const Ids right = halves[2 * i + 1];
      row.assign(right.begin(), right.end());
      for (std::int32_t place : halves[2 * i]) push(row, place, static_cast<std::int32_t>(i + 1) * length);
      result.places.insert(result.places.end(), row.begin(), row.end());
      result.ends.push_back(result.places.size());
    }
    return result;
  }

  // Adds a place before all in `row`, the contenders of a stretch that ends before `end`.
  void push(Vector& row, std::int32_t place, std::int32_t end) const {
    while (!row.empty()) {
      const std::int32_t other = row.back();
      const std::int32_t shared = text_.common(place, other, end - other);
      if (shared == end - other) {
        const std::size_t rank = row.size();
        if (rank > 1 && other - place == row[rank - 2] - other) row.pop_back();
        break;
      }
      if (text_[place + shared] < text_[other + shared]) return;
      row.pop_back();
    }
    row.push_back(place);
  }

  const Text& text_;
  std::vector<Stretches> levels_;  // by the logarithm of the length
};

// What is left of a strand: the sources lo .. hi. It compares vectors that look to the
// right while its right end is that of the stretch for which this was decided; likewise to
// the left. A survey's vectors hold under the same condition.
struct Part {
  std::int32_t lo, hi;
  bool cut_left = false, cut_right = false;  // the neighbour beyond the end has been executed
  bool looks_right = false, looks_left = false;
  bool surveyed_right = false, surveyed_left = false;
  std::int32_t surveyed = 0;  // sources in the latest survey that it was part of
  Gains best{};
};

class Greedy {
  static constexpr std::int32_t small = 32;  // sources; surveying them is quicker than asking

 public:
  explicit Greedy(const Strands& strands)
      : own_(strands.own),
        sources_(static_cast<std::int32_t>(strands.own.size())),
        hinge_(sources_),
        longest_(longest(strands)),
        text_(counts(strands), longest_),
        best_right_(sources_),
        best_left_(sources_) {
    for (std::int32_t u = 0; u < sources_; ++u) hinge_[u] = strands.left[u] && strands.right[u];
    left_ = strands.left;
    right_ = strands.right;
    for (std::size_t i = 0; i + 1 < strands.offsets.size(); ++i) {
      add({strands.offsets[i], strands.offsets[i + 1] - 1});
    }
  }

  Vector run() {
    Vector order;
    order.reserve(sources_);
    while (!heap_.empty()) {
      check_interrupt(10);
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      const Part part = heap_.back();
      heap_.pop_back();
      const std::int32_t source = part.best.source;
      order.push_back(source);
      // A neighbour with which it shared a sink of no further parent now owns that sink.
      if (source > part.lo) {
        if (source - 1 == part.lo || left_[source - 1]) own_[source - 1] += 1;
        add({part.lo, source - 1, part.cut_left, true, false, part.looks_left, false, part.surveyed_left,
             part.surveyed});
      }
      if (source < part.hi) {
        if (source + 1 == part.hi || right_[source + 1]) own_[source + 1] += 1;
        add({source + 1, part.hi, true, part.cut_right, part.looks_right, false, part.surveyed_right, false,
             part.surveyed});
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
    if (!part.looks_right && !part.looks_left) {
      part.looks_right = part.looks_left = true;
      if (is_worth_a_survey(part)) survey(part);
    }
    part.best = part.looks_right ? best_to_the_right(part) : best_to_the_left(part);
    heap_.push_back(part);
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }

  // Surveys of stretches that at least halve take O(s log s) in all; where a strand loses
  // a little at either end in turn, contenders are asked instead.
  static bool is_worth_a_survey(const Part& part) {
    const std::int32_t size = part.hi - part.lo + 1;
    return part.surveyed == 0 || size <= small || size <= part.surveyed / 2;
  }

  // Of equals, the leftmost.
  Gains best_to_the_right(const Part& part) {
    Gains best = looking_right(part.lo, part.hi, part.cut_right);
    if (part.lo == part.hi) return best;
    const auto offer = [&](std::int32_t u) {
      const Gains gains = looking_right(u, part.hi, part.cut_right);
      const std::int32_t difference = compare(gains, best);
      if (difference > 0 || (difference == 0 && u < best.source)) best = gains;
    };
    if (part.surveyed_right) {
      offer(best_right_[part.lo + 1]);
    } else {
      offer(part.hi);
      contenders().each(part.lo + 1, part.hi, offer);
    }
    return best;
  }

  // Of equals, the rightmost.
  Gains best_to_the_left(const Part& part) {
    Gains best = looking_left(part.hi, part.lo, part.cut_left);
    if (part.lo == part.hi) return best;
    const auto offer = [&](std::int32_t u) {
      const Gains gains = looking_left(u, part.lo, part.cut_left);
      const std::int32_t difference = compare(gains, best);
      if (difference > 0 || (difference == 0 && u > best.source)) best = gains;
    };
    if (part.surveyed_left) {
      offer(best_left_[part.hi - 1]);
    } else {
      offer(part.lo);
      const std::int32_t end = 2 * sources_ - 1;  // the text has the place of source u at end - u
      contenders().each(end - part.hi + 1, end - part.lo, [&](std::int32_t place) { offer(end - place); });
    }
    return best;
  }

  const Contenders& contenders() {
    if (!contenders_) {
      std::vector<std::uint8_t> both = hinge_;
      both.insert(both.end(), hinge_.rbegin(), hinge_.rend());
      contenders_.emplace(text_, both, longest_);
    }
    return *contenders_;
  }

  // Finds the best source from each place on to the right end, and up to it from the left
  // end. Only sources that join two shared sinks, and ends, can be best: one inside a
  // sink's interval enables nothing more than the end does, and later.
  void survey(Part& part) {
    part.surveyed_right = part.surveyed_left = true;
    part.surveyed = part.hi - part.lo + 1;
    WorkCounter work;
    Gains best = looking_right(part.hi, part.hi, part.cut_right);
    for (std::int32_t u = part.hi; u > part.lo; --u) {
      work.add(2);
      if (hinge_[u]) {
        const Gains gains = looking_right(u, part.hi, part.cut_right);
        if (compare(gains, best) >= 0) best = gains;
      }
      best_right_[u] = best.source;
    }
    best = looking_left(part.lo, part.lo, part.cut_left);
    for (std::int32_t u = part.lo; u < part.hi; ++u) {
      work.add(2);
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
  std::int32_t longest_;
  Text text_;
  std::optional<Contenders> contenders_;  // made when first asked
  Vector best_right_, best_left_;
  std::vector<Part> heap_;
};

}  // namespace

std::vector<std::int32_t> greedy_order(const Strands& strands) { return Greedy(strands).run(); }

}  // namespace icsched
