// Long work on blocks, strands and superdags: it can be interrupted, and naming blocks in bulk.
#include <utility>

#include "check.hpp"
#include "gives_way.hpp"
#include "icsched/blocks.hpp"
#include "icsched/decompose.hpp"
#include "icsched/priority.hpp"
#include "icsched/shapes.hpp"
#include "icsched/strands.hpp"

using icsched::BuiltBlocks;
using icsched::Built;
using icsched::Strands;
using Counts = std::vector<std::int64_t>;
using Vector = std::vector<std::int32_t>;

namespace {

BuiltBlocks decompose(const Built& dag) { return icsched::decompose(dag.child_rows(), dag.parent_rows()); }

// A strand of W-dags: each source has so many sinks of its own, and one shared with the next.
Strands strand(const Vector& own) {
  Strands strands;
  const auto sources = static_cast<std::int32_t>(own.size());
  strands.offsets.push_back(sources);
  strands.own = own;
  for (std::int32_t u = 0; u < sources; ++u) {
    strands.left.push_back(u + 1 < sources);
    strands.right.push_back(u > 0);
  }
  return strands;
}

Vector many(std::int32_t count, std::int32_t period) {
  Vector own;
  for (std::int32_t i = 0; i < count; ++i) own.push_back(i % period == 0);
  return own;
}

// Each of `count` sources is a parent of the sinks i, i + 1 and i + 7.
Built woven(std::int32_t count) {
  Vector parents, children;
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t step : {0, 1, 7}) {
      parents.push_back(i);
      children.push_back(count + (i + step) % count);
    }
  }
  return icsched::build(2 * count, parents, children);
}

// A sum of `count` forks of two.
Built forks(std::int32_t count) {
  Vector parents, children;
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t sink : {0, 1}) {
      parents.push_back(i);
      children.push_back(count + 2 * i + sink);
    }
  }
  return icsched::build(3 * count, parents, children);
}

}  // namespace

TEST(the_greedy_on_strands_ends_when_the_user_wants_out) {
  const Strands strands = strand(many(30'000, 3));
  CHECK(gives_way([&] { icsched::greedy_order(strands); }));
}

TEST(ordering_a_large_block_by_rules_ends_when_the_user_wants_out) {
  const Built dag = woven(20'000);
  const BuiltBlocks blocks = decompose(dag);
  CHECK(gives_way([&] { icsched::order_blocks(dag.child_rows(), blocks.view(), 20, 20'000, 1'000'000); }));
}

TEST(ordering_many_blocks_and_their_sum_ends_when_the_user_wants_out) {
  const Built dag = forks(30'000);
  const BuiltBlocks blocks = decompose(dag);
  CHECK(gives_way([&] { icsched::order_blocks(dag.child_rows(), blocks.view(), 20, 20'000, 1'000'000); }));
  CHECK(gives_way([&] { icsched::tree_sum_order(dag.child_rows(), blocks.view()); }));
}

TEST(ordering_a_superdag_ends_when_the_user_wants_out) {
  const Built dag = forks(30'000);
  const Vector same(dag.order.size(), 0);
  CHECK(gives_way([&] {
    icsched::superdag_order(dag.child_rows(), dag.parent_rows(), same, dag.order, Vector{0, 2}, Counts{1, 1});
  }));
}

TEST(comparing_two_profiles_of_many_bends_ends_when_the_user_wants_out) {
  Counts profile;
  for (std::int64_t i = 0; i < 1'000; ++i) profile.push_back(i * i % 7);
  CHECK(gives_way([&] { icsched::priority(profile, profile); }));
}

TEST(a_strand_that_loses_its_ends_in_turn_runs_from_the_ends_inwards) {
  // 41 sources; the even ones up to 18 have own sinks 40, 38, .. from the left, those from
  // 40 down to 22 have 39, 37, ..: left and right take turns, then what is between. The
  // others have none; each gets two when both neighbours are gone, and all are alike.
  Vector own(41, 0);
  for (std::int32_t i = 0; i < 10; ++i) {
    own[2 * i] = 40 - 2 * i;
    own[40 - 2 * i] = 39 - 2 * i;
  }
  const Vector order = icsched::greedy_order(strand(own));
  for (std::int32_t i = 0; i < 10; ++i) {
    CHECK(order[2 * i] == 2 * i);
    CHECK(order[2 * i + 1] == 40 - 2 * i);
  }
}

TEST(shapes_and_spines_say_what_a_block_looks_like) {
  // W[2,3]: 0 has the sinks 2 and 3, 1 has 3, 4 and 5; the spine 1, 3, 0 has degrees 3, 2, 2.
  const Built dag = icsched::build(6, Vector{0, 0, 1, 1, 1}, Vector{2, 3, 3, 4, 5});
  const BuiltBlocks blocks = decompose(dag);
  const auto shapes = icsched::block_shapes(dag.child_rows(), blocks.view());
  CHECK(shapes.sources == Vector{2});
  CHECK(shapes.sinks == Vector{4});
  CHECK(shapes.members == Vector{6});
  CHECK(shapes.least_out == Vector{2});
  CHECK(shapes.most_out == Vector{3});
  CHECK(shapes.least_in == Vector{1});
  CHECK(shapes.most_in == Vector{2});
  CHECK(shapes.bipartite == std::vector<std::uint8_t>{1});
  const auto spines = icsched::block_spines(dag.child_rows(), blocks.view(), Vector{0});
  CHECK(spines.offsets == Vector{0, 3});
  CHECK(spines.degrees == Vector{3, -2, 2});
}
