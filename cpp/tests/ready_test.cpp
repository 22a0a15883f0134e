#include "icsched/ready.hpp"

#include <numeric>

#include "check.hpp"
#include "gives_way.hpp"

using icsched::build;
using icsched::ReadyQueue;
using Vector = std::vector<std::int32_t>;

namespace {

// 0 -> 2, 1 -> 2, 1 -> 3
icsched::Built sample() { return build(4, Vector{0, 1, 1}, Vector{2, 2, 3}); }

}  // namespace

TEST(without_ranks_tasks_come_as_they_became_ready) {
  const auto dag = sample();
  ReadyQueue queue(dag.child_rows(), dag.parent_rows(), {});
  CHECK(queue.take(ReadyQueue::everything) == (Vector{0, 1}));
  CHECK(queue.take(1).empty());
  CHECK(queue.finish(Vector{1, 0}) == 2);
  CHECK(queue.take(1) == Vector{3});
  CHECK(queue.take(5) == Vector{2});
  CHECK(queue.active());
  CHECK(queue.finish(Vector{2, 3}) == 2);
  CHECK(!queue.active());
}

TEST(with_ranks_the_least_rank_comes_first) {
  const auto dag = sample();
  ReadyQueue queue(dag.child_rows(), dag.parent_rows(), Vector{3, 0, 2, 1});
  CHECK(queue.take(1) == Vector{1});
  CHECK(queue.finish(Vector{1}) == 1);
  CHECK(queue.take(ReadyQueue::everything) == (Vector{3, 0}));
}

TEST(finish_stops_at_a_task_that_is_not_taken) {
  const auto dag = sample();
  ReadyQueue queue(dag.child_rows(), dag.parent_rows(), {});
  queue.take(1);
  CHECK(queue.finish(Vector{0, 1}) == 1);
  CHECK(queue.finish(Vector{0}) == 0);
  CHECK(queue.state(0) == ReadyQueue::finished);
  CHECK(queue.state(1) == ReadyQueue::ready);
  CHECK(queue.state(2) == ReadyQueue::waiting);
}

TEST(what_is_given_back_comes_again) {
  const auto dag = sample();
  ReadyQueue queue(dag.child_rows(), dag.parent_rows(), Vector{3, 0, 2, 1});
  CHECK(queue.take(2) == (Vector{1, 0}));
  CHECK(queue.give_back(Vector{0, 0, 2}) == 2);
  CHECK(queue.state(0) == ReadyQueue::returned);
  CHECK(queue.take(9) == Vector{0});
}

TEST(a_task_that_finishes_after_it_was_given_back_is_not_taken_again) {
  const auto dag = sample();
  for (const Vector& ranks : {Vector{}, Vector{0, 1, 2, 3}}) {
    ReadyQueue queue(dag.child_rows(), dag.parent_rows(), ranks);
    CHECK(queue.take(2) == (Vector{0, 1}));
    queue.give_back(Vector{0});
    CHECK(queue.finish(Vector{0, 1}) == 2);
    CHECK(queue.give_back(Vector{0}) == 1);
    CHECK(queue.take(9) == (Vector{2, 3}));
    queue.finish(Vector{2});
    queue.give_back(Vector{3});
    queue.finish(Vector{3});
    CHECK(!queue.active());
  }
}

TEST(tasks_on_a_cycle_never_become_ready) {
  const auto graph = build(3, Vector{0, 1, 2}, Vector{1, 2, 1});
  ReadyQueue queue(graph.child_rows(), graph.parent_rows(), {});
  CHECK(queue.take(9) == Vector{0});
  queue.finish(Vector{0});
  CHECK(!queue.active());
}

TEST(priority_order_runs_the_best_eligible_task) {
  const auto dag = sample();
  CHECK(icsched::priority_order(dag.child_rows(), dag.parent_rows(), Vector{3, 1, 0, 2}) ==
        (Vector{1, 3, 0, 2}));
}

TEST(a_long_priority_order_ends_when_the_user_wants_out) {
  std::vector<std::int32_t> ranks(100'000);
  std::iota(ranks.begin(), ranks.end(), 0);
  const icsched::Built dag = icsched::build(100'000, {}, {});
  CHECK(gives_way([&] { icsched::priority_order(dag.child_rows(), dag.parent_rows(), ranks); }));
}
