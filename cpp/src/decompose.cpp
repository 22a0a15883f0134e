#include "icsched/decompose.hpp"

#include <algorithm>
#include <numeric>

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// Sets of sources that share children, each with its members and a count of bad ones.
class SourceSets {
 public:
  explicit SourceSets(std::int32_t tasks) : root_(tasks), size_(tasks, 1), next_(tasks), bad_(tasks, 0) {
    std::iota(root_.begin(), root_.end(), 0);
    std::iota(next_.begin(), next_.end(), 0);
  }

  std::int32_t find(std::int32_t task) {
    while (root_[task] != task) task = root_[task] = root_[root_[task]];
    return task;
  }

  void join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    if (size_[a] < size_[b]) std::swap(a, b);
    root_[b] = a;
    size_[a] += size_[b];
    bad_[a] += bad_[b];
    std::swap(next_[a], next_[b]);  // splices the two rings of members into one
  }

  std::int32_t& bad(std::int32_t task) { return bad_[find(task)]; }

  Vector members(std::int32_t task) {
    Vector all{task};
    for (std::int32_t t = next_[task]; t != task; t = next_[t]) all.push_back(t);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  Vector root_, size_, next_, bad_;
};

class Decomposer {
 public:
  Decomposer(Rows children, Rows parents)
      : children_(children),
        parents_(parents),
        state_(children.size(), waiting),
        parents_left_(children.size()),
        hidden_parents_(children.size()),
        bad_children_(children.size(), 0),
        in_block_(children.size(), -1),
        sets_(children.size()),
        index_(children.size(), -1),
        low_(children.size()),
        leaks_(children.size()) {
    for (std::int32_t task = 0; task < children.size(); ++task) {
      parents_left_[task] = static_cast<std::int32_t>(parents[task].size());
      hidden_parents_[task] = parents_left_[task];
    }
  }

  Blocks run() {
    for (std::int32_t task = 0; task < children_.size(); ++task) {
      if (parents_left_[task] == 0) appear(task);
    }
    while (true) {
      detach_bipartite();
      if (!detach_general()) return std::move(blocks_);
    }
  }

 private:
  enum State : std::uint8_t { waiting, source, gone };

  // Makes a task a source of what is left. A source is bad while one of its children
  // has a hidden parent: a parent left that is not a source.
  void appear(std::int32_t task) {
    if (children_[task].empty()) {
      state_[task] = gone;
      return;
    }
    state_[task] = source;
    sources_.push_back(task);
    for (std::int32_t child : children_[task]) {
      if (--hidden_parents_[child] > 0) ++bad_children_[task];
    }
    sets_.bad(task) = bad_children_[task] > 0;
    for (std::int32_t child : children_[task]) {
      if (hidden_parents_[child] == 0) reveal(child, task);
    }
    consider(task);
  }

  // All parents left of a task have become sources, `latest` last (-1: none did just
  // now): they share a child, and lose one reason to be bad.
  void reveal(std::int32_t task, std::int32_t latest) {
    std::int32_t first = -1;
    for (std::int32_t parent : parents_[task]) {
      if (state_[parent] != source) continue;
      if (parent != latest && --bad_children_[parent] == 0) --sets_.bad(parent);
      if (first >= 0) sets_.join(first, parent);
      first = parent;
    }
    if (latest < 0 && first >= 0) consider(first);
  }

  void consider(std::int32_t task) {
    if (sets_.bad(task) == 0) complete_.push_back(task);
  }

  void detach_bipartite() {
    for (; next_complete_ < complete_.size(); ++next_complete_) {
      const std::int32_t task = complete_[next_complete_];
      if (state_[task] == gone || sets_.bad(task) > 0) continue;
      const Vector sources = sets_.members(task);
      const auto block = number();
      Vector sinks;
      for (std::int32_t s : sources) {
        state_[s] = gone;
        for (std::int32_t child : children_[s]) {
          if (in_block_[child] != block) sinks.push_back(child);
          in_block_[child] = block;
        }
      }
      std::sort(sinks.begin(), sinks.end());
      record(sources, sinks, true);
      for (std::int32_t sink : sinks) appear(sink);
    }
  }

  // Detaches all minimal sets at once; false if nothing is left.
  bool detach_general() {
    std::erase_if(sources_, [&](std::int32_t task) { return state_[task] == gone; });
    if (sources_.empty()) return false;
    for (const Vector& members : closed_components()) detach(members);
    return true;
  }

  void detach(const Vector& members) {
    const auto block = number();
    for (std::int32_t task : members) in_block_[task] = block;
    Vector nonsinks, sinks;
    for (std::int32_t task : members) {
      const Ids row = children_[task];
      const bool inner = std::any_of(row.begin(), row.end(),
                                     [&](std::int32_t child) { return in_block_[child] == block; });
      (inner ? nonsinks : sinks).push_back(task);
    }
    record(nonsinks, sinks, false);
    const Vector orphans = remove(nonsinks, block);
    for (std::int32_t sink : sinks) appear(sink);
    for (std::int32_t orphan : orphans) {
      if (parents_left_[orphan] == 0) {
        appear(orphan);
      } else if (hidden_parents_[orphan] == 0) {
        reveal(orphan, -1);
      }
    }
  }

  // Takes nonsinks away and returns their children outside the block that now have no
  // hidden parent left.
  Vector remove(const Vector& nonsinks, std::int32_t block) {
    Vector orphans;
    for (std::int32_t task : nonsinks) {
      const bool hidden = state_[task] == waiting;
      state_[task] = gone;
      for (std::int32_t child : children_[task]) {
        if (in_block_[child] == block) continue;
        --parents_left_[child];
        if (hidden && --hidden_parents_[child] == 0) orphans.push_back(child);
      }
    }
    return orphans;
  }

  // The sink components of the digraph in which a source points to its children and any
  // other task to its parents left; these are the minimal sets C(s). Tarjan's algorithm,
  // without recursion. The clock never restarts, so marks of earlier searches are stale.
  std::vector<Vector> closed_components() {
    std::vector<Vector> closed;
    search_start_ = clock_;
    for (std::int32_t start : sources_) {
      if (index_[start] < search_start_) enter(start);
      while (!path_.empty()) {
        auto& [task, next] = path_.back();
        const Ids row = state_[task] == source ? children_[task] : parents_[task];
        if (next < static_cast<std::int32_t>(row.size())) {
          follow(task, row[next++]);
        } else {
          leave(task, closed);
        }
      }
    }
    return closed;
  }

  void enter(std::int32_t task) {
    index_[task] = low_[task] = clock_++;
    leaks_[task] = 0;
    component_.push_back(task);
    path_.push_back({task, 0});
  }

  void follow(std::int32_t task, std::int32_t other) {
    if (state_[other] == gone) return;
    if (index_[other] < search_start_) {
      enter(other);
    } else if (low_[other] == settled) {
      leaks_[task] = 1;
    } else {
      low_[task] = std::min(low_[task], index_[other]);
    }
  }

  void leave(std::int32_t task, std::vector<Vector>& closed) {
    path_.pop_back();
    const std::int32_t before = path_.empty() ? -1 : path_.back().task;
    if (low_[task] < index_[task]) {
      low_[before] = std::min(low_[before], low_[task]);
      return;
    }
    const auto first = std::find(component_.rbegin(), component_.rend(), task).base() - 1;
    Vector members(first, component_.end());
    component_.erase(first, component_.end());
    bool leaky = false;
    for (std::int32_t member : members) {
      low_[member] = settled;
      leaky |= leaks_[member] != 0;
    }
    if (before >= 0) leaks_[before] = 1;
    if (leaky) return;
    std::sort(members.begin(), members.end());
    closed.push_back(std::move(members));
  }

  std::int32_t number() const { return static_cast<std::int32_t>(blocks_.bipartite.size()); }

  void record(const Vector& nonsinks, const Vector& sinks, bool bipartite) {
    blocks_.nonsinks.insert(blocks_.nonsinks.end(), nonsinks.begin(), nonsinks.end());
    blocks_.nonsink_offsets.push_back(static_cast<std::int32_t>(blocks_.nonsinks.size()));
    blocks_.sinks.insert(blocks_.sinks.end(), sinks.begin(), sinks.end());
    blocks_.sink_offsets.push_back(static_cast<std::int32_t>(blocks_.sinks.size()));
    blocks_.bipartite.push_back(bipartite);
  }

  Rows children_, parents_;
  std::vector<State> state_;
  Vector parents_left_;    // parents not gone; kept true only outside bipartite blocks
  Vector hidden_parents_;  // parents left that are not sources
  Vector bad_children_;    // of a source: children with a hidden parent
  Vector in_block_;        // latest block that has the task as a member
  SourceSets sets_;

  // Of the search for general blocks.
  struct Frame {
    std::int32_t task, next;  // next place in the task's row
  };
  static constexpr std::int64_t settled = -2;  // low_ of a task whose component is complete
  std::vector<std::int64_t> index_, low_;
  std::vector<std::uint8_t> leaks_;  // has an arc to another component
  Vector component_;
  std::vector<Frame> path_;
  std::int64_t clock_ = 0, search_start_ = 0;

  Vector sources_;         // every source there was since the last general block
  Vector complete_;        // a member of each set that had no bad source when it was put in
  std::size_t next_complete_ = 0;
  Blocks blocks_;
};

}  // namespace

Blocks decompose(Rows children, Rows parents) { return Decomposer(children, parents).run(); }

}  // namespace icsched
