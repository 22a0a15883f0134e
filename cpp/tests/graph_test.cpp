#include "icsched/graph.hpp"

#include "check.hpp"
#include "gives_way.hpp"

using icsched::build;
using icsched::Built;
using Vector = std::vector<std::int32_t>;

namespace {

Built arcs(std::int32_t tasks, std::vector<std::pair<int, int>> pairs) {
  Vector parents, children;
  for (auto [parent, child] : pairs) {
    parents.push_back(parent);
    children.push_back(child);
  }
  return build(tasks, parents, children);
}

Vector list(icsched::Ids ids) { return {ids.begin(), ids.end()}; }

}  // namespace

TEST(rows_are_sorted_and_repeats_collapse) {
  const Built dag = arcs(4, {{0, 3}, {0, 1}, {0, 3}, {2, 3}, {0, 1}});
  CHECK(list(dag.child_rows()[0]) == Vector{1, 3});
  CHECK(list(dag.child_rows()[1]).empty());
  CHECK(list(dag.parent_rows()[3]) == Vector{0, 2});
  CHECK(dag.children.size() == 3);
  CHECK(dag.cycle.empty());
}

TEST(a_graph_without_tasks_builds) {
  const Built dag = arcs(0, {});
  CHECK(dag.child_offsets == Vector{0});
  CHECK(dag.order.empty() && dag.cycle.empty());
  CHECK(icsched::connected_parts(dag.child_rows()).empty());
}

TEST(fifo_order_releases_children_by_id) {
  // 3 -> 0, 1 -> 2, 1 -> 0: sources 1 and 3; 1 frees 2, then 3 frees 0.
  CHECK(arcs(4, {{3, 0}, {1, 2}, {1, 0}}).order == (Vector{1, 3, 2, 0}));
}

TEST(a_cycle_is_found_past_the_tasks_it_blocks) {
  // 0 runs; 1 waits behind the cycle 2 -> 4 -> 3 -> 2.
  const Built graph = arcs(5, {{0, 1}, {3, 2}, {2, 4}, {4, 3}, {4, 1}});
  CHECK(graph.order == Vector{0});
  CHECK(graph.cycle == (Vector{2, 4, 3}));
}

TEST(a_self_loop_is_a_cycle_of_one) { CHECK(arcs(2, {{1, 1}}).cycle == Vector{1}); }

TEST(longest_paths_add_the_weights_before_a_task) {
  const Built dag = arcs(4, {{0, 1}, {1, 3}, {0, 2}, {2, 3}});
  const std::vector<double> weights{1, 5, 2, 9};
  CHECK(icsched::longest_paths(dag.child_rows(), dag.order, weights) ==
        (std::vector<double>{0, 1, 1, 6}));
}

TEST(parts_are_numbered_by_their_smallest_task) {
  CHECK(icsched::connected_parts(arcs(6, {{5, 0}, {4, 1}, {1, 3}}).child_rows()) ==
        (Vector{0, 1, 2, 1, 1, 0}));
}

TEST(work_on_a_large_graph_ends_when_the_user_wants_out) {
  const std::int32_t tasks = 100'000;
  Vector parents, children;
  for (std::int32_t task = 1; task < tasks; ++task) {
    parents.push_back(task - 1);
    children.push_back(task);
  }
  const Built chain = build(tasks, parents, children);
  const std::vector<double> weights(tasks, 1.0);
  CHECK(gives_way([&] { build(tasks, parents, children); }));
  CHECK(gives_way([&] { icsched::longest_paths(chain.child_rows(), chain.order, weights); }));
  CHECK(gives_way([&] { icsched::connected_parts(chain.child_rows()); }));
}
