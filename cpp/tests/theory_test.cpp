// Shortcuts, blocks, strands and priorities on cases worked by hand.
#include <numeric>
#include <utility>

#include "check.hpp"
#include "gives_way.hpp"
#include "icsched/blocks.hpp"
#include "icsched/decompose.hpp"
#include "icsched/priority.hpp"
#include "icsched/shortcuts.hpp"
#include "icsched/strands.hpp"

using icsched::BuiltBlocks;
using icsched::Built;
using icsched::Kind;
using icsched::Ratio;
using icsched::Strands;
using Bytes = std::vector<std::uint8_t>;
using Counts = std::vector<std::int64_t>;
using Vector = std::vector<std::int32_t>;

namespace {

constexpr std::int32_t exact_nonsinks = 20;
constexpr std::int64_t exact_sets = 20'000;

Built arcs(std::int32_t tasks, std::vector<std::pair<int, int>> pairs) {
  Vector parents, children;
  for (auto [parent, child] : pairs) {
    parents.push_back(parent);
    children.push_back(child);
  }
  return icsched::build(tasks, parents, children);
}

Bytes shortcuts(const Built& dag, std::int64_t patience = 1'000'000,
                std::int64_t most_work = 1'000'000) {
  return icsched::shortcuts(dag.child_rows(), dag.parent_rows(), dag.order, patience, most_work);
}

BuiltBlocks decompose(const Built& dag) { return icsched::decompose(dag.child_rows(), dag.parent_rows()); }

icsched::BlockOrders order_blocks(const Built& dag, std::int32_t most = exact_nonsinks) {
  return icsched::order_blocks(dag.child_rows(), decompose(dag).view(), most, exact_sets, 50 * exact_sets);
}

Vector tree_sum_order(const Built& dag) {
  return icsched::tree_sum_order(dag.child_rows(), decompose(dag).view());
}

Vector kinds(std::vector<Kind> list) {
  Vector numbers;
  for (Kind kind : list) numbers.push_back(static_cast<std::int32_t>(kind));
  return numbers;
}

// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3
Built diamond() { return arcs(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}); }

// 0 -> 2 -> 6 -> 7 and 1 -> 3, with 4 below 0 and 3, and 5 below 1 and 2: the blocks of the
// sources 0 and 1 are one, all but 6 and 7.
Built crossed() { return arcs(8, {{0, 2}, {1, 3}, {0, 4}, {3, 4}, {1, 5}, {2, 5}, {2, 6}, {6, 7}}); }

// 0 -> 1 -> 2 -> .. and 0 -> 2 -> 4 -> ..
Built chain_with_skips() {
  std::vector<std::pair<int, int>> pairs;
  for (int task = 0; task < 10'000; ++task) pairs.push_back({task, task + 1});
  for (int task = 0; task < 10'000; task += 2) pairs.push_back({task, task + 2});
  return arcs(10'001, pairs);
}

}  // namespace

// Shortcuts

TEST(an_arc_past_a_path_is_a_shortcut) {
  // Arcs in the order of rows: 0 -> 1, 0 -> 2, 1 -> 2.
  CHECK(shortcuts(arcs(3, {{0, 1}, {0, 2}, {1, 2}})) == (Bytes{0, 1, 0}));
  // A diamond and then 3 -> 4, with 0 -> 4 past it all: 0 -> 1, 2, 4; 1 -> 3; 2 -> 3; 3 -> 4.
  CHECK(shortcuts(arcs(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {0, 4}})) ==
        (Bytes{0, 0, 1, 0, 0, 0}));
}

TEST(a_long_arc_that_no_path_replaces_is_no_shortcut) {
  // 0 -> 1 -> 2 and 3 -> 2: ids need not be in a legal order either.
  CHECK(shortcuts(arcs(4, {{0, 1}, {1, 2}, {3, 2}})) == (Bytes{0, 0, 0}));
  CHECK(shortcuts(arcs(3, {{2, 1}, {1, 0}, {2, 0}})) == (Bytes{0, 1, 0}));
}

TEST(without_arcs_there_are_no_shortcuts) {
  CHECK(shortcuts(arcs(0, {})).empty());
  CHECK(shortcuts(arcs(3, {})).empty());
}

TEST(a_pass_that_would_take_too_much_work_is_left_out) {
  // Three arcs, and without patience one pass over all of them.
  const Built dag = arcs(3, {{0, 1}, {0, 2}, {1, 2}});
  CHECK(shortcuts(dag, -1, 3) == (Bytes{0, 1, 0}));
  CHECK(shortcuts(dag, -1, 2) == (Bytes{0, 0, 0}));
}

TEST(an_interrupt_ends_searches_and_passes_for_shortcuts) {
  const Built dag = chain_with_skips();
  CHECK(gives_way([&] { shortcuts(dag); }));
  CHECK(gives_way([&] { shortcuts(dag, -1); }));
}

// Decomposition

TEST(an_interrupt_ends_a_decomposition) {
  const Built dag = chain_with_skips();
  CHECK(gives_way([&] { decompose(dag); }));
}

TEST(a_diamond_falls_into_a_fork_and_a_join) {
  const BuiltBlocks blocks = decompose(diamond());
  CHECK(blocks.nonsink_offsets == (Vector{0, 1, 3}));
  CHECK(blocks.nonsinks == (Vector{0, 1, 2}));
  CHECK(blocks.sink_offsets == (Vector{0, 2, 3}));
  CHECK(blocks.sinks == (Vector{1, 2, 3}));
  CHECK(blocks.bipartite == (Bytes{1, 1}));
}

TEST(a_general_block_leaves_what_only_its_inner_tasks_lead_to) {
  const BuiltBlocks blocks = decompose(crossed());
  CHECK(blocks.nonsink_offsets == (Vector{0, 4, 5}));
  CHECK(blocks.nonsinks == (Vector{0, 1, 2, 3, 6}));
  CHECK(blocks.sinks == (Vector{4, 5, 7}));
  CHECK(blocks.bipartite == (Bytes{0, 1}));
}

TEST(isolated_tasks_are_in_no_block) {
  for (std::int32_t tasks : {0, 3}) {
    const BuiltBlocks blocks = decompose(arcs(tasks, {}));
    CHECK(blocks.nonsink_offsets == Vector{0} && blocks.sink_offsets == Vector{0});
    CHECK(blocks.nonsinks.empty() && blocks.sinks.empty() && blocks.bipartite.empty());
  }
  CHECK(decompose(arcs(3, {{2, 1}})).nonsinks == Vector{2});
}

// Orders of blocks

TEST(a_fork_and_a_join_are_trees) {
  const auto orders = order_blocks(diamond());
  CHECK(orders.kind == kinds({Kind::tree, Kind::tree}));
  CHECK(orders.nonsinks == (Vector{0, 1, 2}));
  CHECK(orders.sources == (Vector{1, 2}));
  CHECK(orders.arcs == (Vector{2, 2}));
  CHECK(orders.enabled == (Vector{0, 2, 0, 0, 1}));  // two profiles, one after the other
}

TEST(a_cycle_is_gone_round) {
  // Sources 0, 1, 2, 3 with sinks 01, 12, 23, 30, numbered 4 to 7.
  const auto orders = order_blocks(arcs(8, {{0, 4}, {1, 4}, {1, 5}, {2, 5}, {2, 6}, {3, 6}, {3, 7}, {0, 7}}));
  CHECK(orders.kind == kinds({Kind::cycle}));
  CHECK(orders.enabled == (Vector{0, 0, 1, 2, 4}));
}

TEST(complete_blocks_and_cliques_are_recognised) {
  // Three sources over two sinks; four sources with a sink for each of the six pairs.
  CHECK(order_blocks(arcs(5, {{0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}})).kind ==
        kinds({Kind::complete}));
  const std::vector<std::pair<int, int>> pairs{{0, 4}, {1, 4}, {0, 5}, {2, 5}, {0, 6}, {3, 6},
                                               {1, 7}, {2, 7}, {1, 8}, {3, 8}, {2, 9}, {3, 9}};
  const auto clique = order_blocks(arcs(10, pairs));
  CHECK(clique.kind == kinds({Kind::clique}));
  CHECK(clique.enabled == (Vector{0, 0, 1, 3, 6}));
  std::vector<std::pair<int, int>> reversed;
  for (auto [source, sink] : pairs) reversed.emplace_back(sink, source);
  const auto dual = order_blocks(arcs(10, reversed));
  CHECK(dual.kind == kinds({Kind::coclique}));
  CHECK(dual.enabled == (Vector{0, 0, 0, 1, 1, 2, 4}));  // 3 sources for a sink, then 2, then 1
}

TEST(other_blocks_go_to_the_referee_if_small_and_to_rules_if_not) {
  // Two sinks of 0 and 1, one of 1 and 2: both of the first two at the second step.
  const auto dag = arcs(6, {{0, 3}, {1, 3}, {0, 4}, {1, 4}, {1, 5}, {2, 5}});
  CHECK(order_blocks(dag).kind == kinds({Kind::exact}));
  CHECK(order_blocks(dag).enabled == (Vector{0, 0, 2, 3}));
  CHECK(order_blocks(dag, 2).kind == kinds({Kind::ruled}));
  CHECK(icsched::order_blocks(dag.child_rows(), decompose(dag).view(), exact_nonsinks, exact_sets, 0).kind ==
        kinds({Kind::ruled}));
}

TEST(a_block_without_an_ic_optimal_order_gets_one_of_largest_area) {
  // Sinks 3 of 0; 4 and 5 of 1 and 2; 6 of all. Best after one is {0}, after two {1, 2}.
  // The area is 0 + 1 + 1 + 4 or 0 + 0 + 2 + 4.
  const auto orders =
      order_blocks(arcs(7, {{0, 3}, {1, 4}, {2, 4}, {1, 5}, {2, 5}, {0, 6}, {1, 6}, {2, 6}}));
  CHECK(orders.kind == kinds({Kind::searched}));
  CHECK(std::accumulate(orders.enabled.begin(), orders.enabled.end(), 0) == 6);
}

TEST(a_general_block_counts_its_inner_arcs_and_sources) {
  const auto orders = order_blocks(crossed());
  CHECK(orders.sources == (Vector{2, 1}));
  CHECK(orders.arcs == (Vector{6, 1}));  // not 2 -> 6
  CHECK(orders.enabled == (Vector{0, 1, 2, 3, 4, 0, 1}));
}

TEST(no_blocks_have_no_orders) {
  const auto orders = order_blocks(arcs(2, {}));
  CHECK(orders.nonsinks.empty() && orders.kind.empty() && orders.enabled.empty());
  CHECK(tree_sum_order(arcs(2, {})).empty());
}

// Strands

TEST(sums_of_trees_run_by_what_they_enable) {
  // An arc 0 -> 1 and a fork 2 -> 3, 4.
  CHECK(tree_sum_order(arcs(5, {{0, 1}, {2, 3}, {2, 4}})) == (Vector{2, 0}));
  // A join 0, 1 -> 2 beside an N-dag 4 -> 5, 6 and 3 -> 6.
  CHECK(tree_sum_order(arcs(7, {{0, 2}, {1, 2}, {3, 6}, {4, 5}, {4, 6}})) == (Vector{4, 3, 0, 1}));
}

TEST(what_is_no_sum_of_trees_has_no_such_order) {
  CHECK(tree_sum_order(arcs(4, {{0, 2}, {1, 2}, {0, 3}, {1, 3}})).empty());
  // Three paths from 0, each to a source with a sink of its own: the spine branches.
  CHECK(tree_sum_order(arcs(10, {{0, 4}, {1, 4}, {0, 5}, {2, 5}, {0, 6}, {3, 6}, {1, 7}, {2, 8}, {3, 9}}))
            .empty());
}

TEST(a_strand_starts_where_most_is_enabled) {
  // Two sources that share a sink, with two and one sinks of their own; and mirrored.
  CHECK(icsched::greedy_order({{0, 2}, {2, 1}, {1, 0}, {0, 1}}) == (Vector{0, 1}));
  CHECK(icsched::greedy_order({{0, 2}, {1, 2}, {1, 0}, {0, 1}}) == (Vector{1, 0}));
  // W[4,2,4,3] of Cordasco, Malewicz and Rosenberg 2007: three own, none, two, two; the order is
  // worked there.
  CHECK(icsched::greedy_order({{0, 4}, {3, 0, 2, 2}, {1, 1, 1, 0}, {0, 1, 1, 1}}) == (Vector{0, 2, 3, 1}));
}

TEST(strands_take_turns) {
  // Forks of one and of three sinks.
  CHECK(icsched::greedy_order({{0, 1, 2}, {1, 3}, {0, 0}, {0, 0}}) == (Vector{1, 0}));
  // Twice two sources with three own sinks, one own sink and one shared: both threes first.
  CHECK(icsched::greedy_order({{0, 2, 4}, {3, 1, 3, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}}) ==
        (Vector{0, 2, 1, 3}));
}

TEST(no_strands_have_an_empty_order) { CHECK(icsched::greedy_order(Strands{}).empty()); }

// Priorities

TEST(a_join_has_half_the_priority_over_a_fork) {
  const Counts join{2, 1, 1}, fork{1, 2};
  CHECK(icsched::priority(join, fork) == Ratio{1, 2});  // 1 + 1 eligible instead of 2 + 2
  CHECK(icsched::priority(fork, join) == Ratio{1, 1});
  CHECK(icsched::priority(Counts{0, 0, 1}, Counts{0, 2}) == Ratio{0, 1});
}

TEST(sums_of_nothing_impose_nothing) {
  CHECK(icsched::priority(Counts{0}, Counts{0}) == Ratio{1, 1});
  CHECK(icsched::priority(Counts{0, 0, 0}, Counts{0}) == Ratio{1, 1});
}

TEST(long_stretches_of_equal_slope_are_compared_at_their_ends) {
  // N(1000) enables 0, 1, .., 1000 and C(1000) 0, 0, 1, .., 998, 1000. The cycle first has 0
  // after a step, where 1 was possible. N first has all that is possible up to 1000 steps;
  // after 1001 it has 1000, where all of the cycle and a step of N have 1001.
  Counts steady(1001), late(1001);
  std::iota(steady.begin(), steady.end(), 0);
  std::iota(late.begin() + 1, late.end(), 0);
  late.back() = 1000;
  CHECK(icsched::priority(late, steady) == Ratio{0, 1});
  CHECK(icsched::priority(steady, late) == Ratio{1000, 1001});
}

TEST(two_blocks_are_interleaved_if_every_step_can_be_best) {
  // Gains 2 and 3, 1: three, two, one. Gains 1 and 0, 3: best is first the one, then the three.
  CHECK(icsched::interleaving(Vector{0, 2}, Vector{0, 3, 4}) == (Bytes{1, 0, 1}));
  CHECK(icsched::interleaving(Vector{0, 1}, Vector{0, 0, 3}).empty());
  CHECK(icsched::interleaving(Vector{0, 1, 2}, Vector{0, 1}) == (Bytes{0, 0, 1}));
}

TEST(beside_nothing_a_block_runs_alone) {
  CHECK(icsched::interleaving(Vector{0}, Vector{0, 0, 1}) == (Bytes{1, 1}));
  CHECK(icsched::interleaving(Vector{0, 0, 1}, Vector{0}) == (Bytes{0, 0}));
  CHECK(icsched::interleaving(Vector{0}, Vector{0}).empty());
}

TEST(the_block_that_loses_least_in_the_worst_case_runs_first) {
  // A join, an arc and a fork of three, side by side.
  const auto dag = arcs(3, {});
  const auto order = icsched::superdag_order(dag.child_rows(), dag.parent_rows(), Vector{0, 1, 2},
                                             Vector{0, 3, 5}, Vector{0, 3, 5, 7}, Counts{2, 1, 1, 1, 1, 1, 3});
  CHECK(order.blocks == (Vector{2, 1, 0}));
  CHECK(order.has_priority == (Bytes{1, 1, 1}));
}

TEST(ties_go_to_the_smaller_key) {
  // A cycle of two and an arc have priority 2/3 over each other.
  const auto dag = arcs(2, {});
  const Vector offsets{0, 3, 5}, profile_of{0, 1};
  const Counts counts{2, 1, 2, 1, 1};
  const auto run = [&](const Vector& keys) {
    return icsched::superdag_order(dag.child_rows(), dag.parent_rows(), profile_of, keys, offsets, counts);
  };
  CHECK(run({0, 4}).blocks == (Vector{0, 1}));
  CHECK(run({4, 0}).blocks == (Vector{1, 0}));
  CHECK(run({0, 4}).has_priority == (Bytes{0, 1}));
}

TEST(a_block_waits_for_those_it_depends_on) {
  // The fork 0 would go first, but waits for the join 1; the arc 2 goes before both.
  const auto dag = arcs(3, {{1, 0}});
  const auto order = icsched::superdag_order(dag.child_rows(), dag.parent_rows(), Vector{2, 0, 1},
                                             Vector{0, 1, 2}, Vector{0, 3, 5, 7}, Counts{2, 1, 1, 1, 1, 1, 3});
  CHECK(order.blocks == (Vector{2, 1, 0}));
  CHECK(order.has_priority == (Bytes{1, 0, 1}));
}

TEST(equal_blocks_run_by_key_and_count_among_each_other) {
  // Two strands of profile 2, 4, 5 want to take turns: over each other they have 7/8, after
  // two steps 5 + 2 instead of 4 + 4. The arc has 3/5 over them: they go first, by key.
  const auto dag = arcs(3, {});
  const auto order = icsched::superdag_order(dag.child_rows(), dag.parent_rows(), Vector{0, 1, 0},
                                             Vector{7, 0, 3}, Vector{0, 3, 5}, Counts{2, 4, 5, 1, 1});
  CHECK(order.blocks == (Vector{2, 0, 1}));
  CHECK(order.has_priority == (Bytes{0, 1, 1}));
}

TEST(an_empty_superdag_has_an_empty_order) {
  const auto dag = arcs(0, {});
  const auto order =
      icsched::superdag_order(dag.child_rows(), dag.parent_rows(), Vector{}, Vector{}, Vector{0}, Counts{});
  CHECK(order.blocks.empty() && order.has_priority.empty());
}
