#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "icsched/interrupt.hpp"
#include "icsched/memory.hpp"

namespace icsched {
namespace {

// The most that is open while each task's ancestors run, were they a tree.
std::vector<std::int64_t> needs(Rows parents, Ids order, Sizes sizes,
                                std::vector<std::int32_t>& sorted) {
  std::vector<std::int64_t> need(parents.size(), 0);
  sorted.assign(parents.targets.begin(), parents.targets.end());
  WorkCounter work;
  for (std::int32_t task : order) {
    const std::span row(sorted.data() + parents.offsets[task], parents[task].size());
    work.add(1 + std::ssize(row));
    // Stable on ids ascending, so that ties go to the smaller id.
    std::stable_sort(row.begin(), row.end(), [&](std::int32_t a, std::int32_t b) {
      work.add();
      return need[a] - sizes[a] > need[b] - sizes[b];
    });
    std::int64_t kept = 0;
    for (std::int32_t parent : row) {
      need[task] = std::max(need[task], kept + need[parent]);
      kept += sizes[parent];
    }
    need[task] = std::max({need[task], kept, sizes[task]});
  }
  return need;
}

class DepthFirst {
 public:
  DepthFirst(Rows children, Rows parents, Ids order, Sizes sizes)
      : children_(children), parents_(parents), sizes_(sizes), missing_(children.size()),
        left_(children.size()), last_(children.size(), 0), freed_(children.size(), 0),
        executed_(children.size(), false), next_(children.size(), 0) {
    needs(parents, order, sizes, sorted_);
    for (std::int32_t task = 0; task < children.size(); ++task) {
      missing_[task] = static_cast<std::int32_t>(parents[task].size());
      left_[task] = static_cast<std::int32_t>(children[task].size());
      for (std::int32_t child : children[task]) last_[task] ^= child;
      if (left_[task] == 1) freed_[last_[task]] += sizes[task];
    }
  }

  std::vector<std::int32_t> run() {
    for (std::int32_t task = 0; task < children_.size(); ++task) {
      if (children_[task].empty()) finish(task);
    }
    return std::move(order_);
  }

 private:
  void finish(std::int32_t sink) {
    if (!executed_[sink]) path_.push_back(sink);
    while (!path_.empty()) {
      const std::int32_t task = path_.back();
      check_interrupt();
      const auto parents = static_cast<std::int32_t>(parents_[task].size());
      while (next_[task] < parents && executed_[parent(task, next_[task])]) ++next_[task];
      if (executed_[task]) {
        path_.pop_back();
      } else if (next_[task] < parents) {
        path_.push_back(parent(task, next_[task]));
      } else {
        path_.pop_back();
        execute_and_close(task);
      }
    }
  }

  std::int32_t parent(std::int32_t task, std::int32_t i) const {
    return sorted_[parents_.offsets[task] + i];
  }

  void execute_and_close(std::int32_t task) {
    execute(task);
    while (!closing_.empty()) {
      const std::int32_t closer = closing_.back();
      closing_.pop_back();
      if (!executed_[closer]) execute(closer);
    }
  }

  void execute(std::int32_t task) {
    executed_[task] = true;
    order_.push_back(task);
    check_interrupt(1 + std::ssize(parents_[task]) + std::ssize(children_[task]));
    for (std::int32_t parent : parents_[task]) {
      last_[parent] ^= task;
      if (--left_[parent] != 1) continue;
      freed_[last_[parent]] += sizes_[parent];
      consider(last_[parent]);
    }
    for (std::int32_t child : children_[task]) {
      if (--missing_[child] == 0) consider(child);
    }
  }

  void consider(std::int32_t task) {
    const std::int64_t taken = children_[task].empty() ? 0 : sizes_[task];
    if (missing_[task] == 0 && freed_[task] > 0 && freed_[task] >= taken) closing_.push_back(task);
  }

  Rows children_, parents_;
  Sizes sizes_;
  std::vector<std::int32_t> sorted_;   // parents, those to run first first
  std::vector<std::int32_t> missing_;  // parents that have not run
  std::vector<std::int32_t> left_;     // children that have not run
  std::vector<std::int32_t> last_;     // their ids, xor-ed: the id itself once one is left
  std::vector<std::int64_t> freed_;    // sizes of the parents that running the task closes
  std::vector<bool> executed_;
  std::vector<std::int32_t> next_;  // place of the first parent that may not have run
  std::vector<std::int32_t> path_, closing_, order_;
};

// Sums over ranges, their maximum, and the last place that is over a limit.
class Mountain {
 public:
  explicit Mountain(const std::vector<std::int64_t>& heights) {
    while (width_ < heights.size()) width_ *= 2;
    most_.assign(2 * width_, std::numeric_limits<std::int64_t>::min() / 2);
    extra_.assign(2 * width_, 0);
    std::copy(heights.begin(), heights.end(), most_.begin() + width_);
    for (std::size_t i = width_; --i > 0;) most_[i] = std::max(most_[2 * i], most_[2 * i + 1]);
  }

  // Adds to places first .. last.
  void add(std::int64_t first, std::int64_t last, std::int64_t height) {
    if (first <= last && height != 0) add(1, 0, width_ - 1, first, last, height);
  }

  // The last place in first .. last above `limit`, or -1.
  std::int64_t last_above(std::int64_t first, std::int64_t last, std::int64_t limit) const {
    return last_above(1, 0, width_ - 1, first, last, limit);
  }

 private:
  void add(std::size_t i, std::int64_t low, std::int64_t high, std::int64_t first,
           std::int64_t last, std::int64_t height) {
    if (last < low || high < first) return;
    if (first <= low && high <= last) {
      most_[i] += height;
      extra_[i] += height;
      return;
    }
    const std::int64_t middle = (low + high) / 2;
    add(2 * i, low, middle, first, last, height);
    add(2 * i + 1, middle + 1, high, first, last, height);
    most_[i] = std::max(most_[2 * i], most_[2 * i + 1]) + extra_[i];
  }

  std::int64_t last_above(std::size_t i, std::int64_t low, std::int64_t high, std::int64_t first,
                          std::int64_t last, std::int64_t limit) const {
    if (last < low || high < first || most_[i] <= limit) return -1;
    if (low == high) return low;
    const std::int64_t middle = (low + high) / 2, below = limit - extra_[i];
    const std::int64_t right = last_above(2 * i + 1, middle + 1, high, first, last, below);
    return right >= 0 ? right : last_above(2 * i, low, middle, first, last, below);
  }

  std::size_t width_ = 1;
  std::vector<std::int64_t> most_;   // of the places below, with extra_ here but not above
  std::vector<std::int64_t> extra_;  // added to all places below
};

class Pull {
 public:
  Pull(Rows children, Rows parents, Ids base, Ids ranks, Sizes sizes, std::int64_t limit,
       std::int32_t patience)
      : children_(children), parents_(parents), base_(base), ranks_(ranks), sizes_(sizes),
        limit_(limit), patience_(patience), place_(base.size()), task_of_rank_(base.size()),
        latest_(children.targets.size()), next_(children.offsets.begin(), children.offsets.end()),
        missing_(base.size()), waits_(base.size(), 0), executed_(base.size(), false),
        first_waiting_(base.size() + 1, -1), next_waiting_(base.size(), -1),
        memory_(states()) {
    for (std::int32_t task = 0; task < children.size(); ++task) {
      task_of_rank_[ranks[task]] = task;
      missing_[task] = static_cast<std::int32_t>(parents[task].size());
      if (missing_[task] == 0) push(task);
    }
  }

  std::vector<std::int32_t> run() {
    while (order_.size() < base_.size()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater());
      const std::int32_t task = task_of_rank_[heap_.back()];
      heap_.pop_back();
      check_interrupt();
      if (executed_[task]) continue;
      const std::int64_t over = place_[task] == now_ ? -1 : pull(task);
      if (over < 0) {
        execute(task);
      } else if (++waits_[task] < patience_) {
        next_waiting_[task] = std::exchange(first_waiting_[over], task);
      }
    }
    return std::move(order_);
  }

 private:
  // The memory after each number of steps of base; fills place_ and latest_ on the way.
  std::vector<std::int64_t> states() {
    std::vector<std::int64_t> change(base_.size() + 1, 0);
    std::vector<std::int32_t> filled(children_.offsets.begin(), children_.offsets.end());
    for (auto i = static_cast<std::int32_t>(base_.size()); i-- > 0;) {
      const std::int32_t task = base_[i];
      place_[task] = i;
      if (!children_[task].empty()) change[i + 1] += sizes_[task];
      for (std::int32_t parent : parents_[task]) {
        if (filled[parent] == children_.offsets[parent]) change[i + 1] -= sizes_[parent];
        latest_[filled[parent]++] = task;
      }
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    return change;
  }

  void push(std::int32_t task) {
    heap_.push_back(ranks_[task]);
    std::push_heap(heap_.begin(), heap_.end(), std::greater());
  }

  // The place in latest_ of the latest child of `task` from place i on that has not run.
  std::int32_t unexecuted(std::int32_t task, std::int32_t i) const {
    const std::int32_t first = i;
    while (i < children_.offsets[task + 1] && executed_[latest_[i]]) ++i;
    check_interrupt(1 + (i - first) / 8);
    return i;
  }

  // Changes memory_ as if `task` ran now; -1, or the last state over the limit, and then
  // nothing has changed.
  std::int64_t pull(std::int32_t task) {
    shift(task, 1);
    const std::int64_t over = memory_.last_above(now_, place_[task], limit_);
    if (over >= 0) shift(task, -1);
    return over;
  }

  void shift(std::int32_t task, std::int64_t sign) {
    const std::int64_t place = place_[task];
    if (!children_[task].empty()) memory_.add(now_, place, sign * sizes_[task]);
    for (std::int32_t parent : parents_[task]) {
      next_[parent] = unexecuted(parent, next_[parent]);
      if (latest_[next_[parent]] != task) continue;
      check_interrupt(8);  // the tree is as high as there are bits in a place
      const std::int32_t i = unexecuted(parent, next_[parent] + 1);
      const bool closes = i == children_.offsets[parent + 1];
      memory_.add(closes ? now_ : place_[latest_[i]] + 1, place, -sign * sizes_[parent]);
    }
  }

  void execute(std::int32_t task) {
    executed_[task] = true;
    order_.push_back(task);
    check_interrupt(1 + std::ssize(children_[task]));
    for (std::int32_t child : children_[task]) {
      if (--missing_[child] == 0) push(child);
    }
    while (now_ < static_cast<std::int64_t>(base_.size()) && executed_[base_[now_]]) advance();
  }

  void advance() {
    std::int32_t waiting = first_waiting_[now_++];
    for (; waiting >= 0; waiting = next_waiting_[waiting]) push(waiting);
    if (now_ == static_cast<std::int64_t>(base_.size())) return;
    const std::int32_t turn = base_[now_];
    if (!executed_[turn] && missing_[turn] == 0) push(turn);
  }

  Rows children_, parents_;
  Ids base_, ranks_;
  Sizes sizes_;
  std::int64_t limit_;
  std::int32_t patience_;
  std::vector<std::int32_t> place_;         // in base
  std::vector<std::int32_t> task_of_rank_;
  std::vector<std::int32_t> latest_;        // children rows, latest in base first
  std::vector<std::int32_t> next_;          // all before it in the row of latest_ have run
  std::vector<std::int32_t> missing_, waits_;
  std::vector<bool> executed_;
  std::vector<std::int32_t> first_waiting_, next_waiting_;  // lists of tasks by state
  std::int64_t now_ = 0;                    // all before it in base have run
  Mountain memory_;                         // by place, if the rest runs as in base
  std::vector<std::int32_t> heap_, order_;
};

}  // namespace

std::vector<std::int32_t> depth_first_order(Rows children, Rows parents, Ids order, Sizes sizes) {
  return DepthFirst(children, parents, order, sizes).run();
}

std::vector<std::int32_t> pull_forward(Rows children, Rows parents, Ids base, Ids ranks,
                                       Sizes sizes, std::int64_t limit, std::int32_t patience) {
  return Pull(children, parents, base, ranks, sizes, limit, patience).run();
}

}  // namespace icsched
