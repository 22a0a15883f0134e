#include "icsched/batch.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "gives_way.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/max_plus.hpp"
#include "icsched/profiles.hpp"

using namespace icsched;
using Vector = std::vector<std::int32_t>;

namespace {

constexpr std::int64_t unlimited = std::int64_t{1} << 60;

// Sinks 0 1 and 1 2 and 2 3, a W of four sources upside down: r of them enable r - 1.
BuiltFront path() { return {{0, 0, 0, 0}, {0, 2, 4, 6}, {0, 1, 1, 2, 2, 3}, {1, 1, 1}}; }

// The same with a sink 0 3: a cycle.
BuiltFront ring() { return {{0, 0, 0, 0}, {0, 2, 4, 6, 8}, {0, 1, 1, 2, 2, 3, 0, 3}, {1, 1, 1, 1}}; }

}  // namespace

TEST(a_front_has_yields_and_sinks_and_joins_sinks_with_the_same_parents) {
  // 0 has run; 1 and 2 are offered. 3 waits for 0 and 1, 4 and 5 for 1 and 2, 6 for 3 too.
  const auto dag = build(7, Vector{0, 1, 1, 2, 1, 2, 3, 2}, Vector{3, 3, 4, 4, 5, 5, 6, 6});
  const std::vector<std::uint8_t> states{1, 2, 2, 0, 0, 0, 0};
  const auto front = batch_front(dag.child_rows(), dag.parent_rows(), states, Vector{2, 1});
  CHECK(front.yields == (Vector{0, 1}));
  CHECK(front.parents == (Vector{0, 1}));
  CHECK(front.weights == Vector{2});
}

TEST(greedy_takes_all_that_a_sink_waits_for) {
  const BuiltFront front{{1, 0, 0}, {0, 2}, {1, 2}, {3}};
  const auto choice = greedy_batch(front.view(), 2);
  CHECK(choice.sources == (Vector{1, 2}));
  CHECK(choice.enabled == 3);
  CHECK(greedy_batch(front.view(), 0).sources.empty());
  CHECK(greedy_batch(front.view(), 1).sources == Vector{0});
}

TEST(the_bound_shares_sinks_out) {
  const auto front = path();
  CHECK(most_enabled(front.view(), 0) == 0);
  CHECK(most_enabled(front.view(), 1) == 1);  // shares are 1/2, 1, 1, 1/2
  CHECK(most_enabled(front.view(), 3) == 2);
  CHECK(most_enabled(front.view(), 4) == 3);
}

TEST(a_path_is_solved_as_a_tree) {
  const auto front = path();
  for (std::int32_t count = 0; count <= 4; ++count) {
    const auto exact = exact_batch(front.view(), count, 0, unlimited);
    CHECK(exact.result == Solving::solved);
    CHECK(exact.trees_only);
    CHECK(exact.choice.enabled == std::max(0, count - 1));
    CHECK(static_cast<std::int32_t>(exact.choice.sources.size()) == count);
  }
}

TEST(a_ring_is_enumerated_or_refused) {
  const auto front = ring();
  CHECK(exact_batch(front.view(), 2, 3, unlimited).result == Solving::not_a_tree);
  CHECK(exact_batch(front.view(), 2, 3, unlimited).culprit == 0);
  const auto exact = exact_batch(front.view(), 4, 4, unlimited);
  CHECK(exact.choice.enabled == 4);
  CHECK(!exact.trees_only);
  CHECK(exact_batch(front.view(), 2, 4, 10).result == Solving::too_much_work);
}

TEST(an_empty_front_is_solved) {
  const BuiltFront front{{}, {0}, {}, {}};
  CHECK(exact_batch(front.view(), 0, 16, unlimited).choice.sources.empty());
  CHECK(greedy_batch(front.view(), 0).sources.empty());
  CHECK(most_enabled(front.view(), 0) == 0);
}

TEST(a_long_path_is_solved_by_halves_again_and_again) {
  constexpr std::int32_t sources = 500;
  BuiltFront front{Vector(sources), {0}, {}, Vector(sources - 1, 1)};
  for (std::int32_t i = 0; i + 1 < sources; ++i) {
    front.parents.insert(front.parents.end(), {i, i + 1});
    front.sink_offsets.push_back(2 * (i + 1));
  }
  const auto exact = exact_batch(front.view(), 200, 0, unlimited);
  CHECK(exact.choice.enabled == 199);
  auto chosen = exact.choice.sources;
  std::ranges::sort(chosen);
  CHECK(chosen.back() - chosen.front() == 199);
}

TEST(a_long_computation_can_be_interrupted) {
  constexpr std::int32_t sources = 30'000;
  BuiltFront front{Vector(sources), {0}, {}, Vector(sources - 1, 1)};
  for (std::int32_t i = 0; i + 1 < sources; ++i) {
    front.parents.insert(front.parents.end(), {i, i + 1});
    front.sink_offsets.push_back(2 * (i + 1));
  }
  const InterruptScope at_once([] { return true; });
  CHECK_THROWS(exact_batch(front.view(), 15'000, 0, unlimited), Interrupted);
}

TEST(fronts_and_greedy_batches_can_be_interrupted) {
  constexpr std::int32_t sources = 10'000;  // all parents of one sink, which comes last
  Vector parents(sources);
  std::iota(parents.begin(), parents.end(), 0);
  const auto dag = build(sources + 1, parents, Vector(sources, sources));
  std::vector<std::uint8_t> states(sources + 1, static_cast<std::uint8_t>(TaskState::offered));
  states.back() = static_cast<std::uint8_t>(TaskState::waiting);
  const auto front = [&] {
    return batch_front(dag.child_rows(), dag.parent_rows(), states, parents);
  };
  const BuiltFront join = front();
  CHECK(gives_way(front));
  CHECK(gives_way([&] { greedy_batch(join.view(), sources); }));
  CHECK(gives_way([&] { most_enabled(join.view(), sources); }));
}

TEST(looking_at_every_set_can_be_interrupted) {
  constexpr std::int32_t sources = 16;  // in a ring
  BuiltFront ring{Vector(sources), {0}, {}, Vector(sources, 1)};
  for (std::int32_t i = 0; i < sources; ++i) {
    const std::int32_t next = (i + 1) % sources;
    ring.parents.insert(ring.parents.end(), {std::min(i, next), std::max(i, next)});
    ring.sink_offsets.push_back(2 * (i + 1));
  }
  CHECK(gives_way([&] { exact_batch(ring.view(), 8, sources, unlimited); }));
}

TEST(the_best_profile_of_a_tree_looks_at_every_number_of_sources) {
  // Sources 0, 1, 2 in a row: a sink of 0 and 1 that counts 1, one of 1 and 2 that counts 3.
  BuiltFront path{Vector{0, 0, 0}, {0, 2, 4}, {0, 1, 1, 2}, {1, 3}};
  CHECK(icsched::tree_profile(path.view()) == (Vector{0, 0, 3, 4}));
  BuiltFront alone{Vector{2}, {0}, {}, {}};
  CHECK(icsched::tree_profile(alone.view()) == (Vector{0, 2}));
}

TEST(profiles_side_by_side_are_divided_in_the_best_way) {
  CHECK(icsched::max_plus(Vector{0, 2}, Vector{0, 0, 3}) == (Vector{0, 2, 3, 5}));
  CHECK(icsched::max_plus(Vector{0}, Vector{0, 1}) == (Vector{0, 1}));
}

TEST(executions_are_shared_out_to_give_the_most) {
  MaxPlus max_plus(5);
  const Yield jump{0, {0, 0, 5}}, steps{0, {0, 2, 3}}, due{1, {1, 1}};
  CHECK(max_plus.sum(jump, steps).values == (Vector{0, 2, 5, 7, 8}));
  CHECK(max_plus.sum(steps, steps).values == (Vector{0, 2, 4, 5, 6}));  // both concave
  CHECK(max_plus.split({jump, steps, due}, 4) == (Vector{2, 1, 1}));
  CHECK(max_plus.split({jump, steps, due}, 3) == (Vector{2, 0, 1}));
  MaxPlus few(2);
  CHECK(few.sum(jump, due).values == (Vector{1, 1}));
  CHECK(few.sum({3, {1}}, due).empty());
}
