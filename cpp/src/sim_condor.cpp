// Scans, timed passes and cycles that would change nothing are skipped, so the work depends on the
// jobs alone. Idle jobs are grouped by what they hold: if the first of a group does not fit, none
// of the group does.
#include "icsched/sim_condor.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "icsched/sim_run.hpp"

namespace icsched {
namespace {

constexpr std::int32_t none = -1;
constexpr double never = std::numeric_limits<double>::infinity();

// Kinds of events; at the same time the smaller comes first.
enum Kind : std::int32_t {
  no_event,
  start,
  end,
  queue,
  scan,
  requested_pass,
  timed_pass,
  report,
  heartbeat,
  cycle
};

struct Event {
  double time;
  Kind kind;
  std::int32_t task;
  std::int64_t number;

  bool operator>(const Event& other) const {
    return std::tie(time, kind, number) > std::tie(other.time, other.kind, other.number);
  }
};

template <class T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

// Moments at an interval.
struct Ticks {
  double first, interval;
  std::int64_t number = 0;

  double at(std::int64_t n) const { return first + static_cast<double>(n) * interval; }
  double next() const { return at(number); }

  // Moves on to the first moment that is not before `moment`, or with `after` that is after it.
  void skip_to(double moment, bool after = false) {
    const auto is_early = [&](std::int64_t n) {
      return after ? at(n) <= moment : at(n) < moment;
    };
    if (!is_early(number)) return;
    const auto guess = static_cast<std::int64_t>((moment - first) / interval);
    std::int64_t n = std::max(number, guess - 1);
    while (n > number && !is_early(n - 1)) --n;
    while (is_early(n)) ++n;
    number = n;
  }
};

// A job that waits: the place by priority, then by submission or readiness.
struct Job {
  std::int32_t priority;
  std::int64_t place;
  std::int32_t task;

  bool operator>(const Job& other) const {
    return std::tie(priority, place) > std::tie(other.priority, other.place);
  }
};

// Jobs by group, and the best of the groups that a test lets pass. Empty groups cost nothing.
class Groups {
 public:
  explicit Groups(std::size_t count) : jobs_(count), at_(count, none) {}

  void clear() {
    for (std::int32_t group : filled_) {
      jobs_[group] = {};
      at_[group] = none;
    }
    filled_.clear();
  }
  bool empty() const { return filled_.empty(); }
  const std::vector<std::int32_t>& filled() const { return filled_; }

  void push(std::int32_t group, const Job& job) {
    if (jobs_[group].empty()) {
      at_[group] = static_cast<std::int32_t>(filled_.size());
      filled_.push_back(group);
    }
    jobs_[group].push(job);
  }

  bool has(std::int32_t group) const { return !jobs_[group].empty(); }
  const Job& top(std::int32_t group) const { return jobs_[group].top(); }

  // A group, or none.
  template <class Passes>
  std::int32_t best(Passes passes) const {
    std::int32_t found = none;
    for (std::int32_t group : filled_) {
      if (found != none && !(jobs_[found].top() > jobs_[group].top())) continue;
      if (passes(group)) found = group;
    }
    return found;
  }

  Job pop(std::int32_t group) {
    const Job job = jobs_[group].top();
    jobs_[group].pop();
    if (jobs_[group].empty()) {
      const std::int32_t last = filled_.back();
      at_[last] = at_[group];
      filled_[at_[group]] = last;
      filled_.pop_back();
      at_[group] = none;
    }
    return job;
  }

 private:
  std::vector<LeastFirst<Job>> jobs_;
  std::vector<std::int32_t> at_;      // place in `filled_`, or none
  std::vector<std::int32_t> filled_;  // groups with jobs, in no order
};

// What the machines have left, and the fullest machine that has enough.
class Free {
 public:
  explicit Free(const SlotModel& slots)
      : slots_(slots), width_(slots.resources), sorted_(Fuller{this}) {}

  void clear() {
    rows_.assign(slots_.capacities.begin(), slots_.capacities.end());
    sorted_.clear();
    for (std::size_t machine = 0; machine < rows_.size() / width_; ++machine) {
      put_back(static_cast<std::int32_t>(machine));
    }
  }

  // Cores that are left in all.
  std::int64_t cores() const {
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < rows_.size(); at += width_) sum += rows_[at];
    return sum;
  }

  const std::int64_t* row(std::int32_t machine) const { return &rows_[machine * width_]; }

  // The fullest machine that has what a group holds, or none; the first of those that are equal.
  std::int32_t fullest(std::int32_t group) const {
    const std::int64_t* needs = &slots_.amounts[group * width_];
    auto at = sorted_.lower_bound(Bound{needs[0], nullptr});
    while (at != sorted_.end() && !fits(needs, row(*at))) {
      at = sorted_.lower_bound(Bound{0, row(*at)});  // the next that has something else left
    }
    return at == sorted_.end() ? none : *at;
  }

  void take_out(std::int32_t machine) { sorted_.erase(machine); }
  void put_back(std::int32_t machine) { sorted_.insert(machine); }

  // Adds what a group holds `sign` times; the machine must be taken out.
  void add(std::int32_t machine, std::int32_t group, std::int64_t sign) {
    for (std::int64_t i = 0; i < width_; ++i) {
      rows_[machine * width_ + i] += sign * slots_.amounts[group * width_ + i];
    }
  }

  bool fits(const std::int64_t* needs, const std::int64_t* room) const {
    for (std::int64_t i = 0; i < width_; ++i) {
      if (needs[i] > room[i]) return false;
    }
    return true;
  }

 private:
  // Before all machines with these cores, or after all that have just this left.
  struct Bound {
    std::int64_t cores;
    const std::int64_t* after;
  };
  struct Fuller {
    using is_transparent = void;
    const Free* free;

    int compare(const std::int64_t* a, const std::int64_t* b) const {
      for (std::int64_t i = 0; i < free->width_; ++i) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
      }
      return 0;
    }
    bool operator()(std::int32_t a, std::int32_t b) const {
      const int order = compare(free->row(a), free->row(b));
      return order != 0 ? order < 0 : a < b;
    }
    bool operator()(std::int32_t machine, const Bound& bound) const {
      const std::int64_t* row = free->row(machine);
      return bound.after != nullptr ? compare(row, bound.after) <= 0 : row[0] < bound.cores;
    }
    bool operator()(const Bound& bound, std::int32_t machine) const {
      const std::int64_t* row = free->row(machine);
      return bound.after != nullptr ? compare(row, bound.after) > 0 : row[0] >= bound.cores;
    }
  };

  const SlotModel& slots_;
  std::int64_t width_;
  std::vector<std::int64_t> rows_;  // what is left, by machine
  std::set<std::int32_t, Fuller> sorted_;
};

// A dynamic slot. Its size is that of a group.
struct Claim {
  std::int32_t machine, group;
  double born;
  std::int64_t place;  // in the schedd's table; no other claim of the run has it
  double hold = 0.0;   // as the task says with which its shadow began
  double held_until = 0.0;
  bool is_idle = false;
};

// A claim when it became idle.
struct Held {
  double until;
  std::int64_t place;
  std::int32_t claim;
};

class CondorRunner : public SimRunner {
 public:
  CondorRunner(const SimCase& game, const SlotModel& slots)
      : game_(game),
        model_(game.model),
        slots_(slots),
        delays_(slots.delays),
        idle_(slots.amounts.size() / slots.resources),
        ready_(slots.limits.size() + 1),
        free_(slots),
        waiting_(slots.amounts.size() / slots.resources),
        run_times_(game.tasks()),
        claim_of_(game.tasks()),
        closed_(slots.amounts.size() / slots.resources) {
    priority_.assign(game.tasks(), 0);
    if (model_.rule == Rule::ranked) {
      for (std::int32_t at = 0; at < game.tasks(); ++at) priority_[model_.order[at]] = at;
    } else if (model_.rule == Rule::classed) {
      priority_.assign(model_.classes.begin(), model_.classes.end());
    }
  }

  SimScore run(const Draws& draws, Watch& watch, SimTrace* trace) override {
    begin(draws);
    trace_ = trace;
    SimScore score;
    for (std::int32_t task = 0; task < game_.tasks(); ++task) {
      run_times_[task] = run_time(model_, draws, task, 0);
      score.work += run_times_[task] * (static_cast<double>(cores_of(task)) / core);
    }
    while (left_ > 0 && !watch.stops(10)) {
      if (!step()) {
        score.time = never;
        return score;
      }
    }
    if (trace != nullptr) finish_batches();
    score.time = now_;
    score.requests = score.batches = whole(seen_.asked);
    score.stalls = whole(seen_.stalled);
    return score;
  }

 private:
  static constexpr std::int64_t core = 1000;  // cores are counted in thousandths

  struct Counts {
    std::int64_t asked = 0, stalled = 0;  // cores
    std::size_t rows = 0;                 // of the trace's batches
  };

  static std::int64_t whole(std::int64_t cores) { return (cores + core - 1) / core; }
  std::int64_t cores_of(std::int32_t task) const { return needs(slots_.groups[task])[0]; }

  void begin(const Draws& draws) {
    draws_ = &draws;
    left_ = game_.tasks();
    missing_ = game_.parent_counts;
    idle_.clear();
    ready_.clear();
    free_.clear();
    events_ = {};
    claims_.clear();
    unused_.clear();
    held_.clear();
    waiting_.clear();
    in_category_.assign(slots_.limits.size() + 1, 0);
    ended_unread_.clear();
    started_unread_ = submissions_ = in_queue_ = idle_known_ = starts_ = put_back_ = newest_ = 0;
    unassigned_ = 0;
    asked_ = seen_ = {};
    for (std::int32_t task : game_.sources) make_ready(task);
    is_new_ = may_match_ = too_late_ = false;
    now_ = heartbeat_ = -delays_.dagman;
    last_kind_ = no_event;
    last_cycle_ = now_ - slots_.cycle_delay * draws.uniform(Stream::phase, 0);
    scans_ = {0.0, slots_.scan_interval};
    passes_ = {slots_.first_pass, slots_.schedd_interval};
    cycles_ = {std::max(now_, last_cycle_ + slots_.cycle_delay), slots_.negotiator_interval};
    may_submit_ = true;
  }

  // Lets the next event happen. False if it comes too late.
  bool step() {
    Event event{never, no_event, none, 0};
    if (!events_.empty()) event = events_.top();
    const auto consider = [&](double time, Kind kind) {
      if (std::tie(time, kind) < std::tie(event.time, event.kind)) event = {time, kind, none, 0};
    };
    consider(next_scan(), scan);
    consider(next_pass(), timed_pass);
    consider(next_cycle(), cycle);
    if (too_late_ || event.time > slots_.latest) return false;
    if (event.time != now_) last_kind_ = no_event;
    now_ = event.time;
    last_kind_ = std::max(last_kind_, event.kind);
    if (event.kind != scan && event.kind != timed_pass && event.kind != cycle) events_.pop();
    happen(event);
    return true;
  }

  void happen(const Event& event) {
    switch (event.kind) {
      case start: return log_start(event.number, event.task);
      case end: return end_job(event.task);
      case queue: return queue_job(event.number, event.task);
      case scan: return scan_log();
      case requested_pass:
        look_at_claims();
        passes_.first = now_;
        passes_.number = 1;
        return;
      case timed_pass:
        passes_.skip_to(now_);
        look_at_claims();
        ++passes_.number;
        return;
      case report: return report_jobs();
      case heartbeat: return advance_cycle();
      default: return make_claims();
    }
  }

  void at(double when, Kind kind, std::int64_t number = 0, std::int32_t task = none) {
    too_late_ |= when > slots_.latest;
    events_.push({when, kind, task, number});
  }

  // What comes at intervals, the next time that it changes something. Whatever of a kind came at
  // this very moment before an event of a later kind is over.

  double next_scan() {
    if (!may_submit_ && started_unread_ == 0 && ended_unread_.empty()) return never;
    const std::int64_t before = scans_.number;
    scans_.skip_to(now_, last_kind_ > scan);
    if ((scans_.number - before) % 2 == 1 && throttles_allow(0)) submit_ready();  // reverses
    return scans_.next();
  }

  double next_pass() {
    while (!held_.empty() && !is_held(held_.front())) held_.pop_front();
    if (held_.empty()) return never;
    passes_.skip_to(now_, last_kind_ > timed_pass);
    if (is_new_) return passes_.next();
    const double until = held_.front().until;
    if (until > slots_.latest) return never;
    Ticks passes = passes_;
    passes.skip_to(until);
    return passes.next();
  }

  double next_cycle() {
    if (!may_match_ || idle_.empty()) return never;
    pass_cycles();
    Ticks cycles = cycles_;
    cycles.skip_to(heartbeat_);
    return cycles.next();
  }

  // Lets cycles be over that came before now and changed nothing.
  void pass_cycles() {
    const std::int64_t before = cycles_.number;
    cycles_.skip_to(now_, last_kind_ > cycle);
    if (cycles_.number > before) last_cycle_ = cycles_.at(cycles_.number - 1);
  }

  // DAGMan

  void make_ready(std::int32_t task) {
    ++unassigned_;
    put_ready(task, newest_++);
  }

  void put_ready(std::int32_t task, std::int64_t place) {
    ready_.push(slots_.categories[task] + 1, {priority_[task], place, task});
  }

  void scan_log() {
    if (scans_.number == 0) ask(free_.cores(), false);
    submit_ready();
    idle_known_ -= started_unread_;
    in_queue_ -= static_cast<std::int64_t>(ended_unread_.size());
    for (std::int32_t task : ended_unread_) {
      --in_category_[slots_.categories[task] + 1];
      for (std::int32_t child : model_.children[task]) {
        if (--missing_[child] == 0) make_ready(child);
      }
    }
    started_unread_ = 0;
    ended_unread_.clear();
    ++scans_.number;
    may_submit_ = throttles_allow(0) && std::ranges::any_of(ready_.filled(), [&](auto category) {
                    return category_allows(category);
                  });
  }

  bool throttles_allow(std::int64_t submitted) const {
    return submitted < slots_.scan_submissions && in_queue_ < slots_.max_jobs &&
           idle_known_ < slots_.max_idle;
  }
  bool category_allows(std::int32_t category) const {
    return category == 0 || in_category_[category] < slots_.limits[category - 1];
  }

  void submit_ready() {
    std::int64_t submitted = 0;
    over_limit_.clear();
    // Tasks that all have priorities of their own stay in order, so they need not be put back.
    const bool reverses = model_.rule != Rule::ranked;
    const auto passes = [&](std::int32_t category) {
      return reverses || category_allows(category);
    };
    while (!ready_.empty() && throttles_allow(submitted)) {
      const std::int32_t category = ready_.best(passes);
      if (category == none) break;
      const std::int32_t task = ready_.pop(category).task;
      if (!category_allows(category)) {
        over_limit_.push_back(task);
        continue;
      }
      ++in_category_[category];
      ++in_queue_;
      ++idle_known_;
      at(now_ + static_cast<double>(submitted) * delays_.submission, queue, submissions_++, task);
      ++submitted;
    }
    for (std::int32_t task : over_limit_) put_ready(task, --put_back_);
    check_interrupt(static_cast<std::int64_t>(over_limit_.size()));
    if (submitted == 0) return;
    const double seen =
        now_ + static_cast<double>(submitted) * delays_.submission + delays_.reaction;
    at(seen, requested_pass);
    at(seen, report);
  }

  // Schedd

  void queue_job(std::int64_t number, std::int32_t task) {
    idle_.push(slots_.groups[task], {priority_[task], number, task});
    is_new_ = may_match_ = true;
  }

  const std::int64_t* needs(std::int32_t group) const {
    return &slots_.amounts[group * slots_.resources];
  }

  // The group of the first idle job that fits into a claim of this group, or none.
  std::int32_t group_for(std::int32_t size) const {
    const std::int64_t* room = needs(size);
    return idle_.best([&](std::int32_t group) {
      return free_.fits(needs(group), room) &&
             !(slots_.exact_cores && needs(group)[0] < room[0]);
    });
  }

  void start_shadow(std::int32_t claim, std::int32_t task, double delay) {
    claims_[claim].hold = model_.children[task].empty() ? 0.0 : slots_.hold;
    start_job(claim, task, delay);
  }

  void start_job(std::int32_t claim, std::int32_t task, double delay) {
    claims_[claim].is_idle = false;
    claim_of_[task] = claim;
    at(now_ + delay, start, ++starts_, task);
  }

  void log_start(std::int64_t number, std::int32_t task) {
    ++started_unread_;
    const double ends = now_ + (model_.overhead + run_times_[task] + delays_.job);
    at(ends, end, number, task);
    --unassigned_;
    seen_ = asked_;
    if (trace_ == nullptr) return;
    trace_->time.push_back(now_);
    trace_->task.push_back(task);
    trace_->request.push_back(claims_[claim_of_[task]].machine);
    trace_->end.push_back(ends);
    trace_->ending.push_back(static_cast<std::uint8_t>(Ending::result));
  }

  void end_job(std::int32_t task) {
    --left_;
    ended_unread_.push_back(task);
    const std::int32_t at = claim_of_[task];
    Claim& claim = claims_[at];
    const bool is_worn = now_ - claim.born > slots_.worklife;
    const std::int32_t group = is_worn ? none : group_for(claim.group);
    ask(cores_of(task), group == none);
    if (group != none) {
      const std::int32_t following = idle_.pop(group).task;
      const bool is_slow = draws_->uniform(Stream::reuse, following) < delays_.slow_share;
      start_job(at, following, is_slow ? delays_.slow_reuse : delays_.reuse);
    } else if (claim.hold > 0.0 && !is_worn) {
      claim.is_idle = true;
      claim.held_until = now_ + claim.hold;
      held_.push_back({claim.held_until, claim.place, at});
      waiting_.push(claim.group, {0, claim.place, at});
    } else {
      give_back(at);
    }
  }

  void give_back(std::int32_t at) {
    Claim& claim = claims_[at];
    claim.is_idle = false;
    free_.take_out(claim.machine);
    free_.add(claim.machine, claim.group, 1);
    free_.put_back(claim.machine);
    unused_.push_back(at);
    may_match_ = true;
  }

  bool is_held(const Held& held) const {
    const Claim& claim = claims_[held.claim];
    return claim.is_idle && claim.place == held.place && claim.held_until == held.until;
  }

  // Fills idle claims by place, then gives back those whose hold is over. A claim that fits no job
  // now will fit none later in this pass, so the order of both does not matter.
  void look_at_claims() {
    if (is_new_) fill_claims();
    is_new_ = false;
    while (!held_.empty()) {
      const Held held = held_.front();
      if (is_held(held)) {
        if (held.until > now_) return;
        give_back(held.claim);
      }
      held_.pop_front();
    }
  }

  void fill_claims() {
    LeastFirst<std::pair<std::int64_t, std::int32_t>> line;  // the first claim of each size
    const auto line_up = [&](std::int32_t size) {
      if (!drop_old(size)) return;
      if (group_for(size) != none) line.emplace(waiting_.top(size).place, size);
    };
    const std::vector<std::int32_t> sizes = waiting_.filled();
    for (std::int32_t size : sizes) line_up(size);
    while (!line.empty()) {
      const std::int32_t size = line.top().second;
      line.pop();
      const std::int32_t group = group_for(size);
      if (group == none) continue;
      const std::int32_t claim = waiting_.pop(size).task;
      start_shadow(claim, idle_.pop(group).task, delays_.idle_claim);
      line_up(size);
    }
    check_interrupt(static_cast<std::int64_t>(sizes.size()));
  }

  // Drops claims that are not idle any more from the front of a size. Whether one is left.
  bool drop_old(std::int32_t size) {
    while (waiting_.has(size)) {
      const Job& first = waiting_.top(size);
      if (claims_[first.task].is_idle && claims_[first.task].place == first.place) return true;
      waiting_.pop(size);
    }
    return false;
  }

  // Negotiator

  void report_jobs() {
    if (heartbeat_ > now_) return;
    const double since = std::fmod(now_ - heartbeat_, slots_.schedd_interval);
    heartbeat_ = std::max(now_, now_ - since + slots_.heartbeat);
    at(heartbeat_, heartbeat);
  }

  void advance_cycle() {
    pass_cycles();
    const double when = std::max(now_, last_cycle_ + slots_.cycle_delay);
    if (when < cycles_.next()) {
      cycles_.first = when;
      cycles_.number = 0;
    }
  }

  void make_claims() {
    cycles_.skip_to(now_);
    ++cycles_.number;
    last_cycle_ = now_;
    may_match_ = false;
    std::int64_t won = 0;
    matched_.clear();
    closed_.assign(closed_.size(), false);
    for (;;) {
      const std::int32_t group = idle_.best([&](std::int32_t each) { return !closed_[each]; });
      if (group == none) break;
      const std::int32_t machine = free_.fullest(group);
      if (machine == none) {
        closed_[group] = true;
        continue;
      }
      free_.take_out(machine);
      matched_.push_back(machine);
      win(machine, group, won++);
    }
    for (std::int32_t machine : matched_) {
      for (;;) {
        const std::int32_t group = idle_.best([&](std::int32_t each) {
          return free_.fits(needs(each), free_.row(machine));
        });
        if (group == none) break;
        win(machine, group, won++);
      }
      free_.put_back(machine);
    }
    check_interrupt(static_cast<std::int64_t>(closed_.size()));
    if (won > 0) at(now_ + delays_.new_claim, requested_pass);
  }

  void win(std::int32_t machine, std::int32_t group, std::int64_t before) {
    const std::int32_t task = idle_.pop(group).task;
    const std::uint64_t place = draws_->bits(Stream::claim, task) ^ (std::uint64_t{1} << 63);
    std::int32_t claim = static_cast<std::int32_t>(claims_.size());
    if (unused_.empty()) {
      claims_.emplace_back();
    } else {
      claim = unused_.back();
      unused_.pop_back();
    }
    claims_[claim] = {machine, group, now_, static_cast<std::int64_t>(place)};  // in this order
    free_.add(machine, group, -1);
    start_shadow(claim, task,
                 delays_.new_claim + static_cast<double>(before) * delays_.each_claim);
  }

  // What is told

  void ask(std::int64_t cores, bool stalled) {
    asked_.asked += cores;
    if (stalled) asked_.stalled += cores;
    if (trace_ == nullptr) return;
    if (asked_.rows > 0 && trace_->batch_time.back() == now_) {
      trace_->batch_size.back() += cores;
      return;
    }
    ++asked_.rows;
    trace_->batch_time.push_back(now_);
    trace_->batch_size.push_back(cores);
    trace_->batch_eligible.push_back(unassigned_);
  }

  // Leaves out what came after the last start, and counts whole cores.
  void finish_batches() {
    trace_->batch_time.resize(seen_.rows);
    trace_->batch_size.resize(seen_.rows);
    trace_->batch_eligible.resize(seen_.rows);
    for (std::int64_t& size : trace_->batch_size) size = whole(size);
  }

  const SimCase& game_;
  const SimModel& model_;
  const SlotModel& slots_;
  const SlotDelays& delays_;
  const Draws* draws_ = nullptr;
  SimTrace* trace_ = nullptr;

  std::int64_t left_ = 0;  // jobs that have not ended
  double now_ = 0.0;
  Kind last_kind_ = no_event;  // the last of the kinds that came at this moment
  bool too_late_ = false;      // an event comes after `latest`
  LeastFirst<Event> events_;
  Ticks scans_, passes_, cycles_;

  std::vector<std::int32_t> priority_;  // by task; the least first
  std::vector<std::int32_t> missing_;   // parents whose end DAGMan has not read
  Groups idle_;                         // by group of needs
  Groups ready_;                        // by category + 1
  std::vector<std::int64_t> in_category_;
  std::vector<std::int32_t> ended_unread_, over_limit_;
  std::int64_t started_unread_ = 0, submissions_ = 0, in_queue_ = 0, idle_known_ = 0;
  std::int64_t newest_ = 0, put_back_ = 0;  // places of ready tasks
  bool may_submit_ = true;                  // the next scan submits something

  Free free_;
  std::vector<Claim> claims_;
  std::vector<std::int32_t> unused_;  // claims that were given back
  std::deque<Held> held_;  // claims that became idle, by end of hold; some are not idle any more
  Groups waiting_;         // the same by group and place
  std::int64_t starts_ = 0;
  bool is_new_ = false;     // a job was queued since the last pass
  bool may_match_ = false;  // a job was queued or a claim given back since the last cycle
  double heartbeat_ = 0.0, last_cycle_ = 0.0;

  Counts asked_, seen_;          // so far, and until the last start
  std::int64_t unassigned_ = 0;  // tasks that are ready or idle

  std::vector<double> run_times_;
  std::vector<std::int32_t> claim_of_;  // by task that runs
  std::vector<std::int32_t> matched_;   // machines that this cycle has matched
  std::vector<bool> closed_;            // by group: no machine has room for it in this cycle
};

}  // namespace

SimRuns simulate_condor(const SimModel& model, const SlotModel& slots, const SimRange& range,
                        SimTrace* trace) {
  const SimCase game(model);
  return play([&] { return std::make_unique<CondorRunner>(game, slots); }, range, trace);
}

}  // namespace icsched
