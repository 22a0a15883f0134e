#include "icsched/sim_machines.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "icsched/sim.hpp"

using namespace icsched;
using Row = std::vector<std::int64_t>;

namespace {

// Rows of small amounts, so that many are equal.
Row random_rows(std::size_t rows, std::size_t resources, std::int64_t most, std::mt19937& rng) {
  Row amounts(rows * resources);
  for (std::int64_t& amount : amounts) amount = static_cast<std::int64_t>(rng() % (most + 1));
  return amounts;
}

std::int32_t slow_find(const Row& free, std::size_t resources, const std::int64_t* amounts) {
  std::int32_t best = FreeMachines::none;
  for (std::size_t machine = 0; machine * resources < free.size(); ++machine) {
    if (!fits(amounts, &free[machine * resources], resources)) continue;
    if (best != FreeMachines::none && free[best * resources] <= free[machine * resources]) continue;
    best = static_cast<std::int32_t>(machine);
  }
  return best;
}

}  // namespace

TEST(the_machine_found_is_the_one_that_a_search_of_all_finds) {
  std::mt19937 rng(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t resources = 1 + rng() % 3, count = 1 + rng() % (round % 10 == 0 ? 500 : 40);
    const Row groups = random_rows(1 + rng() % 8, resources, 4, rng);  // or one: cores decide
    const Row capacities = random_rows(count, resources, 12, rng);
    FreeMachines machines(resources, groups, capacities);
    for (int run = 0; run < 2; ++run) {
      if (run > 0) machines.clear();
      Row free = capacities;
      std::vector<std::pair<std::int32_t, const std::int64_t*>> held;
      for (int step = 0; step < 100; ++step) {
        const std::int64_t* amounts = &groups[rng() % (groups.size() / resources) * resources];
        const std::int32_t found = machines.find(amounts);
        CHECK(found == slow_find(free, resources, amounts));
        if (found != FreeMachines::none) {
          machines.hold(found, amounts);
          held.emplace_back(found, amounts);
          for (std::size_t r = 0; r < resources; ++r) free[found * resources + r] -= amounts[r];
        }
        if (!held.empty() && rng() % 3 == 0) {
          std::swap(held[rng() % held.size()], held.back());
          const auto [machine, back] = held.back();
          held.pop_back();
          machines.give_back(machine, back);
          for (std::size_t r = 0; r < resources; ++r) free[machine * resources + r] += back[r];
        }
      }
      for (std::size_t machine = 0; machine < count; ++machine) {
        CHECK(std::equal(&free[machine * resources], &free[machine * resources] + resources,
                         machines.free(static_cast<std::int32_t>(machine))));
      }
    }
  }
}

TEST(the_group_found_is_the_one_with_the_least_key_that_fits) {
  std::mt19937 rng(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t resources = 1 + rng() % 3, count = 1 + rng() % 40;
    const Row groups = random_rows(count, resources, 9, rng);
    WaitingGroups waiting(resources, groups);
    std::vector<std::uint64_t> keys(count, WaitingGroups::nothing);
    for (int step = 0; step < 200; ++step) {
      const auto changed = static_cast<std::int32_t>(rng() % count);
      keys[changed] = rng() % 4 == 0 ? WaitingGroups::nothing : std::uint64_t{rng()} * 64 + changed;
      waiting.set(changed, keys[changed]);
      const Row into = random_rows(1, resources, 9, rng);
      WaitingGroups::Found expected;
      for (std::size_t group = 0; group < count; ++group) {
        if (keys[group] < expected.key && fits(&groups[group * resources], into.data(), resources))
          expected = {keys[group], static_cast<std::int32_t>(group)};
      }
      const auto found = waiting.first(into.data());
      CHECK(found.key == expected.key);
      CHECK(found.group == expected.group);
    }
    waiting.clear();
    CHECK(waiting.first(Row(resources, 100).data()).group == -1);
  }
}

TEST(a_task_that_does_not_fit_is_passed_over) {
  // One machine of 4 cores. Task 0 holds 3 for 2; task 1 holds 2, tasks 2 and 3 hold 1 for 1.
  const Built dag = build(4, {}, {});
  const std::vector<std::int32_t> order{0, 1, 2, 3}, groups{2, 1, 0, 0};
  const std::vector<double> means{2.0, 1.0, 1.0, 1.0};
  const Row amounts{1000, 2000, 3000}, capacities{4000};
  constexpr double never = std::numeric_limits<double>::infinity();
  SimModel model{dag.child_rows(), Rule::ranked, order, means, TimeLaw::normal, 0.0, 0, {},
                 1.0, 0.0, 1.0, false, 0.0, never, never, 1, 0.0, 0.0, {}, {}, {},
                 {1, groups, amounts, capacities, 100, 100}};
  SimTrace trace;
  const SimRuns found = simulate(model, {1, 0, 1, 1}, &trace);
  CHECK(trace.task == (std::vector<std::int32_t>{0, 2, 3, 1}));
  CHECK(trace.time == (std::vector<double>{0.0, 0.0, 1.0, 2.0}));
  CHECK(found.time == std::vector<double>{3.0});
  CHECK(found.requests == std::vector<std::int64_t>{7});
  CHECK(found.stalls == std::vector<std::int64_t>{0});
  CHECK(found.work == std::vector<double>{10.0});

  model.machines.max_jobs = 1;
  SimTrace alone;
  simulate(model, {1, 0, 1, 1}, &alone);
  CHECK(alone.time == (std::vector<double>{0.0, 2.0, 3.0, 4.0}));
}
