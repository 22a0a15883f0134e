#include "icsched/shortcuts.hpp"

#include <algorithm>
#include <array>

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// Longest path, in arcs, along `rows` before each task; `order` is legal for the rows.
template <class Order>
Vector depths(Rows rows, const Order& order) {
  Vector depth(rows.size(), 0);
  for (std::int32_t task : order) {
    for (std::int32_t next : rows[task]) depth[next] = std::max(depth[next], depth[task] + 1);
  }
  return depth;
}

// A spanning forest in which every task hangs below its deepest parent, numbered so that
// the tasks below a task are exactly those numbered [first, last) of it. What hangs below
// a task is reached by it: most searches end at the first task above their target.
struct Forest {
  Vector first, last;

  Forest(Rows parents, Ids order, const Vector& level)
      : first(parents.size()), last(parents.size()) {
    Vector above(parents.size(), -1);
    Vector size(parents.size(), 1);
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::int32_t task = order[i];
      for (std::int32_t parent : parents[task]) {
        if (above[task] < 0 || level[parent] > level[above[task]]) above[task] = parent;
      }
      if (above[task] >= 0) size[above[task]] += size[task];
    }
    Vector next(parents.size());
    std::int32_t roots = 0;
    for (std::int32_t task : order) {
      std::int32_t& place = above[task] < 0 ? roots : next[above[task]];
      first[task] = place;
      last[task] = place += size[task];
      next[task] = first[task] + 1;
    }
  }
};

class Search {
 public:
  Search(Rows children, Rows parents, Ids order)
      : children_(children),
        level_(depths(children, order)),
        height_(depths(parents, Vector(order.rbegin(), order.rend()))),
        forest_(parents, order, level_),
        seen_(children.size(), -1) {}

  // Arcs looked at so far.
  std::int64_t work() const { return work_; }

  bool has_far_child(std::int32_t task) const {
    const Ids row = children_[task];
    return std::any_of(row.begin(), row.end(),
                       [&](std::int32_t child) { return level_[child] > level_[task] + 1; });
  }

  // Marks the shortcuts among the arcs of `task` in `marks`, its row of the result.
  void run(std::int32_t task, std::uint8_t* marks) {
    open_.clear();
    const Ids row = children_[task];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (level_[row[i]] > level_[task] + 1) open_.push_back({forest_.first[row[i]], row[i], marks + i});
    }
    if (open_.empty()) return;
    std::sort(open_.begin(), open_.end(), [](auto& a, auto& b) { return a.place < b.place; });
    farthest_ = 0;
    for (const Target& target : open_) farthest_ = std::max(farthest_, level_[target.task]);
    lowest_ = height_[open_.front().task];
    for (const Target& target : open_) lowest_ = std::min(lowest_, height_[target.task]);
    stack_.clear();
    for (std::int32_t child : row) enter(child, task, /*by_arc=*/true);
    while (!stack_.empty() && !open_.empty()) {
      const std::int32_t current = stack_.back();
      stack_.pop_back();
      work_ += static_cast<std::int64_t>(children_[current].size());
      for (std::int32_t child : children_[current]) {
        enter(child, task, /*by_arc=*/false);
        if (open_.empty()) break;
      }
    }
  }

 private:
  struct Target {
    std::int32_t place, task;
    std::uint8_t* mark;
  };

  // Visits a task reached from `root`. Reached by an arc of the root itself, it is no
  // witness against that very arc.
  void enter(std::int32_t task, std::int32_t root, bool by_arc) {
    const bool again = seen_[task] == root;
    seen_[task] = root;
    settle(task, by_arc ? task : -1);
    if (again) return;
    if (level_[task] < farthest_ && height_[task] > lowest_) stack_.push_back(task);
  }

  // Marks the open targets that hang below `task`, but not `spared`.
  void settle(std::int32_t task, std::int32_t spared) {
    auto target = std::lower_bound(open_.begin(), open_.end(), forest_.first[task],
                                   [](const Target& t, std::int32_t place) { return t.place < place; });
    auto kept = target;
    for (; target != open_.end() && target->place < forest_.last[task]; ++target) {
      if (target->task == spared) {
        *kept++ = *target;
      } else {
        *target->mark = 1;
      }
    }
    open_.erase(kept, target);
  }

  Rows children_;
  Vector level_, height_;
  Forest forest_;
  Vector seen_;                // root of the latest search that came by
  Vector stack_;
  std::vector<Target> open_;   // far children not yet known to be shortcuts, by forest place
  std::int32_t farthest_ = 0;  // greatest level of a target: nothing beyond leads to one
  std::int32_t lowest_ = 0;    // least height of a target
  std::int64_t work_ = 0;
};

// Marks the shortcuts of many tasks at once, by one pass over all arcs for each 512 of
// them: an arc u -> v is one if u reaches a parent of v. Slow but steady, for dags on which
// searches find no end.
void sweep(Rows children, Rows parents, Ids order, std::span<const std::int32_t> tasks,
           std::vector<std::uint8_t>& marks) {
  constexpr std::size_t words = 8;
  using Bits = std::array<std::uint64_t, words>;
  const auto bit = [](std::size_t i) { return std::uint64_t{1} << (i % 64); };
  for (std::size_t begin = 0; begin < tasks.size(); begin += 64 * words) {
    const auto batch = tasks.subspan(begin, std::min(64 * words, tasks.size() - begin));
    std::vector<Bits> reached(children.size(), Bits{});   // by which of the batch
    std::vector<std::int32_t> place(children.size(), -1);  // in the batch
    for (std::size_t i = 0; i < batch.size(); ++i) place[batch[i]] = static_cast<std::int32_t>(i);
    for (std::int32_t task : order) {
      Bits above{};
      for (std::int32_t parent : parents[task]) {
        for (std::size_t w = 0; w < words; ++w) above[w] |= reached[parent][w];
      }
      for (std::int32_t parent : parents[task]) {
        const std::int32_t i = place[parent];
        if (i < 0) continue;
        if (above[i / 64] & bit(i)) {
          const Ids row = children[parent];
          marks[children.offsets[parent] + (std::lower_bound(row.begin(), row.end(), task) - row.begin())] = 1;
        }
      }
      reached[task] = above;
      for (std::int32_t parent : parents[task]) {
        if (const std::int32_t i = place[parent]; i >= 0) reached[task][i / 64] |= bit(i);
      }
    }
  }
}

}  // namespace

std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order, std::int64_t patience) {
  std::vector<std::uint8_t> marks(children.targets.size(), 0);
  Search search(children, parents, order);
  std::vector<std::int32_t> left;
  for (std::int32_t task = 0; task < children.size(); ++task) {
    if (search.work() <= patience) {
      search.run(task, marks.data() + children.offsets[task]);
    } else if (search.has_far_child(task)) {
      left.push_back(task);
    }
  }
  sweep(children, parents, order, left, marks);
  return marks;
}

}  // namespace icsched
