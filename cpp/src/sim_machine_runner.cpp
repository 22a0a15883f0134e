// Machines that run as many tasks at once as fit.
//
// Tasks that hold the same form a group, whose queue is a heap. Before a moment no task of a queue
// fits on any machine. So only two kinds of groups can start then: those that fit into the most
// that a machine has which got something back, and those whose queue was empty. Each group is
// tried in the order that is played, until one of its tasks fits nowhere; as nothing is given back
// at this moment any more, the group then rests until the next.
#include <algorithm>
#include <functional>
#include <limits>

#include "icsched/sim_event.hpp"
#include "icsched/sim_machines.hpp"
#include "icsched/sim_run.hpp"

namespace icsched {
namespace {

using events::Event;

// A task that waits; the least key is played first.
struct Waiting {
  std::uint64_t key;
  std::int32_t task;
  bool operator>(const Waiting& other) const { return key > other.key; }
};

// The least key first. Keys that come in their order stand in a line, all others in a heap.
class Queue {
 public:
  void clear() {
    line_.clear();
    heap_.clear();
    head_ = 0;
  }
  std::size_t size() const { return line_.size() - head_ + heap_.size(); }
  bool empty() const { return size() == 0; }
  const Waiting& top() const { return is_in_line() ? line_[head_] : heap_.front(); }
  void push(const Waiting& each) {
    if (head_ == line_.size() || each > line_.back()) return line_.push_back(each);
    heap_.push_back(each);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  Waiting pop() {
    if (is_in_line()) return next();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Waiting least = heap_.back();
    heap_.pop_back();
    return least;
  }

 private:
  // Whether the least key is that of the line.
  bool is_in_line() const {
    return head_ < line_.size() && (heap_.empty() || heap_.front() > line_[head_]);
  }
  Waiting next() {
    const Waiting first = line_[head_++];
    if (2 * head_ > line_.size() + 64) {  // tasks may come back without end
      line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return first;
  }

  std::vector<Waiting> line_, heap_;
  std::size_t head_ = 0;  // entries of the line before it are gone
};

class MachineRunner : public SimRunner {
 public:
  explicit MachineRunner(const SimCase& game)
      : game_(game),
        model_(game.model),
        resources_(game.model.machines.resources),
        machines_(resources_, model_.machines.amounts, model_.machines.capacities),
        groups_(resources_, model_.machines.amounts),
        queues_(model_.machines.amounts.size() / resources_),
        state_(queues_.size()),
        rank_(game.tasks()),
        is_limited_(std::min(game.model.machines.max_jobs, game.model.machines.max_idle) < no_limit),
        missing_(game.tasks()),
        attempts_(game.tasks()),
        work_(game.tasks()) {
    const SimMachines& given = model_.machines;
    for (std::size_t at = 0; at < given.capacities.size(); at += resources_) {
      all_cores_ += given.capacities[at];
    }
    for (std::size_t at = 0; at < given.amounts.size(); at += resources_) {
      cores_.push_back(static_cast<double>(given.amounts[at]) / core);
    }
    set_order(model_.order);
  }

  SimScore run(const Draws& draws, Watch& watch, SimTrace* trace) override {
    start(draws, trace);
    double moment = 0.0;
    while (left_ > 0 && !watch.stops(1 + steps_)) {
      serve(moment);
      moment = events_.next();
      settle(moment);
    }
    if (trace_ != nullptr) cut_batches();
    SimScore score;
    score.time = last_result_;
    score.requests = score.batches = whole(at_last_start_.asked);
    score.stalls = whole(at_last_start_.stalled);
    for (std::int32_t task = 0; task < game_.tasks(); ++task) {
      score.work += work_[task] * cores_[model_.machines.groups[task]];
    }
    return score;
  }

 private:
  static constexpr std::int64_t no_limit = std::int64_t{1} << 62;
  static constexpr std::int64_t core = 1000;  // cores are counted in thousandths

  static std::int64_t whole(std::int64_t cores) { return (cores + core - 1) / core; }

  // Whether a group is tried at this moment whatever was given back; or not any more.
  enum State : std::uint8_t { usual, is_new, rests };

  struct Counts {
    std::int64_t asked = 0, stalled = 0;  // cores
  };

  const std::int64_t* held_by_group(std::int32_t group) const {
    return &model_.machines.amounts[group * resources_];
  }
  const std::int64_t* held_by(std::int32_t task) const {
    return held_by_group(model_.machines.groups[task]);
  }

  void set_order(std::span<const std::int32_t> order) {
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      rank_[order[rank]] = static_cast<std::int32_t>(rank);
    }
  }

  void start(const Draws& draws, SimTrace* trace) {
    draws_ = &draws;
    trace_ = trace;
    seen_ = at_last_start_ = {};
    last_result_ = 0.0;
    left_ = game_.tasks();
    number_ = rows_ = 0;
    turn_ = 0;
    queued_ = running_ = 0;
    idle_ = 0;
    asking_ = all_cores_;
    steps_ = 0;
    events_.clear();
    machines_.clear();
    groups_.clear();
    ready_.clear();
    new_.clear();
    resting_.clear();
    given_back_.clear();
    for (Queue& queue : queues_) queue.clear();
    std::ranges::fill(state_, usual);
    std::ranges::fill(attempts_, 0);
    missing_ = game_.parent_counts;
    if (model_.rule == Rule::random) {
      order_.resize(model_.order.size());
      draws.permute(order_);
      set_order(order_);
    }
    for (std::int32_t task : game_.sources) offer(task);
  }

  // Tasks

  std::uint64_t key_of(std::int32_t task) {
    const std::uint64_t turn = turn_++;
    switch (model_.rule) {
      case Rule::fifo: return turn;
      case Rule::lifo: return WaitingGroups::nothing - 1 - turn;
      case Rule::classed: return (static_cast<std::uint64_t>(model_.classes[task]) << 33) + turn;
      default: return static_cast<std::uint64_t>(rank_[task]);
    }
  }

  void offer(std::int32_t task) {
    const Waiting next{key_of(task), task};
    is_limited_ ? ready_.push(next) : enter(next);
  }

  // Lets ready tasks into the queue.
  void enter_all() {
    const SimMachines& limits = model_.machines;
    while (!ready_.empty() && queued_ < limits.max_idle && queued_ + running_ < limits.max_jobs) {
      enter(ready_.pop());
    }
  }

  void enter(const Waiting& next) {
    const std::int32_t group = model_.machines.groups[next.task];
    Queue& queue = queues_[group];
    if (queue.empty()) state_[group] = is_new;
    queue.push(next);
    ++queued_;
    if (queue.top().key == next.key) lead(group, next.key);
  }

  // The group is tried with this key, that of its first task.
  void lead(std::int32_t group, std::uint64_t key) {
    if (state_[group] == rests || queues_.size() == 1) return;
    groups_.set(group, key);
    if (state_[group] == is_new) new_.push({key, group});
  }

  // A moment

  void serve(double moment) {
    note_batch(moment);
    look_at_given_back();
    do {
      enter_all();
    } while (start_some(moment));
    for (const std::int32_t group : resting_) {
      state_[group] = usual;
      groups_.set(group, queues_[group].top().key);
    }
    resting_.clear();
    given_back_.clear();
    seen_.asked += asking_;
    seen_.stalled += asking_;
    idle_ += asking_;
    asking_ = 0;
  }

  // Starts the tasks that can start; returns whether there were any.
  bool start_some(double moment) {
    const std::int64_t before = number_;
    for (std::int32_t group = next_group(); group >= 0; group = next_group()) {
      ++steps_;
      const std::int32_t machine = machines_.find(held_by_group(group));
      if (machine == FreeMachines::none) {
        state_[group] = rests;
        groups_.set(group, WaitingGroups::nothing);
        resting_.push_back(group);
      } else {
        Queue& queue = queues_[group];
        assign(moment, queue.pop().task, machine);
        machines_.hold(machine, held_by_group(group));
        if (queue.empty()) {
          state_[group] = usual;
          groups_.set(group, WaitingGroups::nothing);
        } else {
          lead(group, queue.top().key);
        }
      }
      if (--until_look_ <= 0) look_at_given_back();
    }
    return number_ > before;
  }

  // The group whose first task may start and is played first; -1 if there is none.
  std::int32_t next_group() {
    if (queues_.size() == 1) return may_start_only_group() ? 0 : -1;
    while (!new_.empty()) {  // may have old keys
      const auto [key, group] = new_.top();
      if (state_[group] == is_new && queues_[group].top().key == key) break;
      new_.pop();
    }
    WaitingGroups::Found found;
    if (!given_back_.empty()) found = groups_.first(most_.data());
    if (!new_.empty() && new_.top().key <= found.key) return new_.top().task;
    return found.group;
  }

  // The same if all tasks hold the same, for speed.
  bool may_start_only_group() const {
    if (state_[0] == rests || queues_[0].empty()) return false;
    return state_[0] == is_new || fits(held_by_group(0), most_.data(), resources_);
  }

  // Finds the most that any of the machines has which got something back. As it only becomes less,
  // it is enough to look after as many steps as there are machines.
  void look_at_given_back() {
    most_.assign(resources_, std::numeric_limits<std::int64_t>::min());
    for (const std::int32_t machine : given_back_) {
      const std::int64_t* free = machines_.free(machine);
      for (std::size_t r = 0; r < resources_; ++r) most_[r] = std::max(most_[r], free[r]);
    }
    until_look_ = static_cast<std::int64_t>(given_back_.size());
  }

  void assign(double moment, std::int32_t task, std::int32_t machine) {
    const std::uint64_t attempt = attempts_[task]++;
    const double time = run_time(model_, *draws_, task, attempt);
    double stay = std::numeric_limits<double>::infinity();
    if (model_.leave < stay) {
      stay = model_.leave * draws_->exponential(Stream::leave, task, attempt);
    }
    const double takes = model_.overhead + time;
    const bool lost = stay < takes;
    const double end = moment + (lost ? stay : takes);
    events_.push({end, 8 * number_ + (lost ? events::loss : events::result), machine, time, task});
    ++number_;
    --queued_;
    ++running_;
    const std::int64_t cores = *held_by(task);
    const std::int64_t from_idle = std::min(idle_, cores);
    idle_ -= from_idle;
    asking_ -= cores - from_idle;
    seen_.asked += cores - from_idle;
    at_last_start_ = seen_;
    if (trace_ != nullptr) trace_assignment(moment, task, machine, end, lost);
  }

  void settle(double moment) {
    steps_ = 0;
    while (events_.next() == moment) {
      const Event event = events_.pop();
      const events::What what = event.what();
      ++steps_;
      if (what == events::known) {
        learn(event.task);
      } else if (what == events::again) {
        offer(event.task);
      } else {
        end(event, what == events::result);
      }
    }
  }

  void end(const Event& event, bool has_result) {
    const auto machine = static_cast<std::int32_t>(event.request);
    machines_.give_back(machine, held_by(event.task));
    given_back_.push_back(machine);
    asking_ += *held_by(event.task);
    --running_;
    if (has_result) {
      --left_;
      last_result_ = event.time;
      work_[event.task] = event.run_time;
      if (trace_ != nullptr) {
        trace_->ending[event.key / 8] = static_cast<std::uint8_t>(Ending::result);
      }
    }
    if (model_.delay > 0.0) {
      events_.push_later(event, has_result ? events::known : events::again, model_.delay);
    } else {
      has_result ? learn(event.task) : offer(event.task);
    }
  }

  void learn(std::int32_t task) {
    for (std::int32_t child : model_.children[task]) {
      if (--missing_[child] == 0) offer(child);
    }
  }

  // The trace

  void note_batch(double moment) {
    if (trace_ == nullptr || asking_ == 0) return;
    trace_->batch_time.push_back(moment);
    trace_->batch_size.push_back(whole(asking_));
    trace_->batch_eligible.push_back(static_cast<std::int64_t>(ready_.size()) + queued_);
  }

  void trace_assignment(double moment, std::int32_t task, std::int32_t machine, double end,
                        bool lost) {
    trace_->time.push_back(moment);
    trace_->task.push_back(task);
    trace_->request.push_back(machine);
    trace_->end.push_back(end);
    trace_->ending.push_back(static_cast<std::uint8_t>(lost ? Ending::loss : Ending::ignored));
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
  std::size_t rows_ = 0;  // batches in the trace at the last start
  std::size_t resources_;

  FreeMachines machines_;
  WaitingGroups groups_;
  std::vector<Queue> queues_;        // by group
  std::vector<State> state_;               // by group
  std::vector<double> cores_;              // held, by group
  Queue ready_;                      // not yet in a queue
  Queue new_;                        // groups that are new, with keys
  std::vector<std::int32_t> resting_;      // groups
  std::vector<std::int32_t> given_back_;   // machines that got something back at this moment
  std::vector<std::int64_t> most_;         // that any of them has, or had a little earlier
  std::int64_t until_look_ = 0;            // steps
  std::vector<std::int32_t> rank_, order_;
  std::uint64_t turn_ = 0;                 // times that a task became ready

  bool is_limited_;                        // whether tasks may have to wait for the queue

  std::vector<std::int32_t> missing_;      // parents not done
  std::vector<std::uint32_t> attempts_;    // assignments made
  std::vector<double> work_;               // time of the result
  std::int32_t left_ = 0;                  // tasks not done
  std::int64_t number_ = 0;                // of the next assignment
  std::int64_t queued_ = 0, running_ = 0;  // tasks
  events::EventHeap events_;
  std::int64_t steps_ = 0;                 // at this moment

  std::int64_t all_cores_ = 0;
  std::int64_t idle_ = 0;    // cores that asked and got nothing
  std::int64_t asking_ = 0;  // cores that ask at this moment
  Counts seen_, at_last_start_;
  double last_result_ = 0.0;
};

}  // namespace

std::unique_ptr<SimRunner> machine_runner(const SimCase& game) {
  return std::make_unique<MachineRunner>(game);
}

}  // namespace icsched
