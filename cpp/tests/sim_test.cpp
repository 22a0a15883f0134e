#include "icsched/sim.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "check.hpp"
#include "icsched/draws.hpp"
#include "icsched/eligible.hpp"
#include "icsched/interrupt.hpp"

using namespace icsched;
using Vector = std::vector<std::int32_t>;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// A dag with all that a model refers to; constant times of 1.
struct World {
  Built dag;
  std::vector<double> means, speeds;
  Vector classes;  // three, in turn

  World(std::int32_t tasks, const Vector& parents, const Vector& children)
      : dag(build(tasks, parents, children)), means(tasks, 1.0) {
    for (std::int32_t task = 0; task < tasks; ++task) classes.push_back(task % 3);
  }

  SimModel workers(std::int64_t count, Rule rule = Rule::fifo) {
    speeds.assign(count, 1.0);
    return {dag.child_rows(), rule, dag.order, means, TimeLaw::normal, 0.0, count, speeds,
            1.0, 0.0, 1.0, false, 0.0, never, never, 1, 0.0, 0.0, {}, {}, classes};
  }
  SimModel batches(double interval, double size, Rule rule = Rule::fifo) {
    SimModel model = workers(1, rule);
    model.workers = 0;
    model.interval = interval;
    model.size_shift = size;
    return model;
  }
};

World fork() { return {3, {0, 0}, {1, 2}}; }

World random_world(std::int32_t tasks, std::mt19937& rng) {
  Vector parents, children;
  for (std::int32_t child = 1; child < tasks; ++child) {
    for (int i = 0; i < 2; ++i) {
      parents.push_back(static_cast<std::int32_t>(rng() % child));
      children.push_back(child);
    }
  }
  return {tasks, parents, children};
}

SimTrace trace_of(const SimModel& model, std::int64_t run = 0,
                  SimEngine engine = SimEngine::best) {
  SimTrace trace;
  simulate(model, {1, run, 1, 1, engine}, &trace);
  return trace;
}

bool same(const SimTrace& a, const SimTrace& b) {
  return a.time == b.time && a.task == b.task && a.request == b.request && a.end == b.end &&
         a.ending == b.ending && a.batch_time == b.batch_time && a.batch_size == b.batch_size &&
         a.batch_eligible == b.batch_eligible;
}

bool same(const SimRuns& a, const SimRuns& b) {
  return a.time == b.time && a.batches == b.batches && a.stalls == b.stalls &&
         a.requests == b.requests && a.work == b.work;
}

template <class Set>
Vector taken(Set& set, std::int64_t count) {
  Vector tasks;
  set.take(count, [&](std::int32_t task) { tasks.push_back(task); });
  return tasks;
}

}  // namespace

TEST(draws_are_those_of_the_twin_in_python) {
  const Draws draws(1, 2);
  CHECK(draws.bits(Stream::time, 3) == 0x6fbe0bd932767c4du);
  CHECK(draws.bits(Stream::gap, 0, 5) == 0x6f2fa182508dd7ecu);
  CHECK(Draws(~std::uint64_t{0}, (std::uint64_t{1} << 62) - 1)
            .bits(Stream::rank, std::uint64_t{1} << 31) == 0x60639e9f082b1547u);
  CHECK(draws.uniform(Stream::time, 3) == 0x1.bef82f64c9d9ep-2);
  CHECK(draws.exponential(Stream::gap, 1) == 0x1.edf1de8debdc6p-3);
  CHECK(draws.normal(Stream::time, 9) == -0x1.3f95e5dac7313p+0);
  CHECK(draws.lognormal(0.5, Stream::speed, 4) == 0x1.531849ad0ba33p-1);
  CHECK(draws::normal_quantile(0x1p-53) == -0x1.06b485687b3ebp+3);
  CHECK(draws::log(1.0 - 0x1p-53) == -0x1p-53);
  CHECK(draws::exp(-31.25) == 0x1.e2f77b039ec9fp-46);
  CHECK(draws.positive_normal(1000.0, Stream::time, 1) == 0x1.ef26bf0fb8d5cp+7);
  CHECK(draws.positive_normal(1000.0, Stream::time, 2) == 0x1.df59fb9972dcdp+7);
  Vector order(8);
  draws.permute(order);
  CHECK(order == (Vector{5, 4, 7, 6, 2, 3, 0, 1}));
}

TEST(many_draws_at_once_are_those_made_one_by_one) {
  const Draws draws(3, 4);
  std::vector<double> normals(5'000), exponentials(77);
  draws.normals(Stream::time, 7, normals);
  draws.exponentials(Stream::gap, 7, exponentials);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    CHECK(normals[i] == draws.normal(Stream::time, 7 + i));
  }
  for (std::size_t i = 0; i < exponentials.size(); ++i) {
    CHECK(exponentials[i] == draws.exponential(Stream::gap, 7 + i));
  }
}

TEST(log_and_exp_err_by_one_unit_at_most) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const double u = (static_cast<double>(rng() >> 12) + 0.5) * 0x1p-52;
    CHECK(std::abs(draws::log(u) - std::log(u)) <= std::abs(std::log(u)) * 0x1p-52);
    const double x = 120.0 * u - 60.0;
    CHECK(std::abs(draws::exp(x) - std::exp(x)) <= std::exp(x) * 0x1p-52);
  }
}

TEST(bitmaps_of_any_depth_find_the_least) {
  for (std::int32_t limit : {1, 63, 64, 65, 4096, 4097, 300'000}) {
    Bitmap bitmap(limit);
    std::set<std::int32_t> twin;
    std::mt19937 rng(limit);
    for (int step = 0; step < 2'000; ++step) {
      const auto number = static_cast<std::int32_t>(rng() % limit);
      if (twin.insert(number).second) {
        bitmap.insert(number);
      } else if (step % 2 == 0) {
        twin.erase(number);
        bitmap.erase(number);
      }
      if (step % 3 != 0) continue;
      for (auto count = std::min<std::size_t>(twin.size(), rng() % 4); count > 0; --count) {
        bitmap.take(1, [&](std::int32_t least) { CHECK(least == *twin.begin()); });
        twin.erase(twin.begin());
      }
    }
    bitmap.take(static_cast<std::int64_t>(twin.size()), [&](std::int32_t least) {
      CHECK(least == *twin.begin());
      twin.erase(twin.begin());
    });
  }
}

TEST(sets_hand_out_by_rank_or_age_and_skip_what_was_removed) {
  const Vector order{3, 1, 0, 2};
  RankedSet ranked(4);
  Line<false> queue(4);
  Line<true> stack(4);
  const auto play = [&](auto& set) {
    set.set_order(order);
    set.clear();
    for (std::int32_t task : {0, 1, 2, 3}) set.add(task);
    set.remove(1);
    CHECK(set.size() == 3);
    Vector tasks = taken(set, 2);
    set.add(tasks[0]);
    for (std::int32_t task : taken(set, 9)) tasks.push_back(task);
    CHECK(set.size() == 0);
    return tasks;
  };
  CHECK(play(ranked) == (Vector{3, 0, 3, 2}));
  CHECK(play(queue) == (Vector{0, 2, 3, 0}));
  CHECK(play(stack) == (Vector{3, 2, 3, 0}));
}

TEST(a_queue_forgets_what_it_handed_out) {
  Line<false> queue(2);
  queue.add(0);
  queue.add(1);
  for (int i = 0; i < 1'000; ++i) {
    const std::int32_t task = taken(queue, 1).front();
    CHECK(task == i % 2);
    queue.add(task);
  }
}

TEST(two_workers_on_a_fork) {
  World world = fork();
  SimTrace trace;
  const SimRuns runs = simulate(world.workers(2), {1, 0, 1, 1}, &trace);
  CHECK(trace.time == (std::vector<double>{0, 1, 1}));
  CHECK(trace.task == (Vector{0, 1, 2}));
  CHECK(trace.request == (std::vector<std::int64_t>{0, 1, 0}));
  CHECK(trace.end == (std::vector<double>{1, 2, 2}));
  CHECK(trace.batch_size == (std::vector<std::int64_t>{2, 1}));
  CHECK(runs.time[0] == 2.0);
  CHECK(runs.work[0] == 3.0);
  CHECK(runs.batches[0] == 3);
  CHECK(runs.stalls[0] == 1);
}

TEST(children_wait_for_the_delay) {
  World world = fork();
  SimModel model = world.workers(2);
  model.delay = 0.5;
  const SimTrace trace = trace_of(model);
  CHECK(trace.time == (std::vector<double>{0, 1.5, 1.5}));
  CHECK(trace.request == (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(a_worker_that_leaves_loses_its_task_and_one_that_left_gets_none) {
  World world = fork();
  SimModel model = world.workers(3);
  const std::vector<double> starts{0, 0, 0.25}, ends{0.5, 1.5, never};
  model.starts = starts;
  model.ends = ends;
  const SimTrace trace = trace_of(model);
  CHECK(trace.time == (std::vector<double>{0, 0.5, 1.5, 2.5}));
  CHECK(trace.task == (Vector{0, 0, 1, 2}));
  CHECK(trace.request == (std::vector<std::int64_t>{0, 1, 2, 2}));
}

TEST(both_engines_make_the_same_runs_for_batches) {
  std::mt19937 rng(1);
  for (int round = 0; round < 40; ++round) {
    World world = random_world(1 + static_cast<std::int32_t>(rng() % 60), rng);
    for (Rule rule : {Rule::ranked, Rule::fifo, Rule::lifo, Rule::random, Rule::classed}) {
      SimModel model = world.batches(std::pow(10.0, round % 5 - 3), 1.0, rule);
      model.size_scale = round % 3;
      model.width = 0.2 * (round % 2);
      model.speed_sigma = 0.1 * (round % 4);
      CHECK(same(trace_of(model, round), trace_of(model, round, SimEngine::events)));
    }
  }
}

TEST(results_beyond_the_window_of_batches_are_found_in_time) {
  World world = fork();
  world.means = {30'000.0, 9'000.0, 0.5};
  const SimModel model = world.batches(1.0, 1.0);
  CHECK(same(trace_of(model), trace_of(model, 0, SimEngine::events)));
}

TEST(a_run_without_a_time_to_speak_of_ends) {
  World world = fork();
  world.means = {1e-90, 1e-90, 1e-90};
  for (double size : {1.0, 5.0}) {
    const SimModel model = world.batches(1.0, size);
    CHECK(same(trace_of(model), trace_of(model, 0, SimEngine::events)));
  }
}

TEST(any_number_of_threads_gives_the_same_results) {
  std::mt19937 rng(2);
  World world = random_world(50, rng);
  for (SimModel model : {world.workers(3), world.batches(0.3, 2.0)}) {
    model.width = 0.3;
    model.leave = model.workers > 0 ? 3.0 : never;
    const SimRuns alone = simulate(model, {5, 100, 64, 1});
    for (std::int32_t threads : {2, 5, 100}) {
      CHECK(same(alone, simulate(model, {5, 100, 64, threads})));
    }
    CHECK(simulate(model, {5, 130, 1, 1}).time[0] == alone.time[30]);
  }
}

TEST(an_interrupt_stops_all_threads) {
  World world = fork();
  const InterruptScope at_once([] { return true; });
  for (SimModel model : {world.workers(1), world.batches(1e-9, 1.0)}) {
    for (std::int32_t threads : {1, 3}) {
      CHECK_THROWS(simulate(model, {1, 0, 10'000'000, threads}), Interrupted);
    }
  }
}

TEST(slots_add_up_batches_until_the_last_assignment) {
  SimSlots slots({0.0, 1.0, 2.0});
  slots.batch(0.0, 3, 1);
  slots.assignment(0.0, 0);  // requests 1 and 2 get nothing
  slots.batch(0.5, 2, 0);    // nor do 3 and 4
  slots.batch(1.0, 1, 4);    // the second slot begins here
  slots.batch(1.0, 1, 3);
  slots.assignment(1.0, 5);  // at the moment when it came, though another batch came since
  slots.assignment(1.2, 6);  // too late
  slots.batch(1.5, 9, 9);    // no assignment follows in the slots

  const auto& found = slots.found();
  CHECK(found.size() == 2);
  CHECK(found[0].batches == 2 && found[0].eligible == 1 && found[0].unserved == 4);
  CHECK(found[1].batches == 2 && found[1].eligible == 7 && found[1].unserved == 1);
}

TEST(the_last_slot_has_its_right_end_and_what_comes_later_is_left_out) {
  SimSlots slots({0.0, 1.0, 2.0});
  slots.batch(2.0, 1, 1);
  slots.assignment(2.0, 0);
  slots.batch(2.5, 1, 1);
  slots.assignment(2.5, 1);

  CHECK(slots.found()[0].batches == 0);
  CHECK(slots.found()[1].batches == 1 && slots.found()[1].unserved == 0);
}
