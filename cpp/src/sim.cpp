#include "icsched/sim.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "icsched/sim_run.hpp"

namespace icsched {

SimCase::SimCase(const SimModel& model) : model(model), parent_counts(model.children.size()) {
  for (std::int32_t child : model.children.targets) ++parent_counts[child];
  for (std::int32_t task : model.order) {
    if (parent_counts[task] == 0) sources.push_back(task);
  }
  if (model.rule == Rule::lifo) std::reverse(sources.begin(), sources.end());
}

namespace {

std::unique_ptr<SimRunner> runner_of(const SimCase& game, SimEngine engine) {
  if (game.model.machines.resources > 0) return machine_runner(game);
  const bool batches = engine == SimEngine::best && batch_runner_can(game.model);
  return batches ? batch_runner(game) : event_runner(game);
}

SimRuns room_for(std::int64_t runs) {
  SimRuns results;
  results.time.resize(runs);
  results.batches.resize(runs);
  results.stalls.resize(runs);
  results.requests.resize(runs);
  results.work.resize(runs);
  return results;
}

void put(SimRuns& results, std::int64_t at, const SimScore& score) {
  results.time[at] = score.time;
  results.batches[at] = score.batches;
  results.stalls[at] = score.stalls;
  results.requests[at] = score.requests;
  results.work[at] = score.work;
}

// Counts down threads at work, and lets one wait for the others.
class Countdown {
 public:
  explicit Countdown(std::int32_t count) : left_(count) {}

  void one_less() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) reached_.notify_all();
  }
  // Whether none is left, after a few milliseconds at most.
  bool wait() {
    std::unique_lock lock(mutex_);
    return reached_.wait_for(lock, std::chrono::milliseconds(20), [&] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable reached_;
  std::int32_t left_;
};

// The runs of a range, shared out among threads one by one.
class Crew {
 public:
  Crew(const RunnerMaker& make_runner, const SimRange& range)
      : make_runner_(make_runner), range_(range), results_(room_for(range.runs)) {}

  // The calling thread works too, and alone asks whether to stop.
  SimRuns work(SimTrace* trace) {
    const auto threads =
        static_cast<std::int32_t>(std::min<std::int64_t>(range_.threads, range_.runs));
    Countdown others(threads - 1);
    std::vector<std::thread> started;
    started.reserve(threads);
    for (std::int32_t i = 1; i < threads; ++i) {
      try {
        started.emplace_back([&] {
          share(nullptr);
          others.one_less();
        });
      } catch (const std::exception&) {
        others.one_less();  // fewer will do
      }
    }
    share(trace);
    while (!others.wait()) {
      if (!stopped_) guarded([] { check_interrupt(units_between_looks); });
    }
    for (std::thread& thread : started) thread.join();
    if (error_) std::rethrow_exception(error_);
    return std::move(results_);
  }

 private:
  void share(SimTrace* trace) {
    guarded([&] {
      Watch watch(stopped_);
      const auto runner = make_runner_();
      for (std::int64_t at = next_++; at < range_.runs && !stopped_; at = next_++) {
        const Draws draws(range_.seed, static_cast<std::uint64_t>(range_.first_run + at));
        put(results_, at, runner->run(draws, watch, trace));
      }
    });
  }

  // An exception, an interrupt's too, stops all threads and is kept for the caller.
  template <class Act>
  void guarded(Act act) {
    try {
      act();
    } catch (...) {
      if (!stopped_.exchange(true)) error_ = std::current_exception();
    }
  }

  const RunnerMaker& make_runner_;
  const SimRange& range_;
  SimRuns results_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;  // the first that a thread met
};

}  // namespace

SimRuns play(const RunnerMaker& make_runner, const SimRange& range, SimTrace* trace) {
  return Crew(make_runner, range).work(trace);
}

SimRuns simulate(const SimModel& model, const SimRange& range, SimTrace* trace) {
  const SimCase game(model);
  return play([&] { return runner_of(game, range.engine); }, range, trace);
}

}  // namespace icsched
