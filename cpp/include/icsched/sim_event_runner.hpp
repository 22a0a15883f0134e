// Inside the simulation: the engine that plays any model, event by event.
//
// sim_events.cpp and sim_late.cpp each compile half of its uses: a compiler limits how much it
// inlines into one file. For the same reason, the functions of every event are always inlined, and
// those of traces never.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "icsched/sim_event.hpp"
#include "icsched/sim_run.hpp"

namespace icsched::events {

// The arrivals of a pool; those of size 0 are left out.
class Arrivals {
 public:
  Arrivals(const SimModel& model, const Draws& draws) : model_(model), draws_(draws) { next(); }

  void next() {
    do {
      if (batch_ > 0) moment_ += model_.interval * draws_.exponential(Stream::gap, batch_);
      const double e = model_.size_scale == 0.0 ? 0.0 : draws_.exponential(Stream::size, batch_);
      size_ = static_cast<std::int64_t>(model_.size_scale * e + model_.size_shift);
      ++batch_;
    } while (size_ == 0);
  }
  double moment() const { return moment_; }
  std::int64_t size() const { return size_; }

 private:
  const SimModel& model_;
  const Draws& draws_;
  std::uint64_t batch_ = 0;
  double moment_ = 0.0;
  std::int64_t size_ = 0;
};

// Without `Late`, there are no delay and no visits, and their checks cost nothing.
template <class Set, bool Late>
class EventRunner : public SimRunner {
 public:
  explicit EventRunner(const SimCase& game)
      : game_(game),
        model_(game.model),
        unassigned_(game.tasks()),
        missing_(game.tasks()),
        attempts_(game.tasks()),
        state_(game.tasks()),
        has_result_(Late ? game.tasks() : 0),
        work_(game.tasks()) {
    prepare_set(unassigned_, model_);
  }

  SimScore run(const Draws& draws, Watch& watch, SimTrace* trace) override {
    start(draws, trace);
    serve_all(watch);
    if (trace != nullptr) cut_batches();
    SimScore score = at_last_assignment_;
    score.time = last_result_;
    if (model_.workers > 0) {
      for (double work : work_) score.work += work;
    }
    return score;
  }

 private:
  // As the one who hands out tasks knows it; eligible: and unassigned.
  enum State : std::uint8_t { waiting, eligible, taken, done };

  void serve_all(Watch& watch) {
    if constexpr (Late) {
      if (!model_.starts.empty()) return serve_visits(watch);
    }
    return model_.workers > 0 ? serve_workers(watch) : serve_batches(watch);
  }

  void start(const Draws& draws, SimTrace* trace) {
    draws_ = &draws;
    trace_ = trace;
    seen_ = at_last_assignment_ = {};
    last_result_ = 0.0;
    left_ = game_.tasks();
    number_ = 0;
    rows_ = 0;
    events_.clear();
    missing_ = game_.parent_counts;
    std::fill(attempts_.begin(), attempts_.end(), 0);
    std::fill(state_.begin(), state_.end(), waiting);
    std::fill(has_result_.begin(), has_result_.end(), 0);
    start_set(unassigned_, model_, draws, order_);
    for (std::int32_t task : game_.sources) offer(task);
  }

  // Batches

  void serve_batches(Watch& watch) {
    Arrivals arrivals(model_, *draws_);
    std::int64_t first_waiting = 0;  // requests from here on have not been served
    while (!watch.stops()) {
      while (events_.next() <= arrivals.moment()) {
        const double moment = events_.next();
        settle(moment);
        if (model_.waiting) serve(moment, first_waiting);
        if (watch.stops()) return;
      }
      if (left_ == 0) return;
      if (!model_.waiting) first_waiting = seen_.requests;
      note_batch(arrivals.moment(), arrivals.size());
      note_requests(arrivals.size(), unassigned_.size() == 0);
      serve(arrivals.moment(), first_waiting);
      arrivals.next();
    }
  }

  // Serves requests from `first` on, and moves it past them.
  void serve(double moment, std::int64_t& first) {
    take(seen_.requests - first, [&](std::int32_t task) {
      assign(moment, task, first, request_speed(model_, *draws_, first));
      ++first;
    });
  }

  // Workers

  void serve_workers(Watch& watch) {
    idle_.clear();
    ended_.resize(model_.workers);
    std::iota(ended_.begin(), ended_.end(), std::int64_t{0});
    double moment = 0.0;
    while (left_ > 0 && !watch.stops(1 + static_cast<std::int64_t>(ended_.size()))) {
      serve_asking(moment);
      moment = events_.next();
      settle(moment);
    }
  }

  // First those idle, then those that just ended, and ask.
  void serve_asking(double moment) {
    if (!ended_.empty()) note_batch(moment, static_cast<std::int64_t>(ended_.size()));
    std::size_t asked = 0;
    take(static_cast<std::int64_t>(idle_.size() + ended_.size()), [&](std::int32_t task) {
      std::int64_t worker;
      if (!idle_.empty()) {
        worker = idle_.front();
        idle_.pop_front();
      } else {
        worker = ended_[asked++];
        note_requests(1, false);
      }
      assign(moment, task, worker, model_.speeds[worker]);
    });
    for (; asked < ended_.size(); ++asked) {
      note_requests(1, true);
      idle_.push_back(ended_[asked]);
    }
  }

  // Visits

  void serve_visits(Watch& watch) {
    waits_ = {};
    std::size_t next = 0;  // visit
    const std::size_t visits = model_.starts.size();
    while (!watch.stops(1 + static_cast<std::int64_t>(ended_.size()))) {
      const double moment =
          next < visits ? std::min(events_.next(), model_.starts[next]) : events_.next();
      settle(moment);
      if (left_ == 0) return;
      std::erase_if(ended_, [&](std::int64_t worker) { return model_.ends[worker] <= moment; });
      while (next < visits && model_.starts[next] == moment) {
        ended_.push_back(static_cast<std::int64_t>(next++));
      }
      serve_visitors(moment);
    }
  }

  // Serves those that wait and those that ask, the least rank first. A worker that waits may have
  // left: it is dropped when its turn comes. So it is not known before how many tasks can be taken,
  // and they are taken one by one.
  void serve_visitors(double moment) {
    if (!ended_.empty()) note_batch(moment, static_cast<std::int64_t>(ended_.size()));
    std::ranges::sort(ended_, {}, [&](std::int64_t worker) { return rank(worker); });
    auto asks = ended_.begin();
    while (unassigned_.size() > 0 && (asks != ended_.end() || !waits_.empty())) {
      const bool is_new =
          waits_.empty() || (asks != ended_.end() && rank(*asks) < waits_.top().first);
      const std::int64_t worker = is_new ? *asks++ : waits_.top().second;
      is_new ? note_requests(1, false) : waits_.pop();
      if (model_.ends[worker] <= moment) continue;
      take(1, [&](std::int32_t task) { assign(moment, task, worker, 1.0); });
    }
    for (; asks != ended_.end(); ++asks) {
      note_requests(1, true);
      waits_.emplace(rank(*asks), *asks);
    }
  }

  // Random, and different for each worker.
  std::uint64_t rank(std::int64_t worker) const {
    return draws_->bits(Stream::visit, static_cast<std::uint64_t>(worker));
  }

  // Tasks

  // Visits tasks for this many requests, each as often as replicas are wanted.
  template <class Visit>
  void take(std::int64_t requests, Visit visit) {
    if (unassigned_.size() == 0 || requests == 0) return;
    std::int64_t different = requests;  // the division is slow
    if (model_.replicas > 1) different = (requests - 1) / model_.replicas + 1;
    unassigned_.take(different, [&](std::int32_t task) {
      state_[task] = taken;
      const std::int64_t copies = std::min(requests, model_.replicas);
      requests -= copies;
      for (std::int64_t copy = 0; copy < copies; ++copy) visit(task);
    });
  }

  [[gnu::always_inline]] inline void assign(double moment, std::int32_t task, std::int64_t request,
                                            double speed) {
    const std::uint64_t attempt = attempts_[task]++;
    const double time = run_time(model_, *draws_, task, attempt) / speed;
    double stay = std::numeric_limits<double>::infinity();
    if (model_.leave < stay) {
      stay = model_.leave * draws_->exponential(Stream::leave, task, attempt);
    }
    const double takes = model_.overhead + time;
    bool lost = stay < takes;
    double end = moment + (lost ? stay : takes);
    if constexpr (Late) {
      if (!model_.ends.empty() && model_.ends[request] < end) {
        lost = true;
        end = model_.ends[request];
      }
    }
    events_.push({end, 8 * number_ + (lost ? loss : result), request, time, task});
    if (moment + model_.deadline < end) {
      events_.push({moment + model_.deadline, 8 * number_ + overdue, request, time, task});
    }
    ++number_;
    at_last_assignment_ = seen_;
    if (trace_ != nullptr) {
      trace_assignment(moment, task, request, end, lost ? Ending::loss : Ending::ignored);
    }
  }

  // Lets happen what happens at `moment`; puts into ended_ whose work ended, in that order.
  [[gnu::always_inline]] inline void settle(double moment) {
    ended_.clear();
    while (events_.next() == moment) {
      const Event event = events_.pop();
      const What what = event.what();
      if (what == result) {
        if (!has_result(event.task)) finish(event);
      } else if (Late && what == known) {
        learn(event.task);
      } else if (Late && what != again && model_.delay > 0.0) {
        events_.push_later(event, again, model_.delay);
      } else {
        offer(event.task);
      }
      if (what <= loss && model_.workers > 0) ended_.push_back(event.request);
    }
  }

  bool has_result(std::int32_t task) const {
    if constexpr (Late) return has_result_[task];
    return state_[task] == done;
  }

  // Takes the first result of a task.
  void finish(const Event& event) {
    if constexpr (Late) has_result_[event.task] = true;
    --left_;
    last_result_ = event.time;
    work_[event.task] = event.run_time;
    if (trace_ != nullptr && !trace_->slots.wanted()) {
      trace_->ending[event.key / 8] = static_cast<std::uint8_t>(Ending::result);
    }
    Late && model_.delay > 0.0 ? events_.push_later(event, known, model_.delay) : learn(event.task);
  }

  // The one who hands out tasks learns of a task's first result.
  void learn(std::int32_t task) {
    if (state_[task] == eligible) unassigned_.remove(task);
    state_[task] = done;
    for (std::int32_t child : model_.children[task]) {
      if (--missing_[child] == 0) offer(child);
    }
  }

  // Makes the task eligible, if it is not and a result is still wanted.
  void offer(std::int32_t task) {
    if (state_[task] == eligible || state_[task] == done) return;
    state_[task] = eligible;
    unassigned_.add(task);
  }

  // Counts and the trace

  void note_requests(std::int64_t size, bool stalled) {
    ++seen_.batches;
    seen_.stalls += stalled;
    seen_.requests += size;
  }

  void note_batch(double moment, std::int64_t size) {
    if (trace_ == nullptr) return;
    if (trace_->slots.wanted()) return trace_->slots.batch(moment, size, unassigned_.size());
    trace_->batch_time.push_back(moment);
    trace_->batch_size.push_back(size);
    trace_->batch_eligible.push_back(unassigned_.size());
  }

  [[gnu::noinline]] void trace_assignment(double moment, std::int32_t task, std::int64_t request,
                                          double end, Ending ending) {
    if (trace_->slots.wanted()) return trace_->slots.assignment(moment, request);
    trace_->time.push_back(moment);
    trace_->task.push_back(task);
    trace_->request.push_back(request);
    trace_->end.push_back(end);
    trace_->ending.push_back(static_cast<std::uint8_t>(ending));
    rows_ = trace_->batch_time.size();
  }

  // Drops the batches after the last assignment.
  void cut_batches() {
    trace_->batch_time.resize(rows_);
    trace_->batch_size.resize(rows_);
    trace_->batch_eligible.resize(rows_);
  }

  const SimCase& game_;
  const SimModel& model_;
  const Draws* draws_ = nullptr;
  SimTrace* trace_ = nullptr;
  std::size_t rows_ = 0;  // batches in the trace at the last assignment

  Set unassigned_;
  std::vector<std::int32_t> order_;         // memory of a random one
  std::vector<std::int32_t> missing_;       // parents not done
  std::vector<std::uint32_t> attempts_;     // assignments made
  std::vector<State> state_;
  std::vector<std::uint8_t> has_result_;    // known or not; empty unless Late
  std::vector<double> work_;                // time of the first result
  std::int32_t left_ = 0;                   // tasks not done
  std::int64_t number_ = 0;                 // of the next assignment
  EventHeap events_;
  std::vector<std::int64_t> ended_;         // workers that ask
  std::deque<std::int64_t> idle_;           // workers, idle longest first
  // Workers of visits that wait, with their ranks: the least on top.
  using Ranked = std::pair<std::uint64_t, std::int64_t>;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> waits_;
  SimScore seen_, at_last_assignment_;      // counts
  double last_result_ = 0.0;
};

}  // namespace icsched::events
