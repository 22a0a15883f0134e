#include "icsched/referee.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <unordered_set>
#include <utility>

#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

// A set of nonsinks, by their position in the topological order.
template <std::size_t Words>
struct Set {
  std::array<std::uint64_t, Words> word{};

  void insert(std::int32_t i) { word[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::int32_t i) { word[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool contains(const Set& other) const {
    for (std::size_t w = 0; w < Words; ++w) {
      if (other.word[w] & ~word[w]) return false;
    }
    return true;
  }
  bool operator==(const Set&) const = default;

  // The least member >= from, or -1.
  std::int32_t next(std::int32_t from) const {
    for (std::size_t w = from / 64; w < Words; ++w) {
      std::uint64_t bits = word[w];
      if (w == static_cast<std::size_t>(from) / 64) bits &= ~std::uint64_t{0} << (from % 64);
      if (bits != 0) return static_cast<std::int32_t>(w * 64) + std::countr_zero(bits);
    }
    return -1;
  }

  // Calls visit(i) for every member i >= from, ascending.
  template <class Visit>
  void each(std::int32_t from, Visit visit) const {
    for (std::int32_t i = next(from); i >= 0; i = next(i + 1)) visit(i);
  }

  std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (std::uint64_t bits : word) {
      h = (h ^ bits) * 0x9e3779b97f4a7c15u;
      h ^= h >> 32;
    }
    return h;
  }
};

// Counts visited ideals, and says when to stop.
class Budget {
 public:
  explicit Budget(std::int64_t limit) : left_(limit) {}

  // Whether another `ideals` may be visited.
  bool spend(std::int64_t ideals = 1) {
    left_ -= ideals;
    visited_ += ideals;
    if (left_ < 0) end_ = Walk::over_limit;
    return end_ == Walk::complete;
  }
  // Told of steps made, whether or not they led to another ideal.
  void work(std::int64_t steps) { work_.add(steps); }
  // Whether memory for `bytes` in all is still within bounds.
  bool afford(std::int64_t bytes) {
    if (bytes > most_bytes) end_ = Walk::over_memory;
    return end_ == Walk::complete;
  }
  Walk end() const { return end_; }
  std::int64_t visited() const { return visited_; }

 private:
  std::int64_t left_, visited_ = 0;
  WorkCounter work_;
  Walk end_ = Walk::complete;
};

// The game on the nonsinks of a dag.
template <std::size_t Words>
class Board {
 public:
  struct Ideal {
    Set<Words> executed;
    Set<Words> available;  // nonsinks that may run next
    std::int32_t enabled = 0;
  };

  Board(Rows children, Rows parents, Ids order) {
    std::vector<std::int32_t> position(children.size(), -1);
    for (std::int32_t task : order) {
      if (children[task].empty()) continue;
      position[task] = nonsinks();
      task_.push_back(task);
    }
    moves_.resize(task_.size());
    add_payoffs(children, parents, position);
    add_openings(children, parents, position);
  }

  std::int32_t nonsinks() const { return static_cast<std::int32_t>(task_.size()); }
  const Ideal& start() const { return start_; }
  // The steps of after() for this nonsink.
  std::int64_t cost(std::int32_t position) const {
    const Move& move = moves_[position];
    return static_cast<std::int64_t>(1 + move.payoffs.size() + move.openings.size());
  }

  std::vector<std::int32_t> tasks(const std::vector<std::int32_t>& positions) const {
    std::vector<std::int32_t> tasks;
    for (std::int32_t position : positions) tasks.push_back(task_[position]);
    return tasks;
  }

  Ideal after(const Ideal& before, std::int32_t position) const {
    Ideal ideal = before;
    ideal.executed.insert(position);
    ideal.available.erase(position);
    for (const Payoff& payoff : moves_[position].payoffs) {
      if (ideal.executed.contains(payoff.parents)) ideal.enabled += payoff.count;
    }
    for (const Opening& opening : moves_[position].openings) {
      if (ideal.executed.contains(opening.parents)) ideal.available.insert(opening.nonsink);
    }
    return ideal;
  }

 private:
  struct Payoff {  // `count` nonsources with exactly these parents
    Set<Words> parents;
    std::int32_t count;
  };
  struct Opening {  // a nonsink that may run once these have run
    Set<Words> parents;
    std::int32_t nonsink;
  };
  struct Move {
    std::vector<Payoff> payoffs;
    std::vector<Opening> openings;
  };

  static std::vector<std::int32_t> copy(Ids ids) { return {ids.begin(), ids.end()}; }

  Set<Words> set_of(Ids tasks, const std::vector<std::int32_t>& position) const {
    Set<Words> set;
    for (std::int32_t task : tasks) set.insert(position[task]);
    return set;
  }

  void add_payoffs(Rows children, Rows parents, const std::vector<std::int32_t>& position) {
    std::map<std::vector<std::int32_t>, std::int32_t> count;
    for (std::int32_t task = 0; task < children.size(); ++task) {
      if (!parents[task].empty()) ++count[copy(parents[task])];
    }
    for (const auto& [tasks, nonsources] : count) {
      const Payoff payoff{set_of(tasks, position), nonsources};
      for (std::int32_t task : tasks) moves_[position[task]].payoffs.push_back(payoff);
    }
  }

  void add_openings(Rows children, Rows parents, const std::vector<std::int32_t>& position) {
    std::map<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>, std::int32_t> latest;
    for (std::int32_t nonsink = 0; nonsink < nonsinks(); ++nonsink) {
      const std::int32_t task = task_[nonsink];
      Opening opening{set_of(parents[task], position), nonsink};
      const auto [twin, first] =
          latest.try_emplace({copy(parents[task]), copy(children[task])}, nonsink);
      if (!first) {
        opening.parents.insert(twin->second);
        moves_[twin->second].openings.push_back(opening);
        twin->second = nonsink;
      }
      for (std::int32_t parent : parents[task]) {
        moves_[position[parent]].openings.push_back(opening);
      }
      if (start_.executed.contains(opening.parents)) start_.available.insert(nonsink);
    }
  }

  std::vector<std::int32_t> task_;
  std::vector<Move> moves_;
  Ideal start_;
};

// Every ideal is reached once: by adding its members in ascending position, which is a
// legal order because positions are topological.
template <std::size_t Words>
BestIdeals walk_ideals(const Board<Words>& board, Budget budget) {
  struct Frame {
    typename Board<Words>::Ideal ideal;
    std::int32_t size;
    std::int32_t next;  // least position that may still be added
  };
  BestIdeals best;
  best.enabled.assign(board.nonsinks() + 1, -1);
  std::vector<Set<Words>> witness(board.nonsinks() + 1);
  std::vector<Frame> stack{{board.start(), 0, 0}};
  while (!stack.empty()) {
    if (!budget.spend()) return {budget.end(), budget.visited(), {}, {}};
    const Frame frame = stack.back();
    stack.pop_back();
    if (frame.ideal.enabled > best.enabled[frame.size]) {
      best.enabled[frame.size] = frame.ideal.enabled;
      witness[frame.size] = frame.ideal.executed;
    }
    frame.ideal.available.each(frame.next, [&](std::int32_t position) {
      budget.work(board.cost(position));
      stack.push_back({board.after(frame.ideal, position), frame.size + 1, position + 1});
    });
  }
  best.visited = budget.visited();
  for (const Set<Words>& set : witness) {
    std::vector<std::int32_t> positions;
    set.each(0, [&](std::int32_t position) { positions.push_back(position); });
    best.sets.push_back(board.tasks(positions));
    std::sort(best.sets.back().begin(), best.sets.back().end());
  }
  return best;
}

template <std::size_t Words>
NonsinkOrder search_optimal(const Board<Words>& board, Budget budget) {
  struct Hash {
    std::size_t operator()(const Set<Words>& set) const { return set.hash(); }
  };
  struct Frame {
    typename Board<Words>::Ideal ideal;
    std::int32_t next;  // least position not tried yet
  };
  const BestIdeals best = walk_ideals(board, budget);
  if (best.walk != Walk::complete) return {best.walk, best.visited, false, {}};
  std::unordered_set<Set<Words>, Hash> visited;
  std::vector<Frame> path{{board.start(), 0}};
  std::vector<std::int32_t> positions;
  while (!path.empty() && positions.size() < static_cast<std::size_t>(board.nonsinks())) {
    Frame& frame = path.back();
    const std::int32_t position = frame.ideal.available.next(frame.next);
    if (position < 0) {
      path.pop_back();
      if (!positions.empty()) positions.pop_back();
      continue;
    }
    frame.next = position + 1;
    budget.work(board.cost(position));
    const auto ideal = board.after(frame.ideal, position);
    if (ideal.enabled < best.enabled[path.size()]) continue;
    if (!visited.insert(ideal.executed).second) continue;
    const auto bytes = static_cast<std::int64_t>(visited.size() * (sizeof(Set<Words>) + 32));
    if (!budget.spend() || !budget.afford(bytes)) return {budget.end(), budget.visited(), false, {}};
    path.push_back({ideal, 0});
    positions.push_back(position);
  }
  const std::int64_t ideals = best.visited + budget.visited();
  if (path.empty()) return {Walk::complete, ideals, false, {}};
  return {Walk::complete, ideals, true, board.tasks(positions)};
}

// One layer of ideals of equal size, found again by their executed set.
template <std::size_t Words>
class Layer {
 public:
  struct Entry {
    typename Board<Words>::Ideal ideal;
    std::int64_t area;
    std::int32_t previous;  // index into the layer before
    std::int32_t position;  // nonsink added last
  };

  std::vector<Entry> entries;

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(entries.capacity() * sizeof(Entry) + slots_.size() * sizeof(std::int32_t));
  }

  // Keeps the larger area; of equals, the one that came first.
  void offer(const Entry& entry) {
    if (entries.size() * 2 >= slots_.size()) grow();
    std::int32_t& slot = find(entry.ideal.executed);
    if (slot < 0) {
      slot = static_cast<std::int32_t>(entries.size());
      entries.push_back(entry);
    } else if (entry.area > entries[slot].area) {
      entries[slot] = entry;
    }
  }

 private:
  std::int32_t& find(const Set<Words>& executed) {
    std::size_t i = executed.hash() & (slots_.size() - 1);
    while (slots_[i] >= 0 && !(entries[slots_[i]].ideal.executed == executed)) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return slots_[i];
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), -1);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      find(entries[i].ideal.executed) = static_cast<std::int32_t>(i);
    }
  }

  std::vector<std::int32_t> slots_;  // a power of two, at most half full; -1 is empty
};

template <std::size_t Words>
NonsinkOrder walk_layers(const Board<Words>& board, Budget budget) {
  struct Step {
    std::int32_t previous, position;
  };
  std::vector<std::vector<Step>> history;
  Layer<Words> layer;
  layer.offer({board.start(), 0, -1, -1});
  if (!budget.spend()) return {budget.end(), budget.visited(), false, {}};
  std::int64_t kept = 0;  // bytes of history
  for (std::int32_t size = 0; size < board.nonsinks(); ++size) {
    Layer<Words> next;
    for (std::size_t i = 0; i < layer.entries.size(); ++i) {
      const auto& entry = layer.entries[i];
      const auto before = static_cast<std::int64_t>(next.entries.size());
      entry.ideal.available.each(0, [&](std::int32_t position) {
        budget.work(board.cost(position));
        auto ideal = board.after(entry.ideal, position);
        next.offer({ideal, entry.area + ideal.enabled, static_cast<std::int32_t>(i), position});
      });
      const auto fresh = static_cast<std::int64_t>(next.entries.size()) - before;
      const std::int64_t bytes = kept + layer.bytes() + 2 * next.bytes();  // it doubles to grow
      if (!budget.spend(fresh) || !budget.afford(bytes)) return {budget.end(), budget.visited(), false, {}};
    }
    auto& steps = history.emplace_back();
    kept += static_cast<std::int64_t>(next.entries.size() * sizeof(Step));
    for (const auto& entry : next.entries) steps.push_back({entry.previous, entry.position});
    layer = std::move(next);
  }
  std::vector<std::int32_t> positions(history.size());
  std::int32_t index = 0;  // all nonsinks executed: the last layer has one ideal
  for (std::size_t t = history.size(); t-- > 0;) {
    positions[t] = history[t][index].position;
    index = history[t][index].previous;
  }
  return {Walk::complete, budget.visited(), true, board.tasks(positions)};
}

// Runs `play` on a board with the fewest words that hold all nonsinks.
template <class Play>
auto with_board(Rows children, Rows parents, Ids order, Play play) {
  std::int32_t nonsinks = 0;
  for (std::int32_t task = 0; task < children.size(); ++task) nonsinks += !children[task].empty();
  if (nonsinks <= 64) return play(Board<1>(children, parents, order));
  if (nonsinks <= 128) return play(Board<2>(children, parents, order));
  if (nonsinks <= 256) return play(Board<4>(children, parents, order));
  return play(Board<most_nonsinks / 64>(children, parents, order));
}

}  // namespace

BestIdeals best_ideals(Rows children, Rows parents, Ids order, std::int64_t limit) {
  return with_board(children, parents, order, [&](const auto& board) {
    return walk_ideals(board, Budget(limit));
  });
}

NonsinkOrder ic_optimal_order(Rows children, Rows parents, Ids order, std::int64_t limit) {
  return with_board(children, parents, order, [&](const auto& board) {
    return search_optimal(board, Budget(limit));
  });
}

NonsinkOrder maximum_area_order(Rows children, Rows parents, Ids order, std::int64_t limit) {
  return with_board(children, parents, order, [&](const auto& board) {
    return walk_layers(board, Budget(limit));
  });
}

std::int64_t looks_a_set(Rows parents, std::int32_t nonsinks) {
  std::unordered_set<std::uint64_t> known;
  std::int64_t looks = 0;
  for (std::int32_t task = 0; task < parents.size(); ++task) {
    check_interrupt(1 + std::ssize(parents[task]) / 8);
    std::uint64_t hash = 0x243f6a8885a308d3u;  // not 0, which parent 0 would leave as it is
    for (std::int32_t parent : parents[task]) {
      hash = (hash ^ static_cast<std::uint64_t>(parent)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    if (known.insert(hash).second) looks += std::ssize(parents[task]);
  }
  return looks / nonsinks;
}

}  // namespace icsched
