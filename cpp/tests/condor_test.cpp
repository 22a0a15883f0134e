#include "icsched/sim_condor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>

#include "check.hpp"

using namespace icsched;
using Vector = std::vector<std::int32_t>;
using Amounts = std::vector<std::int64_t>;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// A dag with all that both models refer to. Tasks hold the amounts of a group, in turn.
struct Slots {
  Built dag;
  std::vector<double> means;
  Vector classes, groups, categories, limits{2};
  Amounts amounts{1, 1, 2, 3, 4, 1}, capacities{4, 4, 6, 4, 6, 3};

  Slots(std::int32_t tasks, const Vector& parents, const Vector& children)
      : dag(build(tasks, parents, children)), means(tasks, 1.0) {
    for (std::int32_t task = 0; task < tasks; ++task) {
      classes.push_back(task % 2);
      groups.push_back(task % 3);
      categories.push_back(task % 4 == 0 ? 0 : -1);
    }
  }

  SimModel model(Rule rule) {
    return {dag.child_rows(), rule, dag.order, means, TimeLaw::normal, 0.3, 0, {},
            1.0, 0.0, 1.0, false, 0.0, never, never, 1, 0.0, 0.0, {}, {}, classes};
  }
  SlotModel slots(std::int64_t most, double hold, bool exact_cores) {
    const SlotDelays delays{1.2, 0.01, 0.1, 0.1, 0.03, 0.1, 0.05, 1.05, 0.5, 0.05};
    return {groups, amounts, capacities, 2,   categories, limits, most, most, most, exact_cores,
            1.0,    hold,    5.0,        1.0, 2.0,        1.0,    9.0,  5.0,  1e15, delays};
  }
};

Slots random_slots(std::int32_t tasks, std::mt19937& rng) {
  Vector parents, children;
  for (std::int32_t child = std::max(1, tasks / 2); child < tasks; ++child) {
    parents.push_back(static_cast<std::int32_t>(rng() % child));
    children.push_back(child);
  }
  return {tasks, parents, children};
}

// Whether each task ran once, after its parents, and no machine held more than it has.
bool is_sound(const Slots& world, const SimTrace& trace) {
  const std::size_t tasks = world.groups.size();
  std::vector<double> start(tasks, -1.0), end(tasks, -1.0);
  std::map<double, std::map<std::int64_t, Amounts>> changes;
  for (std::size_t i = 0; i < trace.task.size(); ++i) {
    const std::int32_t task = trace.task[i];
    if (start[task] >= 0.0) return false;
    start[task] = trace.time[i];
    end[task] = trace.end[i];
    for (const auto& [when, sign] : {std::pair{start[task], 1}, {end[task], -1}}) {
      Amounts& held = changes[when][trace.request[i]];
      held.resize(2);
      for (int j = 0; j < 2; ++j) held[j] += sign * world.amounts[world.groups[task] * 2 + j];
    }
  }
  for (std::size_t task = 0; task < tasks; ++task) {
    if (start[task] < 0.0) return false;
    for (std::int32_t child : world.dag.child_rows()[task]) {
      if (start[child] < end[task]) return false;
    }
  }
  Amounts held(world.capacities.size());
  for (const auto& [when, machines] : changes) {
    for (const auto& [machine, change] : machines) {
      for (int j = 0; j < 2; ++j) {
        held[machine * 2 + j] += change[j];
        if (held[machine * 2 + j] > world.capacities[machine * 2 + j]) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST(jobs_run_once_after_their_parents_on_machines_that_have_room) {
  std::mt19937 rng(1);
  for (int i = 0; i < 200; ++i) {
    Slots world = random_slots(1 + static_cast<std::int32_t>(rng() % 60), rng);
    const Rule rule = std::array{Rule::ranked, Rule::fifo, Rule::classed}[i % 3];
    const SlotModel slots = world.slots(i % 5 == 0 ? 3 : 1000, i % 2 * 7.0, i % 7 == 0);
    SimTrace trace;
    const SimRuns runs =
        simulate_condor(world.model(rule), slots, {rng(), 0, 1, 1}, &trace);
    CHECK(is_sound(world, trace));
    CHECK(runs.time[0] == *std::ranges::max_element(trace.end));
  }
}

TEST(threads_share_runs_on_slots) {
  std::mt19937 rng(2);
  Slots world = random_slots(50, rng);
  const SimModel model = world.model(Rule::fifo);
  const SlotModel slots = world.slots(1000, 3.0, false);
  const SimRuns alone = simulate_condor(model, slots, {1, 0, 40, 1});
  const SimRuns shared = simulate_condor(model, slots, {1, 0, 40, 3});
  CHECK(alone.time == shared.time && alone.work == shared.work);
}

TEST(a_claim_that_is_never_given_back_ends_a_run) {
  Slots world(2, {0}, {1});
  world.groups = {0, 2};
  world.capacities = {4, 4};
  const SlotModel slots = world.slots(10, 1e100, false);
  CHECK(simulate_condor(world.model(Rule::fifo), slots, {1, 0, 1, 1}).time[0] == never);
}
