#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "icsched/batch.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/max_plus.hpp"
#include "icsched/tree_knapsack.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

constexpr std::int64_t steps_per_unit = 32;  // of work: additions to an array
constexpr double steps_per_source = 600;  // what allocating and walking cost, as measured

// A piece of few sources, solved by looking at every set of them.
class Enumerated {
 public:
  Enumerated(const Front& front, Rows sinks_of, Vector sources) : sources_(std::move(sources)) {
    const auto size = static_cast<std::int32_t>(sources_.size());
    enabled_.assign(std::size_t{1} << size, 0);
    for (std::int32_t i = 0; i < size; ++i) {
      enabled_[std::size_t{1} << i] += front.yields[sources_[i]];
      for (const std::int32_t sink : sinks_of[sources_[i]]) {
        if (front.sinks[sink][0] == sources_[i]) enabled_[mask(front.sinks[sink])] += front.weights[sink];
      }
    }
    add_subsets();
    keep_best();
  }

  const Yield& profile() const { return profile_; }

  void choose(std::int32_t count, Vector& chosen) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (best_[count] >> i & 1) chosen.push_back(sources_[i]);
    }
  }

 private:
  std::uint32_t mask(Ids row) const {
    std::uint32_t result = 0;
    for (const std::int32_t source : row) {
      const auto at = std::lower_bound(sources_.begin(), sources_.end(), source);
      result |= std::uint32_t{1} << (at - sources_.begin());
    }
    return result;
  }

  // Turns the sinks of exactly each set into the sinks of the set and its subsets.
  void add_subsets() {
    for (std::size_t bit = 1; bit < enabled_.size(); bit *= 2) {
      check_interrupt(1 + std::ssize(enabled_) / steps_per_unit);
      for (std::size_t set = 0; set < enabled_.size(); ++set) {
        if (set & bit) enabled_[set] += enabled_[set ^ bit];
      }
    }
  }

  void keep_best() {
    profile_.values.assign(sources_.size() + 1, -1);
    best_.assign(sources_.size() + 1, 0);
    WorkCounter work;
    for (std::uint32_t set = 0; set < enabled_.size(); ++set) {
      const int count = std::popcount(set);
      work.add();
      if (enabled_[set] <= profile_.values[count]) continue;
      profile_.values[count] = enabled_[set];
      best_[count] = set;
    }
    enabled_ = {};
  }

  Vector sources_, enabled_;
  Yield profile_;
  std::vector<std::uint32_t> best_;  // a best set of each size
};

struct Piece {
  Vector sources;  // ascending
  bool is_tree;
};

// Pieces of two sources or more, by smallest source.
std::vector<Piece> pieces_of(const Front& front, Rows sinks_of) {
  std::vector<Piece> pieces;
  std::vector<std::uint8_t> seen(front.sources()), seen_sink(front.sinks.size());
  for (std::int32_t start = 0; start < front.sources(); ++start) {
    if (seen[start] || sinks_of[start].empty()) continue;
    Vector found{start};
    std::size_t sinks = 0, arcs = 0;
    seen[start] = 1;
    for (std::size_t i = 0; i < found.size(); ++i) {
      check_interrupt(1 + std::ssize(sinks_of[found[i]]));
      for (const std::int32_t sink : sinks_of[found[i]]) {
        if (std::exchange(seen_sink[sink], 1)) continue;
        ++sinks;
        arcs += front.sinks[sink].size();
        for (const std::int32_t next : front.sinks[sink]) {
          if (!std::exchange(seen[next], 1)) found.push_back(next);
        }
      }
    }
    const bool is_tree = arcs + 1 == found.size() + sinks;
    std::sort(found.begin(), found.end());
    pieces.push_back({std::move(found), is_tree});
  }
  return pieces;
}

class Exact {
 public:
  Exact(const Front& front, std::int32_t count)
      : front_(front),
        count_(count),
        sinks_of_(front),
        pieces_(pieces_of(front, sinks_of_.rows())),
        knapsack_(front, sinks_of_.rows(), count),
        max_plus_(count) {}

  // A piece that is neither a tree nor of so few sources, if there is one.
  const Piece* unsolvable(std::int32_t most_enumerated) const {
    for (const Piece& piece : pieces_) {
      const auto size = static_cast<std::int32_t>(piece.sources.size());
      if (!piece.is_tree && size > most_enumerated) return &piece;
    }
    return nullptr;
  }

  // About how many steps the work takes.
  double work() const {
    double all = 0, steps = 0;
    for (const Piece& piece : pieces_) {
      const auto size = static_cast<double>(piece.sources.size());
      all += size;
      steps += piece.is_tree ? size * std::min<double>(size, count_)
                             : size * static_cast<double>(std::size_t{1} << piece.sources.size());
    }
    return steps + all * (std::min<double>(all, count_) + steps_per_source);
  }

  bool trees_only() const {
    return std::ranges::all_of(pieces_, [](const Piece& piece) { return piece.is_tree; });
  }

  Choice choose() {
    const Vector alone = best_alone();
    std::vector<Yield> yields{prefix_sums(alone)};
    for (const Piece& piece : pieces_) yields.push_back(profile(piece));
    const Vector counts = max_plus_.split(yields, count_);
    Choice choice;
    choice.sources.assign(alone.begin(), alone.begin() + counts[0]);
    for (std::size_t i = 0; i < yields.size(); ++i) choice.enabled += yields[i][counts[i]];
    std::size_t enumerated = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!pieces_[i].is_tree) {
        enumerated_[enumerated++].choose(counts[i + 1], choice.sources);
      } else if (counts[i + 1] > 0) {
        knapsack_.choose({pieces_[i].sources[0], counts[i + 1]}, choice.sources);
      }
    }
    return choice;
  }

 private:
  // Sources that share no sink, those with most yields first; no more than can be taken.
  Vector best_alone() const {
    Vector alone;
    for (std::int32_t source = 0; source < front_.sources(); ++source) {
      if (sinks_of_.rows()[source].empty()) alone.push_back(source);
    }
    const auto less = [&](std::int32_t a, std::int32_t b) {
      return front_.yields[a] != front_.yields[b] ? front_.yields[a] > front_.yields[b] : a < b;
    };
    const auto end = alone.begin() + std::min<std::ptrdiff_t>(count_, std::ssize(alone));
    std::partial_sort(alone.begin(), end, alone.end(), less);
    alone.erase(end, alone.end());
    return alone;
  }

  Yield prefix_sums(const Vector& sources) const {
    Yield result{0, {0}};
    for (const std::int32_t source : sources) {
      result.values.push_back(result.values.back() + front_.yields[source]);
    }
    return result;
  }

  Yield profile(const Piece& piece) {
    if (piece.is_tree) return knapsack_.profile(piece.sources[0]);
    return enumerated_.emplace_back(front_, sinks_of_.rows(), piece.sources).profile();
  }

  const Front& front_;
  std::int32_t count_;
  SinksOf sinks_of_;
  std::vector<Piece> pieces_;
  std::vector<Enumerated> enumerated_;  // of the pieces that are no trees
  TreeKnapsack knapsack_;
  MaxPlus max_plus_;
};

}  // namespace

ExactChoice exact_batch(const Front& front, std::int32_t count, std::int32_t most_enumerated,
                        std::int64_t most_work) {
  Exact exact(front, count);
  if (const Piece* piece = exact.unsolvable(most_enumerated)) {
    return {Solving::not_a_tree, {}, piece->sources[0]};
  }
  if (exact.work() > static_cast<double>(most_work)) return {Solving::too_much_work, {}};
  return {Solving::solved, exact.choose(), -1, exact.trees_only()};
}

}  // namespace icsched
