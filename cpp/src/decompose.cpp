#include "icsched/decompose.hpp"

#include <algorithm>
#include <numeric>

#include "icsched/interrupt.hpp"

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
        index_(children.size(), unseen),
        low_(children.size()) {
    for (std::int32_t task = 0; task < children.size(); ++task) {
      parents_left_[task] = static_cast<std::int32_t>(parents[task].size());
      hidden_parents_[task] = parents_left_[task];
    }
  }

  BuiltBlocks run() {
    for (std::int32_t task = 0; task < children_.size(); ++task) {
      if (parents_left_[task] == 0) appear(task);
    }
    detach_bipartite();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (state_[sources_[i]] == source) detach_general(sources_[i]);
    }
    return std::move(blocks_);
  }

 private:
  enum State : std::uint8_t { waiting, source, gone };
  static constexpr std::int64_t unseen = -1;
  struct Frame {
    std::int32_t task, next;  // next place in the task's row
    bool as_source;           // whether the row is that of its children
  };

  // Makes a task a source of what is left. A source is bad while one of its children
  // has a hidden parent: a parent left that is not a source.
  void appear(std::int32_t task) {
    check_interrupt(1 + static_cast<std::int64_t>(children_[task].size()));
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
        index_[s] = unseen;
        for (std::int32_t child : children_[s]) {
          if (in_block_[child] != block) sinks.push_back(child);
          in_block_[child] = block;
          index_[child] = unseen;
        }
      }
      std::sort(sinks.begin(), sinks.end());
      record(sources, sinks, true);
      for (std::int32_t sink : sinks) appear(sink);
    }
  }

  // Detaches blocks until `start`, a source, has left.
  //
  // Tarjan's algorithm, without recursion, on the digraph in which a source points to its
  // children and any other task to its parents left. A complete component leaves at once, so
  // no arc leads out of the next one: it is a minimal set C(s). Then the search goes on where it
  // was, because the rest of the stack is still right. Tasks on the stack lead to all tasks
  // above them. A block leads to no task outside, so its tasks on the stack are the topmost.
  // Arcs between the other tasks stay. A task that waits becomes a source only once all its
  // parents are gone, so that it is on top, and begins anew. A task is in at most two blocks,
  // as a sink and as a nonsink, so it is entered at most three times.
  void detach_general(std::int32_t start) {
    enter(start);
    WorkCounter work;
    while (!path_.empty()) {
      work.add();
      Frame& frame = path_.back();
      if (state_[frame.task] == source && !frame.as_source) frame = {frame.task, 0, true};
      const Ids row = frame.as_source ? children_[frame.task] : parents_[frame.task];
      if (frame.next < static_cast<std::int32_t>(row.size())) {
        follow(frame, row[frame.next]);
      } else {
        leave(frame.task);
      }
    }
  }

  void detach(const Vector& members) {
    const auto block = number();
    for (std::int32_t task : members) {
      in_block_[task] = block;
      index_[task] = unseen;
    }
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

  void enter(std::int32_t task) {
    index_[task] = low_[task] = clock_++;
    component_.push_back(task);
    path_.push_back({task, 0, state_[task] == source});
  }

  // Passes an arc only once its other end is gone or on the stack: a sink of a block that
  // leaves comes back as a source.
  void follow(Frame& frame, std::int32_t other) {
    if (state_[other] != gone && index_[other] == unseen) {
      enter(other);
      return;
    }
    if (state_[other] != gone) low_[frame.task] = std::min(low_[frame.task], index_[other]);
    ++frame.next;
  }

  void leave(std::int32_t task) {
    path_.pop_back();
    if (low_[task] < index_[task]) {
      const std::int32_t before = path_.back().task;
      low_[before] = std::min(low_[before], low_[task]);
      return;
    }
    const auto first = std::find(component_.rbegin(), component_.rend(), task).base() - 1;
    Vector members(first, component_.end());
    component_.erase(first, component_.end());
    std::sort(members.begin(), members.end());
    detach(members);
    detach_bipartite();
    while (!component_.empty() && index_[component_.back()] == unseen) component_.pop_back();
    while (!path_.empty() && index_[path_.back().task] == unseen) path_.pop_back();
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
  std::vector<std::int64_t> index_, low_;  // index_ of a task that is not on the stack: unseen
  Vector component_;
  std::vector<Frame> path_;
  std::int64_t clock_ = 0;

  Vector sources_;         // every source there was
  Vector complete_;        // a member of each set that had no bad source when it was put in
  std::size_t next_complete_ = 0;
  BuiltBlocks blocks_;
};

}  // namespace

BuiltBlocks decompose(Rows children, Rows parents) { return Decomposer(children, parents).run(); }

}  // namespace icsched
