// The module: all that Python can call, by topic.
#include <atomic>

#include "seam.hpp"
#include "topics.hpp"

namespace {

// Python tells only the main thread about signals; simulations may run on other threads too.
std::atomic<std::uint64_t> times_given_up = 0;
thread_local std::uint64_t times_given_up_before = 0;  // this thread's kernel began

}  // namespace

namespace seam {

void begin_kernel() { times_given_up_before = times_given_up; }

bool wants_out() {
  nb::gil_scoped_acquire acquire;
  if (times_given_up == times_given_up_before) return PyErr_CheckSignals() != 0;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

void give_up_kernels() { ++times_given_up; }

}  // namespace seam

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // a daemon thread may hold a Sorter when Python ends
  m.doc() = "Kernels of icsched; contracts are in cpp/include/icsched/.";
  m.def("give_up_kernels", &seam::give_up_kernels,
        "End all kernels that run now, on any thread, with KeyboardInterrupt.");
  bind_graph(m);
  bind_referee(m);
  bind_theory(m);
  bind_memory(m);
  bind_batches(m);
  bind_sim(m);
  bind_sim_condor(m);
  bind_dagman(m);
}
