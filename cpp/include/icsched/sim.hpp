// Simulating the execution of a dag by workers that come, go and take random times.
//
// The model is described in src/icsched/sim/model.py, event by event in sim/plain.py; both
// engines here make the same assignments at the same moments, to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"
#include "icsched/sim_slots.hpp"

namespace icsched {

enum class Rule : std::int32_t { ranked = 0, fifo = 1, lifo = 2, random = 3 };
enum class TimeLaw : std::int32_t { normal = 0, lognormal = 1 };

// Requires at least one task, positive finite numbers where nothing else is said, and
// magnitudes such that sums and products of them stay finite.
struct SimModel {
  Rows children;

  Rule rule;
  Ids order;  // legal; ranked: least rank first; fifo and lifo: only that of the sources counts

  std::span<const double> means;  // of the tasks' times
  TimeLaw law;
  double width;  // deviation of the normal number behind a time; 0 for constant times

  std::int64_t workers;            // a fixed set, or 0 for batches
  std::span<const double> speeds;  // by worker

  double interval;                // mean gap between batches
  double size_scale, size_shift;  // a size is floor(scale * e + shift), e exponential; 0 <= scale
  bool waiting;                   // requests that find nothing stay
  double speed_sigma;             // deviation of the logarithm of a request's speed; may be 0

  double leave, deadline;  // may be infinite
  std::int64_t replicas;   // at least 1
  double overhead;         // of each assignment, whatever the speed; may be 0
};

// Results by run; for workers a batch is one time that one of them asks.
struct SimRuns {
  std::vector<double> time;  // of the last first result
  std::vector<std::int64_t> batches, stalls, requests;  // up to the last assignment
  std::vector<double> work;  // time that went into first results; for workers, else 0
};

enum class Ending : std::uint8_t { result = 0, loss = 1, ignored = 2 };

// Every step of a run; or, if slots are wanted, these and no steps.
struct SimTrace {
  SimSlots slots;

  // Per assignment, in the order of their making; `request` is a worker's number for workers.
  std::vector<double> time;
  std::vector<std::int32_t> task;
  std::vector<std::int64_t> request;
  std::vector<double> end;
  std::vector<std::uint8_t> ending;  // an Ending

  // Per batch up to the last assignment; for workers, those that ask at one moment are one.
  std::vector<double> batch_time;
  std::vector<std::int64_t> batch_size;
  std::vector<std::int64_t> batch_eligible;  // unassigned eligible tasks before it
};

// Which engine: the best for the model, or the one that can do all (for tests).
enum class SimEngine : std::int32_t { best = 0, events = 1 };

struct SimRange {
  std::uint64_t seed;
  std::int64_t first_run, runs;
  std::int32_t threads;  // at least 1; the results do not depend on it
  SimEngine engine = SimEngine::best;
};

// Runs first_run .. first_run + runs - 1. If `trace` is not null, it is filled with the run,
// which must be the only one. Memory per thread is O(tasks + copies running). Time per run is
// O(tasks + arcs + batches) for batches without waiting, leaving, deadlines and replicas (fifo
// and lifo sort what ends between two batches); for all else a heap operation per event.
SimRuns simulate(const SimModel& model, const SimRange& range, SimTrace* trace = nullptr);

}  // namespace icsched
