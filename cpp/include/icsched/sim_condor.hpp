// Simulating how HTCondor fills partitionable slots with the jobs of DAGMan.
//
// src/icsched/sim/slot_engine.py has the rules, and makes the same runs to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/sim.hpp"

namespace icsched {

// Seconds, and not negative.
struct SlotDelays {
  double dagman, submission, reaction, new_claim, each_claim, idle_claim, reuse, slow_reuse;
  double slow_share;  // of reuses that take `slow_reuse`
  double job;
};

struct SlotModel {
  // Tasks of a group hold the same. `amounts` has a row of `resources` numbers for each group,
  // `capacities` one for each machine; the first is cores. Each task fits on an empty machine.
  Ids groups;  // by task
  std::span<const std::int64_t> amounts, capacities;
  std::int64_t resources;

  Ids categories;  // by task; -1: none
  Ids limits;      // by category, at least 1
  std::int64_t max_jobs, max_idle, scan_submissions;  // at least 1
  bool exact_cores;

  // Seconds. The intervals are positive, the others not negative. Delays are in the intervals.
  double scan_interval, hold, schedd_interval, heartbeat, negotiator_interval, cycle_delay;
  double worklife;
  double first_pass;
  double latest;  // a run that lasts longer is given up; at most 2^50 times the least interval
  SlotDelays delays;
};

// Runs as `simulate` does, but on these slots; of `model` only children, rule (ranked, fifo or
// classed), order, means, law, width, overhead and classes count. The time of a run that is given up
// is infinite. In the trace assignments come by start, and `request` is the machine. Memory per
// thread is O(tasks + machines). Time per run is about O(tasks (log tasks + groups)), whatever the
// intervals; tasks over the limit of a category cost more, unless the rule is ranked.
SimRuns simulate_condor(const SimModel& model, const SlotModel& slots, const SimRange& range,
                        SimTrace* trace = nullptr);

}  // namespace icsched
