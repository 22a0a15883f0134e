// Simulated runs.
#include "icsched/sim.hpp"

#include "seam.hpp"
#include "sim_model.hpp"
#include "topics.hpp"

namespace icsched {

static auto give(SimRuns&& runs) {
  return seam::give_all(runs.time, runs.batches, runs.stalls, runs.requests, runs.work);
}

static SimRuns simulated(const SimModel& model, std::uint64_t seed, std::int64_t first_run,
                         std::int64_t runs, std::int32_t threads) {
  return simulate(model, {seed, first_run, runs, threads});
}

static SimRuns traced(const SimModel& model, std::uint64_t seed, std::int64_t run, bool by_events,
                      SimTrace& trace) {
  const SimEngine engine = by_events ? SimEngine::events : SimEngine::best;
  return seam::without_gil([&] { return simulate(model, {seed, run, 1, 1, engine}, &trace); });
}

static auto simulated_trace(const SimModel& model, std::uint64_t seed, std::int64_t run,
                            bool by_events) {
  SimTrace trace;
  SimRuns result = traced(model, seed, run, by_events, trace);
  return std::tuple(give(std::move(result)),
                    seam::give_all(trace.time, trace.task, trace.request, trace.end, trace.ending,
                                   trace.batch_time, trace.batch_size, trace.batch_eligible));
}

static auto simulated_slots(const SimModel& model, std::span<const double> edges,
                            std::uint64_t seed, std::int64_t run, bool by_events) {
  SimTrace trace;
  trace.slots = SimSlots({edges.begin(), edges.end()});
  traced(model, seed, run, by_events, trace);
  std::vector<std::int64_t> batches, eligible, unserved;
  for (const auto& slot : trace.slots.found()) {
    batches.push_back(slot.batches);
    eligible.push_back(slot.eligible);
    unserved.push_back(slot.unserved);
  }
  return seam::give_all(batches, eligible, unserved);
}

static void bind_enums(nb::module_& m) {
  nb::enum_<Rule>(m, "Rule", nb::is_arithmetic(), "Which eligible task is handed out first.")
      .value("RANKED", Rule::ranked)
      .value("FIFO", Rule::fifo)
      .value("LIFO", Rule::lifo)
      .value("RANDOM", Rule::random)
      .value("CLASSED", Rule::classed);
  nb::enum_<TimeLaw>(m, "TimeLaw", nb::is_arithmetic(), "How the times of tasks are drawn.")
      .value("NORMAL", TimeLaw::normal)
      .value("LOGNORMAL", TimeLaw::lognormal);
  nb::enum_<Ending>(m, "Ending", nb::is_arithmetic(), "How an assignment ended.")
      .value("RESULT", Ending::result, "The task's first result.")
      .value("LOSS", Ending::loss, "The worker left.")
      .value("IGNORED", Ending::ignored, "Another result was first.");
}

}  // namespace icsched

void bind_sim(nb::module_& m) {
  icsched::bind_enums(m);
  m.def("simulate", seam::called<icsched::simulated>, "model"_a, "seed"_a,
        "first_run"_a, "runs"_a, "threads"_a);
  m.def("simulate_trace", &icsched::simulated_trace, "model"_a, "seed"_a, "run"_a,
        "by_events"_a);
  m.def("simulate_slots", &icsched::simulated_slots, "model"_a, "edges"_a, "seed"_a,
        "run"_a, "by_events"_a);
}
