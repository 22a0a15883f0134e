#include "icsched/referee.hpp"

#include "check.hpp"

using icsched::build;
using icsched::Walk;
using Vector = std::vector<std::int32_t>;

namespace {

constexpr std::int64_t plenty = 1'000'000;

icsched::Built chain(std::int32_t tasks) {
  Vector parents, children;
  for (std::int32_t task = 0; task + 1 < tasks; ++task) {
    parents.push_back(task);
    children.push_back(task + 1);
  }
  return build(tasks, parents, children);
}

auto best(const icsched::Built& dag, std::int64_t limit = plenty) {
  return icsched::best_ideals(dag.child_rows(), dag.parent_rows(), dag.order, limit);
}

auto area(const icsched::Built& dag, std::int64_t limit = plenty) {
  return icsched::maximum_area_order(dag.child_rows(), dag.parent_rows(), dag.order, limit);
}

auto optimal(const icsched::Built& dag, std::int64_t limit = plenty) {
  return icsched::ic_optimal_order(dag.child_rows(), dag.parent_rows(), dag.order, limit);
}

}  // namespace

TEST(the_fork_goes_before_the_pair) {
  // 0 -> 1, 2 -> 3, 2 -> 4
  const auto dag = build(5, Vector{0, 2, 2}, Vector{1, 3, 4});
  CHECK(best(dag).enabled == (Vector{0, 2, 3}));
  CHECK(best(dag).sets == (std::vector<Vector>{{}, {2}, {0, 2}}));
  CHECK(area(dag).nonsinks == (Vector{2, 0}));
  CHECK(optimal(dag).nonsinks == (Vector{2, 0}));
}

TEST(a_dag_may_have_no_order_that_is_best_at_every_step) {
  // 0 -> 4, and 5, 6, 7 each need 1, 2, 3: first 0 is best, then after three {1, 2, 3}.
  const auto dag = build(8, Vector{0, 1, 2, 3, 1, 2, 3, 1, 2, 3}, Vector{4, 5, 5, 5, 6, 6, 6, 7, 7, 7});
  CHECK(best(dag).enabled == (Vector{0, 1, 1, 3, 4}));
  CHECK(optimal(dag).walk == Walk::complete);
  CHECK(!optimal(dag).found);
}

TEST(an_empty_dag_and_isolated_tasks_have_nothing_to_enable) {
  for (std::int32_t tasks : {0, 3}) {
    const auto dag = build(tasks, Vector{}, Vector{});
    CHECK(best(dag).enabled == Vector{0});
    CHECK(area(dag).nonsinks.empty());
    CHECK(optimal(dag).found && optimal(dag).nonsinks.empty());
  }
}

TEST(interchangeable_tasks_count_once) {
  // Ten sources, one sink: without the fixed order of twins there would be 2^10 ideals.
  const auto dag = build(11, Vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Vector(10, 10));
  CHECK(best(dag, 11).walk == Walk::complete);
  CHECK(best(dag, 10).walk == Walk::over_limit);
  CHECK(area(dag, 11).walk == Walk::complete);
  CHECK(area(dag, 10).walk == Walk::over_limit);
  CHECK(optimal(dag, 10).walk == Walk::over_limit);
}

TEST(sets_of_every_width_work) {
  for (std::int32_t tasks : {2, 65, 66, 129, 130, 257, 258, 1025}) {
    const auto dag = chain(tasks);
    CHECK(best(dag).enabled.back() == tasks - 1);
    CHECK(best(dag).sets.back().back() == tasks - 2);
    CHECK(area(dag).nonsinks.size() == static_cast<std::size_t>(tasks) - 1);
    CHECK(optimal(dag).nonsinks == area(dag).nonsinks);
  }
}

// 0 and 1 are the parents of 2 and 3, and 1 alone is that of 4: {0, 1} counts once, {1} once.
TEST(equal_sets_of_parents_are_looked_at_once) {
  const icsched::Built dag = icsched::build(5, std::vector<std::int32_t>{0, 1, 0, 1, 1},
                                            std::vector<std::int32_t>{2, 2, 3, 3, 4});
  CHECK(icsched::looks_a_set(dag.parent_rows(), 1) == 3);
  CHECK(icsched::looks_a_set(dag.parent_rows(), 2) == 1);
}
