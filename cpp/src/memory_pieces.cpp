#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <map>

#include "icsched/interrupt.hpp"
#include "icsched/memory.hpp"

namespace icsched {
namespace {

// Lists of ints end to end.
struct Lists {
  std::vector<std::int32_t> offsets{0}, targets;

  std::int32_t size() const { return static_cast<std::int32_t>(offsets.size()) - 1; }
  Ids operator[](std::int32_t i) const {
    return Ids(targets).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void end_list() { offsets.push_back(static_cast<std::int32_t>(targets.size())); }
};

// An order cut into its pieces, numbered from the first on.
struct Pieces {
  Lists tasks;
  std::vector<std::int32_t> of;    // by task
  std::vector<std::int32_t> kind;  // by piece: equal if the steps enable the same counts

  Pieces(Rows parents, Ids order) : of(order.size()) {
    std::vector<std::int32_t> place(order.size()), gain(order.size(), 0), glue(order.size() + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int32_t>(i);
    for (std::int32_t task = 0; task < parents.size(); ++task) {
      if (parents[task].empty()) continue;
      const auto by_place = [&](std::int32_t a, std::int32_t b) { return place[a] < place[b]; };
      const auto [first, last] =
          std::minmax_element(parents[task].begin(), parents[task].end(), by_place);
      ++gain[place[*last]];
      ++glue[place[*first] + 1];
      --glue[place[*last] + 1];
    }
    cut(order, gain, glue);
  }

 private:
  // glue counts, by differences, the tasks with parents both before and from each place on.
  void cut(Ids order, const std::vector<std::int32_t>& gain,
           const std::vector<std::int32_t>& glue) {
    std::map<std::vector<std::int32_t>, std::int32_t> kinds;
    std::vector<std::int32_t> gains;
    std::int32_t glued = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      of[order[i]] = tasks.size();
      tasks.targets.push_back(order[i]);
      gains.push_back(gain[i]);
      glued += glue[i + 1];
      if (glued > 0) continue;
      check_interrupt(1 + std::ssize(gains));
      kind.push_back(kinds.try_emplace(gains, static_cast<std::int32_t>(kinds.size())).first->second);
      tasks.end_list();
      gains.clear();
    }
  }
};

class Exchange {
 public:
  Exchange(Rows children, Rows parents, Ids order, Ids ranks, Sizes sizes)
      : pieces_(parents, order), sizes_(sizes), left_(order.size(), 0), last_(order.size(), 0),
        missing_(pieces_.kind.size(), 0), growth_(pieces_.kind.size(), 0),
        least_rank_(pieces_.kind.size(), std::numeric_limits<std::int32_t>::max()),
        executed_(pieces_.kind.size(), false), ready_(pieces_.kind.size()) {
    link(children, parents);
    for (std::int32_t task = 0; task < children.size(); ++task) {
      if (left_[task] > 0) growth_[pieces_.of[task]] += sizes[task];
      if (left_[task] == 1) growth_[last_[task]] -= sizes[task];
      std::int32_t& least = least_rank_[pieces_.of[task]];
      least = std::min(least, ranks[task]);
    }
    for (std::int32_t piece = 0; piece < pieces_.tasks.size(); ++piece) offer(piece);
  }

  std::vector<std::int32_t> run() {
    std::int32_t ahead = 0, agreed = 0;  // pieces run early; where both orders last agreed
    for (std::int32_t turn = 0; turn < pieces_.tasks.size(); ++turn) {
      const std::int32_t piece = best_of(pieces_.kind[turn]);
      if (piece < 0) {
        take_back(agreed);
        for (std::int32_t given = agreed; given <= turn; ++given) execute(given);
        ahead = 0;
      } else {
        ahead += (piece > turn) - executed_[turn];
        execute(piece);
      }
      if (ahead == 0) agreed = turn + 1;
    }
    std::vector<std::int32_t> order;
    for (std::int32_t piece : sequence_) {
      order.insert(order.end(), pieces_.tasks[piece].begin(), pieces_.tasks[piece].end());
    }
    return order;
  }

 private:
  // Finds, for each piece, the tasks outside that it has children of, and the other way.
  void link(Rows children, Rows parents) {
    for (std::int32_t piece = 0; piece < pieces_.tasks.size(); ++piece) {
      const auto begin = static_cast<std::ptrdiff_t>(above_.targets.size());
      for (std::int32_t task : pieces_.tasks[piece]) {
        for (std::int32_t parent : parents[task]) {
          if (pieces_.of[parent] != piece) above_.targets.push_back(parent);
        }
      }
      auto& all = above_.targets;
      check_interrupt(1 + std::ssize(all) - begin);
      std::sort(all.begin() + begin, all.end());
      all.erase(std::unique(all.begin() + begin, all.end()), all.end());
      above_.end_list();
      missing_[piece] = static_cast<std::int32_t>(above_[piece].size());
    }
    for (std::int32_t task = 0; task < children.size(); ++task) {
      const auto begin = static_cast<std::ptrdiff_t>(below_.targets.size());
      for (std::int32_t child : children[task]) {
        if (pieces_.of[child] != pieces_.of[task]) below_.targets.push_back(pieces_.of[child]);
      }
      auto& all = below_.targets;
      check_interrupt(1 + std::ssize(all) - begin);
      std::sort(all.begin() + begin, all.end());
      all.erase(std::unique(all.begin() + begin, all.end()), all.end());
      below_.end_list();
      left_[task] = static_cast<std::int32_t>(below_[task].size());
      for (std::int32_t piece : below_[task]) last_[task] ^= piece;
    }
  }

  void offer(std::int32_t piece) {
    if (executed_[piece] || missing_[piece] > 0) return;
    check_interrupt();
    auto& heap = ready_[pieces_.kind[piece]];
    heap.push_back({growth_[piece], least_rank_[piece], piece});
    std::push_heap(heap.begin(), heap.end(), std::greater());
  }

  // The ready piece of a kind that adds least memory, taken off its heap, or -1.
  std::int32_t best_of(std::int32_t kind) {
    auto& heap = ready_[kind];
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), std::greater());
      const auto [growth, rank, piece] = heap.back();
      heap.pop_back();
      // What changed since it was offered has been offered again.
      if (!executed_[piece] && missing_[piece] == 0 && growth == growth_[piece]) return piece;
    }
    return -1;
  }

  void execute(std::int32_t piece) {
    sequence_.push_back(piece);
    executed_[piece] = true;
    check_interrupt(steps(piece));
    for (std::int32_t parent : above_[piece]) {
      last_[parent] ^= piece;
      if (--left_[parent] != 1) continue;
      growth_[last_[parent]] -= sizes_[parent];
      offer(last_[parent]);
    }
    for (std::int32_t task : pieces_.tasks[piece]) {
      for (std::int32_t after : below_[task]) {
        if (--missing_[after] == 0) offer(after);
      }
    }
  }

  std::int64_t steps(std::int32_t piece) const {
    return 1 + std::ssize(above_[piece]) + std::ssize(pieces_.tasks[piece]);
  }

  // Undoes the execution of all pieces but the first `kept`.
  void take_back(std::int32_t kept) {
    while (sequence_.size() > static_cast<std::size_t>(kept)) {
      const std::int32_t piece = sequence_.back();
      sequence_.pop_back();
      executed_[piece] = false;
      check_interrupt(steps(piece));
      for (std::int32_t task : pieces_.tasks[piece]) {
        for (std::int32_t after : below_[task]) ++missing_[after];
      }
      for (std::int32_t parent : above_[piece]) {
        if (left_[parent] == 1) {
          growth_[last_[parent]] += sizes_[parent];
          offer(last_[parent]);
        }
        ++left_[parent];
        last_[parent] ^= piece;
      }
      offer(piece);
    }
  }

  struct Offer {
    std::int64_t growth;
    std::int32_t rank, piece;

    auto operator<=>(const Offer&) const = default;
  };

  Pieces pieces_;
  Sizes sizes_;
  Lists above_;                         // by piece: parents outside, ascending
  Lists below_;                         // by task: other pieces with a child, ascending
  std::vector<std::int32_t> left_;      // by task: those of below_ that have not run
  std::vector<std::int32_t> last_;      // their numbers, xor-ed: the number once one is left
  std::vector<std::int32_t> missing_;   // by piece: those of above_ that have not run
  std::vector<std::int64_t> growth_;    // by piece: memory taken less memory freed if run now
  std::vector<std::int32_t> least_rank_;  // by piece: of its tasks
  std::vector<bool> executed_;
  std::vector<std::vector<Offer>> ready_;  // heaps by kind
  std::vector<std::int32_t> sequence_;
};

}  // namespace

std::vector<std::int32_t> exchange_pieces(Rows children, Rows parents, Ids order, Ids ranks,
                                          Sizes sizes) {
  return Exchange(children, parents, order, ranks, sizes).run();
}

}  // namespace icsched
