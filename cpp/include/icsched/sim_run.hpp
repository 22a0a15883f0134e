// Inside the simulation: what its engines share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "icsched/draws.hpp"
#include "icsched/eligible.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/sim.hpp"

namespace icsched {

// The result of one run; fields as in SimRuns.
struct SimScore {
  double time = 0.0;
  std::int64_t batches = 0, stalls = 0, requests = 0;
  double work = 0.0;
};

// Says when to give up, on one thread of several.
class Watch {
 public:
  explicit Watch(const std::atomic<bool>& stopped) : stopped_(stopped) {}

  // Whether another thread gave up. `units` is the work done since the last call, about 10 ns each.
  // Throws Interrupted on the thread that asks the user.
  bool stops(std::int64_t units = 1) {
    since_asked_ += units;
    if (since_asked_ < 200'000) return false;
    check_interrupt(since_asked_);
    since_asked_ = 0;
    return stopped_.load(std::memory_order_relaxed);
  }

 private:
  const std::atomic<bool>& stopped_;
  std::int64_t since_asked_ = 0;
};

// A model and what all its runs need to know.
struct SimCase {
  explicit SimCase(const SimModel& model);

  SimModel model;
  std::vector<std::int32_t> parent_counts;
  std::vector<std::int32_t> sources;  // in the order in which the rule wants them added

  std::int32_t tasks() const { return model.children.size(); }
};

// The memory of one thread, for one run after the other.
class SimRunner {
 public:
  virtual ~SimRunner() = default;
  // The score means nothing if the watch stopped the run. `trace` may be null.
  virtual SimScore run(const Draws& draws, Watch& watch, SimTrace* trace) = 0;
};

// Shares the runs of a range out among threads, each with a runner of its own. It is called on all
// threads.
using RunnerMaker = std::function<std::unique_ptr<SimRunner>()>;
SimRuns play(const RunnerMaker& make_runner, const SimRange& range, SimTrace* trace);

// Plays any model, event by event. The case must outlive it.
std::unique_ptr<SimRunner> event_runner(const SimCase& game);
// Its part for models with a delay or visits.
std::unique_ptr<SimRunner> late_runner(const SimCase& game);

// Plays machines.
std::unique_ptr<SimRunner> machine_runner(const SimCase& game);

// Plays batches whose requests neither wait nor leave, without deadlines, replicas and delay.
std::unique_ptr<SimRunner> batch_runner(const SimCase& game);
bool batch_runner_can(const SimModel& model);

// The time of a task's assignment on a worker of speed 1.
inline double run_time(const SimModel& model, const Draws& draws, std::int32_t task,
                       std::uint64_t attempt) {
  if (model.width == 0.0) return model.means[task];
  return model.means[task] *
         (model.law == TimeLaw::normal
              ? draws.positive_normal(model.width, Stream::time, task, attempt)
              : draws.lognormal(model.width, Stream::time, task, attempt));
}

// The speed of the worker behind a request of a batch.
inline double request_speed(const SimModel& model, const Draws& draws, std::int64_t request) {
  if (model.speed_sigma == 0.0) return 1.0;
  return draws.lognormal(model.speed_sigma, Stream::speed, request);
}

// A runner of the template, for the kind of set that the rule hands out from.
template <template <class> class Runner>
std::unique_ptr<SimRunner> runner_for_rule(const SimCase& game) {
  switch (game.model.rule) {
    case Rule::fifo: return std::make_unique<Runner<Line<false>>>(game);
    case Rule::lifo: return std::make_unique<Runner<Line<true>>>(game);
    case Rule::classed: return std::make_unique<Runner<ClassedLine>>(game);
    default: return std::make_unique<Runner<RankedSet>>(game);
  }
}

// Tells the set what the rule goes by, for all runs.
template <class Set>
void prepare_set(Set& set, const SimModel& model) {
  if constexpr (std::is_same_v<Set, ClassedLine>) set.set_classes(model.classes);
  set.set_order(model.order);
}

// Empties the set for a new run. If each run has an order of its own, draws it into `order`.
// Otherwise the set must already have the order of the model.
template <class Set>
void start_set(Set& set, const SimModel& model, const Draws& draws,
               std::vector<std::int32_t>& order) {
  if (model.rule == Rule::random) {
    order.resize(model.order.size());
    draws.permute(order);
    set.set_order(order);
  }
  set.clear();
}

}  // namespace icsched
