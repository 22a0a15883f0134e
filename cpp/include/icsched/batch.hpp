// Batches: which of the eligible tasks to hand out together (problem BICSO of Malewicz and
// Rosenberg 2006).
//
// A batch of eligible tasks enables, in the same step, only tasks whose other parents count as
// executed. So only a bipartite graph matters, the front. Its sources are the tasks that may be
// taken. Its sinks are the tasks that a set of sources can enable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

enum class TaskState : std::uint8_t { waiting, executed, offered };

// Sources are numbered by their place in the list that the front was made from. A sink with one
// parent is a yield of that parent. Sinks with the same parents are one sink; its weight is their
// number.
struct Front {
  std::span<const std::int32_t> yields;   // of each source: sinks that wait only for it
  Rows sinks;                             // of each other sink: two sources or more, ascending
  std::span<const std::int32_t> weights;  // of each sink in `sinks`: 1 or more

  std::int32_t sources() const { return static_cast<std::int32_t>(yields.size()); }
};

// The sinks of each source, ascending.
struct SinksOf {
  std::vector<std::int32_t> offsets, sinks;

  explicit SinksOf(const Front& front);
  Rows rows() const { return {offsets, sinks}; }
};

struct BuiltFront {
  std::vector<std::int32_t> yields, sink_offsets, parents, weights;

  Front view() const { return {yields, {sink_offsets, parents}, weights}; }
};

// The front of a dag. `states` has a TaskState for each task. `sources` lists the offered tasks,
// whose parents must all be executed. Rows of sinks come out sorted. O(arcs into the sources'
// children), plus a pass over the tasks.
BuiltFront batch_front(Rows children, Rows parents, std::span<const std::uint8_t> states,
                       Ids sources);

struct Choice {
  std::vector<std::int32_t> sources;  // exactly as many as asked for
  std::int64_t enabled = 0;           // sinks that they enable
};

// Takes `count` sources by a rule: the best rate of enabled sinks per source first. A candidate is
// one source with its yields, or all parents of a sink with the sink and their yields. Ties go to
// sinks, because single sources fit in later, then to smaller numbers. If nothing more can be
// enabled, the smallest numbers are taken.
// Requires 0 <= count <= sources. O((sources + arcs) log + sinks * min(sqrt(arcs), d)) if no
// source has more than d sinks with further parents.
Choice greedy_batch(const Front& front, std::int32_t count);

// No `count` sources enable more than this. Each sink is shared out evenly among its parents; the
// result is the sum of the `count` largest shares. O(sources + arcs).
std::int64_t most_enabled(const Front& front, std::int32_t count);

enum class Solving : std::uint8_t { solved, not_a_tree, too_much_work };

struct ExactChoice {
  Solving result = Solving::solved;
  Choice choice;               // if solved
  std::int32_t culprit = -1;   // if not a tree: a source of a piece that is not one
  bool trees_only = true;      // no piece was enumerated
};

// Takes `count` sources that enable the most. Connected pieces that are trees are solved by a
// knapsack over the tree. Other pieces, of up to `most_enumerated` sources (at most 24), are solved
// by looking at every subset. Max-plus convolution puts the pieces together. Gives up before it
// starts if a piece is neither, or if about `most_work` steps are not enough. Requires
// 0 <= count <= sources. O(sources * count) time on trees, O(sources log sources) memory.
ExactChoice exact_batch(const Front& front, std::int32_t count, std::int32_t most_enumerated,
                        std::int64_t most_work);

}  // namespace icsched
