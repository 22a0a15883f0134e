// Nothing is decided between two arrivals, so there are no events here: each task is filed
// under the first batch that finds it ended, and the batches are gone through in turn.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "icsched/sim_run.hpp"

namespace icsched {
namespace {

constexpr std::int32_t none = -1;

// The batches of one run, drawn as far ahead as needed, and under each the tasks that end
// after the batch before and not after it.
class Calendar {
 public:
  Calendar(const SimModel& model, std::int32_t tasks) : model_(model), next_(tasks) {}

  // Moves to the first batch of a run.
  void start(const Draws& draws) {
    draws_ = &draws;
    now_ = end_ = 0;
    drawn_ = 0;
    clock_ = 0.0;
    far_ = {};
    while (end_ == 0) draw();  // the first may be empty
  }

  // Moves to the next batch.
  void advance() {
    while (now_ + 1 == end_) draw();
    ++now_;
  }

  double moment() const { return moment_[now_]; }
  std::int64_t size() const { return size_[now_]; }

  // Files a task under the first batch after this one that is not before its end.
  void file(double end, std::int32_t task) {
    while (end_ <= now_ + near || moment_[end_ - 1] < end) {
      if (end_ - now_ > window) return far_.push({end, task});
      draw();
    }
    const std::size_t at = first_not_before(end);
    next_[task] = head_[at];
    head_[at] = task;
  }

  // Visits what is filed under this batch, in no order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::int32_t task = head_[now_]; task != none; task = next_[task]) visit(task);
  }

 private:
  static constexpr std::size_t window = 4096;  // batches filed under at a time, about
  static constexpr std::size_t step = 16;      // batches drawn at a time
  static constexpr std::size_t room = 2 * window;
  static constexpr std::size_t near = 8;  // batches tried first, without a branch to mispredict

  // The first batch after this one that is not before `moment`; there must be one, and
  // `near` batches after this one must be known.
  std::size_t first_not_before(double moment) const {
    std::size_t at = now_ + 1;
    for (std::size_t i = 1; i <= near; ++i) at += moment_[now_ + i] < moment;
    if (at <= now_ + near) return at;
    return std::lower_bound(moment_ + at, moment_ + end_, moment) - moment_;
  }

  // Draws some more batches, perhaps none that is not empty.
  void draw() {
    if (end_ + step > room) forget_past();
    std::array<double, step> gap, size{};
    draws_->exponentials(Stream::gap, drawn_, gap);
    if (drawn_ == 0) gap[0] = 0.0;
    if (model_.size_scale > 0.0) draws_->exponentials(Stream::size, drawn_, size);
    drawn_ += step;
    for (std::size_t i = 0; i < step; ++i) {
      clock_ += model_.interval * gap[i];
      moment_[end_] = clock_;
      size_[end_] = static_cast<std::int64_t>(model_.size_scale * size[i] + model_.size_shift);
      head_[end_] = none;
      end_ += size_[end_] > 0;
    }
    while (!far_.empty() && far_.top().first <= moment_[end_ - 1]) {
      const auto [end, task] = far_.top();
      far_.pop();
      file(end, task);
    }
  }

  void forget_past() {
    std::copy(moment_ + now_, moment_ + end_, moment_);
    std::copy(size_ + now_, size_ + end_, size_);
    std::copy(head_ + now_, head_ + end_, head_);
    end_ -= now_;
    now_ = 0;
  }

  const SimModel& model_;
  const Draws* draws_ = nullptr;
  std::uint64_t drawn_ = 0;  // batches, empty ones included
  double clock_ = 0.0;       // moment of the batch drawn last

  // Batches now_ .. end_ - 1 are known; those before now_ are over.
  std::size_t now_ = 0, end_ = 0;
  double moment_[room];
  std::int64_t size_[room];
  std::int32_t head_[room];         // a task filed under the batch, or none
  std::vector<std::int32_t> next_;  // by task: another under the same batch, or none

  using Far = std::pair<double, std::int32_t>;  // end and task
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;  // ends past the window
};

template <class Set>
class BatchRunner : public SimRunner {
 public:
  explicit BatchRunner(const SimCase& game)
      : game_(game),
        model_(game.model),
        calendar_(game.model, game.tasks()),
        unassigned_(game.tasks()),
        missing_(game.tasks()),
        time_(game.tasks()),
        ended_(by_rank ? 0 : game.tasks()),
        freed_by_(by_rank ? 0 : game.tasks()) {
    prepare_set(unassigned_, model_);
  }

  SimScore run(const Draws& draws, Watch& watch, SimTrace* trace) override {
    start(draws);
    SimScore score;
    for (calendar_.start(draws);; calendar_.advance()) {
      settle();
      ++score.batches;
      score.stalls += unassigned_.size() == 0;
      if (trace != nullptr) trace_batch(*trace);
      const std::int32_t before = assigned_;
      serve(draws, score, trace);
      score.requests += calendar_.size();
      if (assigned_ == game_.tasks() || watch.stops(1 + assigned_ - before)) return score;
    }
  }

 private:
  static constexpr bool by_rank = std::is_same_v<Set, RankedSet>;

  // An assignment that has ended; the earlier end comes first, then the earlier assignment.
  struct Ended {
    double end;
    std::int32_t number;
    bool operator<(const Ended& other) const {
      return end < other.end || (end == other.end && number < other.number);
    }
  };

  void start(const Draws& draws) {
    assigned_ = 0;
    missing_ = game_.parent_counts;
    draw_times(draws);
    std::fill(freed_by_.begin(), freed_by_.end(), Ended{0.0, none});
    start_set(unassigned_, model_, draws, order_);
    for (std::int32_t task : game_.sources) unassigned_.add(task);
  }

  void draw_times(const Draws& draws) {
    if (model_.width == 0.0 || model_.law == TimeLaw::lognormal) {
      for (std::int32_t task = 0; task < game_.tasks(); ++task) {
        time_[task] = run_time(model_, draws, task, 0);
      }
      return;
    }
    draws.normals(Stream::time, 0, time_);
    for (std::int32_t task = 0; task < game_.tasks(); ++task) {
      const double factor = 1.0 + model_.width * time_[task];
      time_[task] = factor > 0.0 ? model_.means[task] * factor : run_time(model_, draws, task, 0);
    }
  }

  // Makes eligible what those tasks free that this batch is the first to find ended. In a line,
  // tasks stand by the parent that ended last and then by id, so only what is freed is sorted.
  void settle() {
    if constexpr (by_rank) {
      calendar_.each([&](std::int32_t task) {
        for (std::int32_t child : model_.children[task]) {
          if (--missing_[child] == 0) unassigned_.add(child);
        }
      });
    } else {
      freed_.clear();
      calendar_.each([&](std::int32_t task) {
        const Ended ended = ended_[task];
        for (std::int32_t child : model_.children[task]) {
          if (freed_by_[child] < ended) freed_by_[child] = ended;
          if (--missing_[child] == 0) freed_.push_back(child);
        }
      });
      line_up();
    }
  }

  void line_up() {
    const auto before = [&](std::int32_t a, std::int32_t b) {
      if (freed_by_[a].number == freed_by_[b].number) return a < b;
      return freed_by_[a] < freed_by_[b];
    };
    if (!std::is_sorted(freed_.begin(), freed_.end(), before)) {
      std::sort(freed_.begin(), freed_.end(), before);
    }
    for (std::int32_t task : freed_) unassigned_.add(task);
  }

  void serve(const Draws& draws, SimScore& score, SimTrace* trace) {
    const double moment = calendar_.moment();
    std::int64_t request = score.requests;
    unassigned_.take(calendar_.size(), [&](std::int32_t task) {
      double time = time_[task];
      if (model_.speed_sigma > 0.0) time /= request_speed(model_, draws, request);
      const double end = moment + (model_.overhead + time);
      if constexpr (!by_rank) ended_[task] = {end, assigned_};
      ++assigned_;
      score.time = std::max(score.time, end);
      if (!model_.children[task].empty()) calendar_.file(end, task);
      if (trace != nullptr) trace_assignment(*trace, moment, task, end, request);
      ++request;
    });
  }

  void trace_batch(SimTrace& trace) const {
    if (trace.slots.wanted()) {
      return trace.slots.batch(calendar_.moment(), calendar_.size(), unassigned_.size());
    }
    trace.batch_time.push_back(calendar_.moment());
    trace.batch_size.push_back(calendar_.size());
    trace.batch_eligible.push_back(unassigned_.size());
  }

  void trace_assignment(SimTrace& trace, double moment, std::int32_t task, double end,
                        std::int64_t request) const {
    if (trace.slots.wanted()) return trace.slots.assignment(moment, request);
    trace.time.push_back(moment);
    trace.task.push_back(task);
    trace.request.push_back(request);
    trace.end.push_back(end);
    trace.ending.push_back(static_cast<std::uint8_t>(Ending::result));
  }

  const SimCase& game_;
  const SimModel& model_;
  Calendar calendar_;
  Set unassigned_;
  std::vector<std::int32_t> order_;    // memory of a random one
  std::vector<std::int32_t> missing_;  // parents that no batch has found ended yet
  std::vector<double> time_;           // by task
  std::int32_t assigned_ = 0;          // tasks

  // For lines only.
  std::vector<Ended> ended_;         // by task
  std::vector<Ended> freed_by_;      // by task: the parent, of those found, that ended last
  std::vector<std::int32_t> freed_;  // by this batch
};

}  // namespace

bool batch_runner_can(const SimModel& model) {
  constexpr double never = std::numeric_limits<double>::infinity();
  return model.workers == 0 && !model.waiting && model.leave == never &&
         model.deadline == never && model.replicas == 1 && model.delay == 0.0;
}

std::unique_ptr<SimRunner> batch_runner(const SimCase& game) {
  return runner_for_rule<BatchRunner>(game);
}

}  // namespace icsched
