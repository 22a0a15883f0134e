// Handing out a graph's tasks, best eligible first.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

// The order in which a server runs all tasks if it always picks the eligible task of
// least rank. Requires a dag and `ranks` a permutation of 0 .. n-1. O(arcs + n log n).
std::vector<std::int32_t> priority_order(Rows children, Rows parents, Ids ranks);

// The live state of a graph that workers run: tasks wait for their parents, become ready, are
// taken, and finish. A taken task may be returned. It is then ready again, and may also finish.
// Tasks on or behind a cycle wait for ever.
class ReadyQueue {
 public:
  enum State : std::uint8_t { waiting, ready, taken, finished, returned };
  static constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();

  // With `ranks` empty, tasks come out in the order in which they became ready;
  // otherwise `ranks` is a permutation and the least rank comes first.
  ReadyQueue(Rows children, Rows parents, Ids ranks);

  // Takes up to `count` ready tasks, best first.
  std::vector<std::int32_t> take(std::int64_t count);

  // Finishes tasks that were taken, whether returned or not, one after the other, and returns how
  // many. Stops at the first task that was never taken or is finished. Requires ids in range.
  std::size_t finish(Ids tasks);

  // Puts taken tasks back into the queue. Skips tasks that were returned or have finished since.
  // Stops at the first task that was never taken. Returns how many tasks it went through. Requires
  // ids in range.
  std::size_t give_back(Ids tasks);

  State state(std::int32_t task) const { return state_[task]; }

  // Whether anything is ready, or taken and not yet finished.
  bool active() const { return taken_ > 0 || ready_count() > 0; }

 private:
  void push(std::int32_t task);
  void make_ready(std::int32_t task);
  void drop_stale();
  std::size_t ready_count() const { return queue_.size() - head_ - stale_; }

  std::vector<std::int32_t> child_offsets_, children_;  // own copy: the queue outlives its input
  std::vector<std::int32_t> missing_;                   // parents not yet finished
  std::vector<std::int32_t> rank_, task_of_rank_;       // empty for first in, first out
  std::vector<std::int32_t> queue_;  // ranked: a heap of ranks; else tasks, oldest at head_
  std::size_t head_ = 0;             // always 0 when ranked
  std::size_t stale_ = 0;            // tasks in the queue that finished after they were returned
  std::vector<State> state_;
  std::int64_t taken_ = 0;
};

}  // namespace icsched
