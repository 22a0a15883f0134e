#include "icsched/shortcuts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "icsched/interrupt.hpp"
#include "icsched/reach.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

constexpr std::int64_t brief = 8;  // arcs looked at in a first search

enum Mark : std::uint8_t { no_shortcut, shortcut, undecided };

// Decides arcs one task at a time, looking from the task at its descendants and from its far
// children at their ancestors. Both searches stop at a place of the order in between: a path
// past the task's arc has a task that both meet.
class Search {
 public:
  Search(Rows children, Rows parents, Ids order, std::int64_t patience)
      : children_(children), parents_(parents), reach_(children, parents, order),
        patience_(std::min<std::int64_t>(patience, 4'000'000'000)) {}  // so that stamps do not run out

  bool is_far(std::int32_t task, std::int32_t child) const {
    return reach_.task(child).level > reach_.task(task).level + 1;
  }

  // Arcs looked at so far, and whether they are more than there is patience for.
  std::int64_t work() const { return work_; }
  bool is_tired() const { return work_ > patience_; }

  void learn() { reach_.learn(); }

  // Decides undecided arcs of `task` in `marks`, its row of the result. An arc is given up
  // when a search for it has looked at `most` arcs; false if an arc was.
  bool run(std::int32_t task, std::int64_t most, std::uint8_t* marks) {
    begin(task, marks);
    for (std::int64_t budget = brief; open_ > 0; budget *= 4) {
      look_back(budget);
      if (look_ahead(budget * open_)) break;
      if (budget >= most || is_tired()) return false;
    }
    for (const Target& target : targets_) {
      if (*target.mark == undecided) *target.mark = no_shortcut;
    }
    return true;
  }

 private:
  struct Target {
    std::int32_t first, task;  // first: as in Reach
    std::uint8_t* mark;
  };

  void begin(std::int32_t task, std::uint8_t* marks) {
    root_ = task;
    targets_.clear();
    heap_.clear();
    started_ = false;
    const Ids row = children_[task];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (marks[i] == undecided) targets_.push_back({reach_.task(row[i]).first, row[i], marks + i});
    }
    open_ = static_cast<std::int64_t>(targets_.size());
    if (open_ == 0) return;
    deepest_ = lowest_ = -1;
    for (const Target& target : targets_) {
      const Reach::Task& facts = reach_.task(target.task);
      deepest_ = std::max(deepest_, facts.level);
      lowest_ = lowest_ < 0 ? facts.height : std::min(lowest_, facts.height);
    }
    std::sort(targets_.begin(), targets_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    all_are_open();
    border_ = reach_.task(task).place;
    stamp_ahead_ = ++stamp_;
    count(row);
    for (std::int32_t child : row) meet(child, /*spared=*/child);
  }

  // Looks at ancestors of each open target that come after the border. Drops all targets that
  // are decided.
  void look_back(std::int64_t budget) {
    std::erase_if(targets_, [&](const Target& target) {
      if (*target.mark == undecided && !is_tired()) {
        *target.mark = marked_from(target.task, budget);
      }
      return *target.mark != undecided;
    });
    all_are_open();
  }

  void all_are_open() {
    open_ = static_cast<std::int64_t>(targets_.size());
    next_.resize(targets_.size() + 1);
    std::iota(next_.begin(), next_.end(), 0);
  }

  // The first open target from a place on, or the end. Shortens the way for later questions.
  std::int32_t open_from(std::int32_t at) {
    while (next_[at] != at) at = next_[at] = next_[next_[at]];
    return at;
  }

  Mark marked_from(std::int32_t target, std::int64_t budget) {
    const std::uint32_t stamp = ++stamp_;
    stack_.assign(1, target);
    while (!stack_.empty()) {
      const Ids row = parents_[stack_.back()];
      stack_.pop_back();
      if (static_cast<std::int64_t>(row.size()) >= budget) {
        count({});
        return undecided;
      }
      budget -= count(row);
      for (std::int32_t parent : row) reach_.fetch(parent);
      for (std::int32_t parent : row) {
        Reach::Task& facts = reach_.task(parent);
        if (parent == root_ || facts.seen_back == stamp) continue;
        facts.seen_back = stamp;
        if (facts.seen_ahead == stamp_ahead_ || reach_.leads_to(root_, parent)) return shortcut;
        if (facts.place > border_ && reach_.may_lead_to(root_, parent)) stack_.push_back(parent);
      }
    }
    return no_shortcut;
  }

  // Looks at descendants in the order of their places, and moves the border to the last one
  // whose children have been met. True if no open target can be a shortcut any more.
  bool look_ahead(std::int64_t budget) {
    if (!started_) {
      for (std::int32_t child : children_[root_]) push(child);
    }
    started_ = true;
    while (budget > 0 && open_ > 0 && !heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [place, task] = heap_.back();
      heap_.pop_back();
      border_ = place;
      const Ids row = children_[task];
      budget -= count(row);
      for (std::int32_t child : row) reach_.fetch(child);
      for (std::int32_t child : row) {
        if (meet(child, /*spared=*/-1)) push(child);
      }
    }
    return open_ == 0 || heap_.empty();
  }

  // Notes that the root leads to `task`, and so to the targets below it in the forest. Its own
  // arc to `spared` is no witness against that arc. False if this was known.
  bool meet(std::int32_t task, std::int32_t spared) {
    Reach::Task& facts = reach_.task(task);
    const bool is_new = facts.seen_ahead != stamp_ahead_;
    facts.seen_ahead = stamp_ahead_;
    const auto begin = std::lower_bound(
        targets_.begin(), targets_.end(), facts.first,
        [](const Target& target, std::int32_t first) { return target.first < first; });
    const auto end = static_cast<std::int32_t>(targets_.size());
    auto at = open_from(static_cast<std::int32_t>(begin - targets_.begin()));
    for (; at < end && targets_[at].first < facts.last; at = open_from(at + 1)) {
      if (targets_[at].task == spared) continue;
      *targets_[at].mark = shortcut;
      next_[at] = at + 1;
      --open_;
    }
    return is_new;
  }

  // Has the search go on from `task`, if it may lead to one of the open targets.
  void push(std::int32_t task) {
    const Reach::Task& facts = reach_.task(task);
    if (facts.level >= deepest_ || facts.height <= lowest_) return;
    constexpr std::int64_t many = 8;  // targets: then it is cheaper to go on than to ask
    if (open_ <= many && !may_lead_to_target(task)) return;
    heap_.push_back({reach_.task(task).place, task});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  bool may_lead_to_target(std::int32_t task) {
    const auto end = static_cast<std::int32_t>(targets_.size());
    for (std::int32_t at = open_from(0); at < end; at = open_from(at + 1)) {
      if (reach_.may_lead_to(task, targets_[at].task)) return true;
    }
    return false;
  }

  std::int64_t count(Ids row) {
    const auto arcs = 1 + static_cast<std::int64_t>(row.size());
    work_ += arcs;
    interrupt_.add(arcs);
    return arcs;
  }

  Rows children_, parents_;
  Reach reach_;
  std::int64_t patience_;
  std::int64_t work_ = 0;
  WorkCounter interrupt_;

  // Of one run.
  std::int32_t root_ = -1;
  std::int32_t border_ = 0;   // place up to which all descendants have been met
  std::uint32_t stamp_ = 0, stamp_ahead_ = 0;
  std::vector<Target> targets_;  // by `first`; open until they are marked
  std::int64_t open_ = 0;
  Vector next_;               // of each target: itself while it is open, else one nearer to the next
  std::int32_t deepest_ = 0;  // greatest level of a target at the start
  std::int32_t lowest_ = 0;   // least height of one
  std::vector<std::pair<std::int32_t, std::int32_t>> heap_;  // places and tasks
  bool started_ = false;      // whether the heap has been filled
  Vector stack_;
};

// Decides the undecided arcs of many tasks at once, by a pass over part of the order for each
// 512 of them: an arc u -> v is a shortcut if u leads to a parent of v.
class Sweep {
 public:
  Sweep(Rows children, Rows parents, Ids order, std::vector<std::uint8_t>& marks)
      : children_(children), parents_(parents), order_(order), marks_(marks),
        place_(children.size()), member_(children.size(), -1), arcs_before_(order.size() + 1, 0) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = static_cast<std::int32_t>(i);
      arcs_before_[i + 1] = arcs_before_[i] + static_cast<std::int64_t>(parents[order[i]].size());
    }
  }

  // Arcs that a run would look at. `tasks`, here and below, come in the order.
  std::int64_t work(Ids tasks) const {
    std::int64_t arcs = 0;
    for (std::size_t begin = 0; begin < tasks.size(); begin += batch) {
      const Ids members = tasks.subspan(begin, std::min(batch, tasks.size() - begin));
      arcs += arcs_before_[last_target(members) + 1] - arcs_before_[place_[members.front()]];
    }
    return arcs;
  }

  // A pass that would bring the arcs looked at above `most` is left out: what it would have
  // decided stays undecided.
  void run(Ids tasks, std::int64_t most) {
    for (std::size_t begin = 0; begin < tasks.size(); begin += batch) {
      const Ids members = tasks.subspan(begin, std::min(batch, tasks.size() - begin));
      const std::int32_t first = place_[members.front()], end = last_target(members) + 1;
      const std::int64_t arcs = arcs_before_[end] - arcs_before_[first];
      if (arcs > most) continue;
      most -= arcs;
      for (std::size_t i = 0; i < members.size(); ++i) member_[members[i]] = static_cast<std::int32_t>(i);
      reached_.assign(static_cast<std::size_t>(end - first), Bits{});
      for (std::int32_t place = first; place < end; ++place) visit(order_[place], first);
      for (std::int32_t task : members) member_[task] = -1;
    }
  }

 private:
  static constexpr std::size_t words = 8, batch = 64 * words;
  using Bits = std::array<std::uint64_t, words>;

  // Place of the last child at the end of an undecided arc.
  std::int32_t last_target(Ids members) const {
    std::int32_t last = 0;
    for (std::int32_t task : members) {
      for (std::int32_t arc = children_.offsets[task]; arc < children_.offsets[task + 1]; ++arc) {
        if (marks_[arc] == undecided) last = std::max(last, place_[children_.targets[arc]]);
      }
    }
    return last;
  }

  void visit(std::int32_t task, std::int32_t first) {
    Bits above{};  // members that lead to a parent
    for (std::int32_t parent : parents_[task]) {
      if (place_[parent] < first) continue;
      const Bits& bits = reached_[place_[parent] - first];
      for (std::size_t w = 0; w < words; ++w) above[w] |= bits[w];
    }
    Bits& bits = reached_[place_[task] - first] = above;
    for (std::int32_t parent : parents_[task]) {
      const std::int32_t i = member_[parent];
      if (i < 0) continue;
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      decide(parent, task, above[i / 64] & bit);
      bits[i / 64] |= bit;
    }
    check_interrupt(1 + static_cast<std::int64_t>(parents_[task].size()));
  }

  void decide(std::int32_t parent, std::int32_t child, bool is_shortcut) {
    const Ids row = children_[parent];
    const auto i = std::lower_bound(row.begin(), row.end(), child) - row.begin();
    std::uint8_t& mark = marks_[children_.offsets[parent] + i];
    if (mark == undecided) mark = is_shortcut ? shortcut : no_shortcut;
  }

  Rows children_, parents_;
  Ids order_;
  std::vector<std::uint8_t>& marks_;
  Vector place_;
  Vector member_;                          // number in the batch; -1 outside
  std::vector<std::int64_t> arcs_before_;  // arcs into the tasks before each place
  std::vector<Bits> reached_;              // from the first member's place on: by which members
};

}  // namespace

std::vector<std::uint8_t> shortcuts(Rows children, Rows parents, Ids order, std::int64_t patience,
                                    std::int64_t most_work) {
  std::vector<std::uint8_t> marks(children.targets.size(), no_shortcut);
  Search search(children, parents, order, std::min(patience, most_work));
  Vector left;  // tasks with undecided arcs
  for (std::int32_t task : order) {
    bool far = false;
    for (std::int32_t arc = children.offsets[task]; arc < children.offsets[task + 1]; ++arc) {
      if (!search.is_far(task, children.targets[arc])) continue;
      marks[arc] = undecided;
      far = true;
    }
    if (far) left.push_back(task);
  }
  const auto try_harder = [&](std::int64_t most) {
    std::erase_if(left, [&](std::int32_t task) {
      return !search.is_tired() && search.run(task, most, marks.data() + children.offsets[task]);
    });
  };
  try_harder(brief);
  Sweep sweep(children, parents, order, marks);
  constexpr std::int64_t cheap = 16;  // for each arc: less than searches need
  if (sweep.work(left) > cheap * static_cast<std::int64_t>(marks.size())) {
    if (static_cast<std::int64_t>(left.size()) > children.size() / 64) search.learn();
    for (std::int64_t most : {brief, patience}) try_harder(most);
  }
  sweep.run(left, most_work - search.work());
  std::replace(marks.begin(), marks.end(), std::uint8_t{undecided}, std::uint8_t{no_shortcut});
  return marks;
}

}  // namespace icsched
