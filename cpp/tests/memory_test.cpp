#include "icsched/memory.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "gives_way.hpp"

using icsched::build;
using Vector = std::vector<std::int32_t>;
using Bytes = std::vector<std::int64_t>;

namespace {

// 0 -> 1, 2 -> 3, 2 -> 4
icsched::Built pair_and_fork() { return build(5, Vector{0, 2, 2}, Vector{1, 3, 4}); }

// Reduction tree of height 2: 0, 1 -> 4 and 2, 3 -> 5 and 4, 5 -> 6.
icsched::Built tree() { return build(7, Vector{0, 1, 2, 3, 4, 5}, Vector{4, 4, 5, 5, 6, 6}); }

// 0 -> 1 -> 2 and so on.
icsched::Built chain(std::int32_t tasks) {
  Vector parents(tasks - 1), children(tasks - 1);
  std::iota(parents.begin(), parents.end(), 0);
  std::iota(children.begin(), children.end(), 1);
  return build(tasks, parents, children);
}

}  // namespace

TEST(depth_first_finishes_a_subtree_before_it_begins_the_next) {
  const auto dag = tree();
  CHECK(icsched::depth_first_order(dag.child_rows(), dag.parent_rows(), dag.order, Bytes(7, 1)) ==
        (Vector{0, 1, 4, 2, 3, 5, 6}));
}

TEST(depth_first_begins_with_the_parent_whose_ancestors_need_most) {
  const auto dag = tree();
  CHECK(icsched::depth_first_order(dag.child_rows(), dag.parent_rows(), dag.order,
                                   Bytes{1, 1, 8, 8, 1, 1, 0}) == (Vector{2, 3, 5, 0, 1, 4, 6}));
}

TEST(depth_first_runs_at_once_what_frees_memory) {
  // 0 -> 2, 0 -> 4, 1 -> 3: after the first sink, 4 closes 0 before 1 opens for the next.
  const auto dag = build(5, Vector{0, 0, 1}, Vector{2, 4, 3});
  CHECK(icsched::depth_first_order(dag.child_rows(), dag.parent_rows(), dag.order, Bytes(5, 1)) ==
        (Vector{0, 2, 4, 1, 3}));
}

TEST(pieces_of_a_level_order_move_until_pairs_close_their_parents_early) {
  // Height 3: 0..7 leaves, 8..11, 12, 13, 14. The pairs of one half first, as Rosenberg and
  // Yurkewych 2005 do.
  Vector parents(14), children(14);
  for (std::int32_t task = 0; task < 14; ++task) {
    parents[task] = task;
    children[task] = 8 + task / 2;
  }
  const auto dag = build(15, parents, children);
  CHECK(icsched::exchange_pieces(dag.child_rows(), dag.parent_rows(), dag.order, dag.order,
                                 Bytes(15, 1)) ==
        (Vector{0, 1, 2, 3, 8, 9, 4, 5, 6, 7, 10, 11, 12, 13, 14}));
}

TEST(an_order_without_a_better_place_for_any_piece_stays) {
  const auto dag = pair_and_fork();
  const Vector order{2, 0, 1, 3, 4};
  CHECK(icsched::exchange_pieces(dag.child_rows(), dag.parent_rows(), order, dag.order,
                                 Bytes(5, 1)) == order);
}

TEST(pulling_forward_follows_the_ranks_only_within_the_limit) {
  const auto dag = pair_and_fork();
  const Vector base{0, 1, 2, 3, 4}, ranks{1, 2, 0, 3, 4};  // prefers 2, 0, 1, 3, 4
  const auto pull = [&](std::int64_t limit) {
    return icsched::pull_forward(dag.child_rows(), dag.parent_rows(), base, ranks, Bytes(5, 1),
                                 limit, 8);
  };
  CHECK(pull(2) == (Vector{2, 0, 1, 3, 4}));
  // With one result 2 may only run once 0 is closed.
  CHECK(pull(1) == (Vector{0, 1, 2, 3, 4}));
}

TEST(the_smallest_dags_have_their_orders) {
  const auto none = build(0, {}, {});
  CHECK(icsched::depth_first_order(none.child_rows(), none.parent_rows(), none.order, {}).empty());
  CHECK(icsched::exchange_pieces(none.child_rows(), none.parent_rows(), none.order, {}, {})
            .empty());
  CHECK(icsched::pull_forward(none.child_rows(), none.parent_rows(), none.order, {}, {}, 1, 8)
            .empty());
  const auto one = build(1, {}, {});
  CHECK(icsched::pull_forward(one.child_rows(), one.parent_rows(), one.order, Vector{0}, Bytes{7},
                              1, 8) == Vector{0});
}

TEST(orders_within_memory_can_be_interrupted) {
  const auto dag = chain(10'000);
  const icsched::Rows children = dag.child_rows(), parents = dag.parent_rows();
  const Vector& order = dag.order;  // also the ranks
  const Bytes sizes(10'000, 1);
  CHECK(gives_way([&] { icsched::depth_first_order(children, parents, order, sizes); }));
  CHECK(gives_way([&] { icsched::exchange_pieces(children, parents, order, order, sizes); }));
  CHECK(gives_way([&] { icsched::pull_forward(children, parents, order, order, sizes, 1, 8); }));
}
