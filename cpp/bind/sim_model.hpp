// How a model to simulate crosses from Python; several files of the binding use it.
#pragma once

#include "icsched/sim.hpp"
#include "seam.hpp"

namespace nanobind::detail {

template <>
struct type_caster<icsched::SimMachines>
    : StructCaster<type_caster<icsched::SimMachines>, icsched::SimMachines, std::int64_t,
                         icsched::Ids, std::span<const std::int64_t>,
                         std::span<const std::int64_t>, std::int64_t, std::int64_t> {
  static constexpr auto Name = const_name("icsched._native.SimMachines");
  static constexpr const char* names[] = {"resources",  "groups",   "amounts",
                                          "capacities", "max_jobs", "max_idle"};
};

template <>
struct type_caster<icsched::SimModel>
    : StructCaster<type_caster<icsched::SimModel>, icsched::SimModel, icsched::Rows,
                         icsched::Rule, icsched::Ids, std::span<const double>, icsched::TimeLaw,
                         double, std::int64_t, std::span<const double>, double, double, double,
                         bool, double, double, double, std::int64_t, double, double,
                         std::span<const double>, std::span<const double>, icsched::Ids,
                         icsched::SimMachines> {
  static constexpr auto Name = const_name("icsched._native.SimModel");
  static constexpr const char* names[] = {
      "children",   "rule",       "order",   "means",       "law",   "width",
      "workers",    "speeds",     "interval", "size_scale", "size_shift", "waiting",
      "speed_sigma", "leave",     "deadline", "replicas",   "overhead",   "delay",
      "starts",     "ends",       "classes",  "machines"};
};

}  // namespace nanobind::detail
