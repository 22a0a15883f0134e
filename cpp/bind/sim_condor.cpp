// Simulated runs on HTCondor.
#include "icsched/sim_condor.hpp"

#include "seam.hpp"
#include "sim_model.hpp"
#include "topics.hpp"

namespace nanobind::detail {

template <>
struct type_caster<icsched::SlotDelays>
    : StructCaster<type_caster<icsched::SlotDelays>, icsched::SlotDelays, double, double, double,
                   double, double, double, double, double, double, double> {
  static constexpr auto Name = const_name("icsched._native.SlotDelays");
  static constexpr const char* names[] = {"dagman",     "submission", "reaction", "new_claim",
                                          "each_claim", "idle_claim", "reuse",    "slow_reuse",
                                          "slow_share", "job"};
};

template <>
struct type_caster<icsched::SlotModel>
    : StructCaster<type_caster<icsched::SlotModel>, icsched::SlotModel, icsched::Ids,
                   std::span<const std::int64_t>, std::span<const std::int64_t>, std::int64_t,
                   icsched::Ids, icsched::Ids, std::int64_t, std::int64_t, std::int64_t, bool,
                   double, double, double, double, double, double, double, double, double,
                   icsched::SlotDelays> {
  static constexpr auto Name = const_name("icsched._native.SlotModel");
  static constexpr const char* names[] = {
      "groups",           "amounts",       "capacities",          "resources",
      "categories",       "limits",        "max_jobs",            "max_idle",
      "scan_submissions", "exact_cores",   "scan_interval",       "hold",
      "schedd_interval",  "heartbeat",     "negotiator_interval", "cycle_delay",
      "worklife",         "first_pass",    "latest",              "delays"};
};

}  // namespace nanobind::detail

namespace icsched {

static auto simulated(const SimModel& model, const SlotModel& slots, std::uint64_t seed,
                      std::int64_t first_run, std::int64_t runs, std::int32_t threads) {
  SimRuns found = seam::without_gil(
      [&] { return simulate_condor(model, slots, {seed, first_run, runs, threads}); });
  return seam::give_all(found.time, found.batches, found.stalls, found.requests, found.work);
}

static auto simulated_trace(const SimModel& model, const SlotModel& slots, std::uint64_t seed,
                            std::int64_t run) {
  SimTrace trace;
  SimRuns found = seam::without_gil(
      [&] { return simulate_condor(model, slots, {seed, run, 1, 1}, &trace); });
  return std::tuple(
      seam::give_all(found.time, found.batches, found.stalls, found.requests, found.work),
      seam::give_all(trace.time, trace.task, trace.request, trace.end, trace.ending,
                     trace.batch_time, trace.batch_size, trace.batch_eligible));
}

}  // namespace icsched

void bind_sim_condor(nb::module_& m) {
  m.def("simulate_condor", &icsched::simulated, "model"_a, "slots"_a, "seed"_a, "first_run"_a,
        "runs"_a, "threads"_a);
  m.def("simulate_condor_trace", &icsched::simulated_trace, "model"_a, "slots"_a, "seed"_a,
        "run"_a);
}
