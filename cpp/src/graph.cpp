#include "icsched/graph.hpp"

#include <algorithm>
#include <numeric>

#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

constexpr std::int64_t arcs_per_unit = 8;  // of work

// Turns per-task counts, stored one place to the right, into row offsets.
void accumulate(Vector& counts) {
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

// Moves arcs into rows by `keys`, keeping their order within a row.
void scatter(std::int32_t tasks, Ids keys, Ids values, Vector& offsets, Vector& targets) {
  offsets.assign(static_cast<std::size_t>(tasks) + 1, 0);
  for (std::int32_t key : keys) ++offsets[key + 1];
  accumulate(offsets);
  targets.resize(keys.size());
  Vector next(offsets.begin(), offsets.end() - 1);
  check_interrupt(std::ssize(keys) / arcs_per_unit);
  for (std::size_t i = 0; i < keys.size(); ++i) targets[next[keys[i]]++] = values[i];
}

// Drops repeats from rows whose lists are sorted.
void collapse_repeats(Vector& offsets, Vector& targets) {
  std::int32_t kept = 0;
  std::int32_t begin = 0;
  for (std::size_t task = 0; task + 1 < offsets.size(); ++task) {
    const std::int32_t end = offsets[task + 1];
    const std::int32_t row_start = kept;
    for (std::int32_t i = begin; i < end; ++i) {
      if (kept == row_start || targets[kept - 1] != targets[i]) targets[kept++] = targets[i];
    }
    begin = end;
    offsets[task + 1] = kept;
  }
  targets.resize(kept);
}

// Lists rows the other way round: who has each task as a target, by id.
void transpose(Rows rows, Vector& offsets, Vector& targets) {
  offsets.assign(rows.offsets.size(), 0);
  for (std::int32_t target : rows.targets) ++offsets[target + 1];
  accumulate(offsets);
  targets.resize(rows.targets.size());
  Vector next(offsets.begin(), offsets.end() - 1);
  check_interrupt(std::ssize(rows.targets) / arcs_per_unit);
  for (std::int32_t task = 0; task < rows.size(); ++task) {
    for (std::int32_t target : rows[task]) targets[next[target]++] = task;
  }
}

Vector fifo_order(Rows children, Ids parent_offsets) {
  const std::int32_t tasks = children.size();
  Vector missing(tasks);
  Vector order;
  order.reserve(tasks);
  for (std::int32_t task = 0; task < tasks; ++task) {
    missing[task] = parent_offsets[task + 1] - parent_offsets[task];
    if (missing[task] == 0) order.push_back(task);
  }
  WorkCounter work;
  for (std::size_t done = 0; done < order.size(); ++done) {
    work.add();
    for (std::int32_t child : children[order[done]]) {
      if (--missing[child] == 0) order.push_back(child);
    }
  }
  return order;
}

// Walks from a task that never became eligible to ever older such parents until one
// repeats. Requires that `order`, a maximal legal order, misses some task.
Vector find_cycle(Rows parents, Ids order) {
  std::vector<char> ran(parents.size(), 0);
  for (std::int32_t task : order) ran[task] = 1;
  Vector place(parents.size(), -1);
  Vector walk;
  auto task = static_cast<std::int32_t>(std::find(ran.begin(), ran.end(), 0) - ran.begin());
  while (place[task] < 0) {
    place[task] = static_cast<std::int32_t>(walk.size());
    walk.push_back(task);
    const Ids row = parents[task];
    task = *std::find_if(row.begin(), row.end(), [&](std::int32_t p) { return !ran[p]; });
  }
  Vector cycle(walk.begin() + place[task], walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace

Built build(std::int32_t tasks, Ids parents, Ids children) {
  Built built;
  // Rows filled by child first come out, once transposed, sorted by child id.
  scatter(tasks, children, parents, built.parent_offsets, built.parents);
  transpose(built.parent_rows(), built.child_offsets, built.children);
  collapse_repeats(built.child_offsets, built.children);
  transpose(built.child_rows(), built.parent_offsets, built.parents);
  built.order = fifo_order(built.child_rows(), built.parent_offsets);
  if (built.order.size() < static_cast<std::size_t>(tasks)) {
    built.cycle = find_cycle(built.parent_rows(), built.order);
  }
  return built;
}

std::vector<double> longest_paths(Rows children, Ids order, std::span<const double> weights) {
  std::vector<double> before(children.size(), 0.0);
  WorkCounter work;
  for (std::int32_t task : order) {
    work.add();
    const double through = before[task] + weights[task];
    for (std::int32_t child : children[task]) before[child] = std::max(before[child], through);
  }
  return before;
}

Vector connected_parts(Rows children) {
  Vector root(children.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&root](std::int32_t task) {
    while (root[task] != task) task = root[task] = root[root[task]];
    return task;
  };
  WorkCounter work;
  // The smaller id becomes the root, so a root is the smallest task of its part.
  for (std::int32_t task = 0; task < children.size(); ++task) {
    work.add(1 + std::ssize(children[task]) / arcs_per_unit);
    for (std::int32_t child : children[task]) {
      const auto [low, high] = std::minmax({find(task), find(child)});
      root[high] = low;
    }
  }
  Vector label(children.size());
  std::int32_t parts = 0;
  for (std::int32_t task = 0; task < children.size(); ++task) {
    const std::int32_t top = find(task);
    label[task] = top == task ? parts++ : label[top];
  }
  return label;
}

}  // namespace icsched
