// The topics of the module, one file each.
#pragma once

#include <nanobind/nanobind.h>

void bind_graph(nanobind::module_& m);
void bind_referee(nanobind::module_& m);
void bind_theory(nanobind::module_& m);
void bind_memory(nanobind::module_& m);
void bind_batches(nanobind::module_& m);
void bind_sim(nanobind::module_& m);
void bind_sim_condor(nanobind::module_& m);
void bind_dagman(nanobind::module_& m);
