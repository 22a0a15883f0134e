// Simulating the execution of a dag by workers that come, go and take random times.
//
// src/icsched/sim/model.py describes the model, and sim/python_engine.py plays it event by event.
// Both engines here make the same assignments at the same moments, to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"
#include "icsched/sim_slots.hpp"

namespace icsched {

enum class Rule : std::int32_t { ranked = 0, fifo = 1, lifo = 2, random = 3, classed = 4 };
enum class TimeLaw : std::int32_t { normal = 0, lognormal = 1 };

// Machines that run as many tasks at once as fit; no machines if there are no resources. Each task
// fits on one. Amounts are rows of whole numbers, one for each resource; the first is cores, in
// thousandths.
struct SimMachines {
  std::int64_t resources = 0;
  Ids groups;                                // by task: tasks of one group hold the same
  std::span<const std::int64_t> amounts;     // held, a row for each group
  std::span<const std::int64_t> capacities;  // a row for each machine
  std::int64_t max_jobs = 0;                 // queued and running; 2^62: no limit
  std::int64_t max_idle = 0;                 // queued; the same
};

// Requires at least one task. Numbers are positive and finite if nothing else is said, and so are
// their sums and products.
struct SimModel {
  Rows children;

  Rule rule;
  Ids order;  // legal; ranked: first task first; fifo, lifo, classed: only that of sources counts

  std::span<const double> means;  // of the tasks' times
  TimeLaw law;
  double width;  // deviation of the normal number behind a time; 0 for constant times

  std::int64_t workers;            // a fixed set, or visits, or 0 for batches
  std::span<const double> speeds;  // by worker

  double interval;                // mean gap between batches
  double size_scale, size_shift;  // a size is floor(scale * e + shift), e exponential; 0 <= scale
  bool waiting;                   // requests that find nothing stay
  double speed_sigma;             // deviation of the logarithm of a request's speed; may be 0

  double leave, deadline;  // may be infinite
  std::int64_t replicas;   // at least 1
  double overhead;         // of each assignment, whatever the speed; may be 0
  double delay;            // until results, losses, deadlines change what is handed out; may be 0

  // Recorded visits, one per worker, or none. Then there are no speeds, leaving, deadlines and
  // replicas.
  std::span<const double> starts;  // ascending; may be 0
  std::span<const double> ends;    // each after its start; at least one is infinite, others may be

  Ids classes;  // classed: by task, the least first and in a class as in fifo; else empty

  SimMachines machines = {};  // or none; with them only leave, overhead and delay are read
};

// Results by run. For workers, a batch is one request of one worker. For machines, a worker is a
// core, which asks at the start and after each task that held it.
struct SimRuns {
  std::vector<double> time;  // of the last first result
  std::vector<std::int64_t> batches, stalls, requests;  // up to the last assignment
  std::vector<double> work;  // time that went into first results; 0 without workers
};

enum class Ending : std::uint8_t { result = 0, loss = 1, ignored = 2 };

// Every step of a run; or only slots, if slots are wanted.
struct SimTrace {
  SimSlots slots;

  // Per assignment, in the order in which they are made. For workers, `request` is the worker,
  // and for machines the machine.
  std::vector<double> time;
  std::vector<std::int32_t> task;
  std::vector<std::int64_t> request;
  std::vector<double> end;
  std::vector<std::uint8_t> ending;  // an Ending

  // Per batch up to the last assignment. Workers that ask at one moment are one batch.
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
// O(tasks + arcs + batches) for batches without waiting, leaving, deadlines, replicas and delay
// (fifo, lifo and classed sort what ends between two batches). All other models take a heap
// operation per event, and on machines about log(machines) + sqrt(groups) more.
SimRuns simulate(const SimModel& model, const SimRange& range, SimTrace* trace = nullptr);

}  // namespace icsched
