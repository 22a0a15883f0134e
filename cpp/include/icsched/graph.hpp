// Graphs as arrays: building, walking and splitting a dag in compressed rows.
//
// Task ids are dense: 0 .. n-1. A `Rows` holds one sorted list of task ids per
// task (its children, or its parents): list v is targets[offsets[v] .. offsets[v+1]).
// Nothing here knows names, Python or scheduling theory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace icsched {

using Ids = std::span<const std::int32_t>;

struct Rows {
  Ids offsets;  // n + 1 entries, nondecreasing, first 0
  Ids targets;

  std::int32_t size() const { return static_cast<std::int32_t>(offsets.size()) - 1; }
  Ids operator[](std::int32_t task) const {
    return targets.subspan(offsets[task], offsets[task + 1] - offsets[task]);
  }
};

struct Built {
  std::vector<std::int32_t> child_offsets, children;
  std::vector<std::int32_t> parent_offsets, parents;
  // First-in-first-out topological order: sources by id, then each task when its
  // last parent has run, children of one task by id. Shorter than n on a cycle.
  std::vector<std::int32_t> order;
  // Empty for a dag; otherwise one cycle, each task a parent of the next and the
  // last a parent of the first.
  std::vector<std::int32_t> cycle;

  Rows child_rows() const { return {child_offsets, children}; }
  Rows parent_rows() const { return {parent_offsets, parents}; }
};

// Sorts arcs parents[i] -> children[i] into rows both ways; repeated arcs collapse.
// Requires equal lengths, at most 2^31 - 1 arcs, all ids in [0, tasks). O(tasks + arcs).
Built build(std::int32_t tasks, Ids parents, Ids children);

// For each task, the largest sum of weights over the tasks of a path that ends just
// before the task; 0 for sources. `order` lists parents before their `children`, so the
// reversed order with parent rows measures paths to the sinks. O(tasks + arcs).
std::vector<double> longest_paths(Rows children, Ids order, std::span<const double> weights);

// Label of the connected part of each task; the direction of arcs does not matter. Parts are
// numbered by their smallest task. Nearly O(tasks + arcs).
std::vector<std::int32_t> connected_parts(Rows children);

}  // namespace icsched
