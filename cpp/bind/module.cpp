// The one file that knows both Python and the kernels: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "icsched/batch.hpp"
#include "icsched/blocks.hpp"
#include "icsched/dagman.hpp"
#include "icsched/decompose.hpp"
#include "icsched/graph.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/memory.hpp"
#include "icsched/priority.hpp"
#include "icsched/ready.hpp"
#include "icsched/referee.hpp"
#include "icsched/shapes.hpp"
#include "icsched/shortcuts.hpp"
#include "icsched/sim.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using InIds = In<std::int32_t>;
using OutIds = Out<std::int32_t>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}

icsched::Rows rows(const InIds& offsets, const InIds& targets) {
  return {view(offsets), view(targets)};
}

// Hands a vector's memory to numpy without copying it.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

// Python tells the main thread alone of signals; simulations may run on others too.
std::atomic<std::uint64_t> times_given_up = 0;
thread_local std::uint64_t times_given_up_before = 0;  // this thread's kernel began

// Whether the user wants out (Ctrl-C); then Python's error is set. Kernels ask without the GIL.
bool wants_out() {
  nb::gil_scoped_acquire acquire;
  if (times_given_up == times_given_up_before) return PyErr_CheckSignals() != 0;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

// Runs a kernel without the GIL; Ctrl-C ends it with Python's own error.
template <class Kernel>
auto without_gil(Kernel kernel) {
  times_given_up_before = times_given_up;
  try {
    nb::gil_scoped_release release;
    const icsched::InterruptScope scope(wants_out);
    return kernel();
  } catch (const icsched::Interrupted&) {
    throw nb::python_error();
  }
}

auto build(std::int32_t tasks, InIds parents, InIds children) {
  auto built = without_gil([&] { return icsched::build(tasks, view(parents), view(children)); });
  return std::tuple(give(std::move(built.child_offsets)), give(std::move(built.children)),
                    give(std::move(built.parent_offsets)), give(std::move(built.parents)),
                    give(std::move(built.order)), give(std::move(built.cycle)));
}

auto longest_paths(InIds offsets, InIds children, InIds order, In<double> weights) {
  return give(without_gil([&] {
    return icsched::longest_paths(rows(offsets, children), view(order), view(weights));
  }));
}

auto connected_parts(InIds offsets, InIds children) {
  return give(without_gil([&] { return icsched::connected_parts(rows(offsets, children)); }));
}

auto priority_order(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                    InIds ranks) {
  return give(without_gil([&] {
    return icsched::priority_order(rows(child_offsets, children), rows(parent_offsets, parents),
                                   view(ranks));
  }));
}

auto best_ideals(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                 InIds order, std::int64_t limit) {
  auto best = without_gil([&] {
    return icsched::best_ideals(rows(child_offsets, children), rows(parent_offsets, parents),
                                view(order), limit);
  });
  // The sets differ in size: they travel end to end, set t being t tasks long.
  std::vector<std::int32_t> sets;
  for (const auto& set : best.sets) sets.insert(sets.end(), set.begin(), set.end());
  return std::tuple(static_cast<int>(best.walk), give(std::move(best.enabled)),
                    give(std::move(sets)));
}

using OrderKernel = icsched::NonsinkOrder (*)(icsched::Rows, icsched::Rows, icsched::Ids,
                                              std::int64_t);

template <OrderKernel kernel>
auto nonsink_order(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                   InIds order, std::int64_t limit) {
  auto result = without_gil([&] {
    return kernel(rows(child_offsets, children), rows(parent_offsets, parents), view(order),
                  limit);
  });
  return std::tuple(static_cast<int>(result.walk), result.found,
                    give(std::move(result.nonsinks)));
}

auto shortcuts(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
               InIds order, std::int64_t patience, std::int64_t most_work) {
  return give(without_gil([&] {
    return icsched::shortcuts(rows(child_offsets, children), rows(parent_offsets, parents),
                              view(order), patience, most_work);
  }));
}

auto decompose(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents) {
  auto blocks = without_gil([&] {
    return icsched::decompose(rows(child_offsets, children), rows(parent_offsets, parents));
  });
  return std::tuple(give(std::move(blocks.nonsink_offsets)), give(std::move(blocks.nonsinks)),
                    give(std::move(blocks.sink_offsets)), give(std::move(blocks.sinks)),
                    give(std::move(blocks.bipartite)));
}

template <class T>
std::vector<T> copied(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

icsched::Blocks blocks_of(const InIds& nonsink_offsets, const InIds& nonsinks,
                          const InIds& sink_offsets, const InIds& sinks,
                          const In<std::uint8_t>& bipartite) {
  return {copied(nonsink_offsets), copied(nonsinks), copied(sink_offsets), copied(sinks),
          copied(bipartite)};
}

auto order_blocks(InIds child_offsets, InIds children, InIds nonsink_offsets, InIds nonsinks,
                  InIds sink_offsets, InIds sinks, In<std::uint8_t> bipartite,
                  std::int32_t exact_nonsinks, std::int64_t exact_sets, std::int64_t all_sets) {
  auto orders = without_gil([&] {
    return icsched::order_blocks(
        rows(child_offsets, children),
        blocks_of(nonsink_offsets, nonsinks, sink_offsets, sinks, bipartite), exact_nonsinks,
        exact_sets, all_sets);
  });
  return std::tuple(give(std::move(orders.nonsinks)), give(std::move(orders.kind)),
                    give(std::move(orders.sources)), give(std::move(orders.arcs)),
                    give(std::move(orders.enabled)), give(std::move(orders.alike)));
}

auto tree_sum_order(InIds child_offsets, InIds children, InIds nonsink_offsets, InIds nonsinks,
                    InIds sink_offsets, InIds sinks, In<std::uint8_t> bipartite) {
  return give(without_gil([&] {
    return icsched::tree_sum_order(
        rows(child_offsets, children),
        blocks_of(nonsink_offsets, nonsinks, sink_offsets, sinks, bipartite));
  }));
}

auto block_shapes(InIds child_offsets, InIds children, InIds nonsink_offsets, InIds nonsinks,
                  InIds sink_offsets, InIds sinks, In<std::uint8_t> bipartite) {
  auto shapes = without_gil([&] {
    return icsched::block_shapes(
        rows(child_offsets, children),
        blocks_of(nonsink_offsets, nonsinks, sink_offsets, sinks, bipartite));
  });
  return std::tuple(give(std::move(shapes.sources)), give(std::move(shapes.sinks)),
                    give(std::move(shapes.members)), give(std::move(shapes.least_out)),
                    give(std::move(shapes.most_out)), give(std::move(shapes.least_in)),
                    give(std::move(shapes.most_in)), give(std::move(shapes.bipartite)));
}

auto block_spines(InIds child_offsets, InIds children, InIds nonsink_offsets, InIds nonsinks,
                  InIds sink_offsets, InIds sinks, In<std::uint8_t> bipartite, InIds which) {
  auto spines = without_gil([&] {
    return icsched::block_spines(
        rows(child_offsets, children),
        blocks_of(nonsink_offsets, nonsinks, sink_offsets, sinks, bipartite), view(which));
  });
  return std::tuple(give(std::move(spines.offsets)), give(std::move(spines.degrees)));
}

auto priority(In<std::int64_t> first, In<std::int64_t> second) {
  const auto ratio = without_gil([&] { return icsched::priority(view(first), view(second)); });
  return std::tuple(ratio.over, ratio.under);
}

auto interleaving(InIds first, InIds second) {
  return give(without_gil([&] { return icsched::interleaving(view(first), view(second)); }));
}

auto superdag_order(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                    InIds profile_of, InIds keys, InIds offsets, In<std::int64_t> counts,
                    std::int32_t most_rivals, std::int64_t all_looks) {
  auto order = without_gil([&] {
    return icsched::superdag_order(rows(child_offsets, children), rows(parent_offsets, parents),
                                   view(profile_of), view(keys), view(offsets), view(counts),
                                   {most_rivals, all_looks});
  });
  return std::tuple(give(std::move(order.blocks)), give(std::move(order.has_priority)));
}

auto depth_first_order(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                       InIds order, In<std::int64_t> sizes) {
  return give(without_gil([&] {
    return icsched::depth_first_order(rows(child_offsets, children), rows(parent_offsets, parents),
                                      view(order), view(sizes));
  }));
}

auto exchange_pieces(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                     InIds order, InIds ranks, In<std::int64_t> sizes) {
  return give(without_gil([&] {
    return icsched::exchange_pieces(rows(child_offsets, children), rows(parent_offsets, parents),
                                    view(order), view(ranks), view(sizes));
  }));
}

auto pull_forward(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                  InIds base, InIds ranks, In<std::int64_t> sizes, std::int64_t limit,
                  std::int32_t patience) {
  return give(without_gil([&] {
    return icsched::pull_forward(rows(child_offsets, children), rows(parent_offsets, parents),
                                 view(base), view(ranks), view(sizes), limit, patience);
  }));
}

auto scan_dagman(nb::bytes data) {
  const std::span bytes(static_cast<const std::uint8_t*>(data.data()), data.size());
  auto scan = without_gil([&] { return icsched::scan_dagman(bytes); });
  return std::tuple(give(std::move(scan.kind)), give(std::move(scan.line)),
                    give(std::move(scan.begin)), give(std::move(scan.end)),
                    give(std::move(scan.name)), give(std::move(scan.value)),
                    give(std::move(scan.first_parent)), give(std::move(scan.first_child)),
                    give(std::move(scan.refs)), nb::bytes(scan.names.data(), scan.names.size()),
                    scan.name_count);
}

icsched::SimSlots slots_between(std::span<const double> edges) {
  return icsched::SimSlots(std::vector<double>(edges.begin(), edges.end()));
}

auto columns(const std::vector<icsched::SimSlots::Found>& slots) {
  std::vector<std::int64_t> batches, eligible, unserved;
  for (const auto& slot : slots) {
    batches.push_back(slot.batches);
    eligible.push_back(slot.eligible);
    unserved.push_back(slot.unserved);
  }
  return std::tuple(give(std::move(batches)), give(std::move(eligible)),
                    give(std::move(unserved)));
}

auto simulate(InIds child_offsets, InIds children, std::int32_t rule, InIds order, In<double> means,
              std::int32_t law, double width, std::int64_t workers, In<double> speeds,
              double interval, double size_scale, double size_shift, bool waiting,
              double speed_sigma, double leave, double deadline, std::int64_t replicas,
              double overhead, std::uint64_t seed, std::int64_t first_run, std::int64_t runs, std::int32_t threads,
              std::int32_t engine, bool traced, In<double> edges) {
  const icsched::SimModel model{
      rows(child_offsets, children), static_cast<icsched::Rule>(rule), view(order), view(means),
      static_cast<icsched::TimeLaw>(law), width, workers, view(speeds), interval, size_scale,
      size_shift, waiting, speed_sigma, leave, deadline, replicas, overhead};
  const icsched::SimRange range{seed, first_run, runs, threads,
                                static_cast<icsched::SimEngine>(engine)};
  icsched::SimTrace trace;
  if (edges.size() > 0) trace.slots = slots_between(view(edges));
  auto results = without_gil(
      [&] { return icsched::simulate(model, range, traced ? &trace : nullptr); });
  return std::tuple(
      std::tuple(give(std::move(results.time)), give(std::move(results.batches)),
                 give(std::move(results.stalls)), give(std::move(results.requests)),
                 give(std::move(results.work))),
      std::tuple(give(std::move(trace.time)), give(std::move(trace.task)),
                 give(std::move(trace.request)), give(std::move(trace.end)),
                 give(std::move(trace.ending))),
      std::tuple(give(std::move(trace.batch_time)), give(std::move(trace.batch_size)),
                 give(std::move(trace.batch_eligible))),
      columns(trace.slots.found()));
}

icsched::Front front_of(const InIds& yields, const InIds& sink_offsets, const InIds& parents,
                        const InIds& weights) {
  return {view(yields), rows(sink_offsets, parents), view(weights)};
}

auto batch_front(InIds child_offsets, InIds children, InIds parent_offsets, InIds parents,
                 In<std::uint8_t> states, InIds sources) {
  auto front = without_gil([&] {
    return icsched::batch_front(rows(child_offsets, children), rows(parent_offsets, parents),
                                view(states), view(sources));
  });
  return std::tuple(give(std::move(front.yields)), give(std::move(front.sink_offsets)),
                    give(std::move(front.parents)), give(std::move(front.weights)));
}

auto greedy_batch(InIds yields, InIds sink_offsets, InIds parents, InIds weights,
                  std::int32_t count) {
  auto choice = without_gil([&] {
    return icsched::greedy_batch(front_of(yields, sink_offsets, parents, weights), count);
  });
  return std::tuple(give(std::move(choice.sources)), choice.enabled);
}

auto most_enabled(InIds yields, InIds sink_offsets, InIds parents, InIds weights,
                  std::int32_t count) {
  return without_gil([&] {
    return icsched::most_enabled(front_of(yields, sink_offsets, parents, weights), count);
  });
}

auto exact_batch(InIds yields, InIds sink_offsets, InIds parents, InIds weights,
                 std::int32_t count, std::int32_t most_enumerated, std::int64_t most_work) {
  auto exact = without_gil([&] {
    return icsched::exact_batch(front_of(yields, sink_offsets, parents, weights), count,
                                most_enumerated, most_work);
  });
  return std::tuple(static_cast<int>(exact.result), give(std::move(exact.choice.sources)),
                    exact.choice.enabled, exact.culprit, exact.trees_only);
}

void bind_ready_queue(nb::module_& m) {
  using icsched::ReadyQueue;
  nb::class_<ReadyQueue>(m, "ReadyQueue")
      .def(
          "__init__",
          [](ReadyQueue* self, InIds child_offsets, InIds children, InIds parent_offsets,
             InIds parents, InIds ranks) {
            new (self) ReadyQueue(rows(child_offsets, children), rows(parent_offsets, parents),
                                  view(ranks));
          },
          "child_offsets"_a, "children"_a, "parent_offsets"_a, "parents"_a, "ranks"_a)
      // Lists, not arrays: most calls carry a handful of ids, and an array costs more
      // to make than the whole call.
      .def("take", &ReadyQueue::take, "count"_a)
      .def(
          "finish",
          [](ReadyQueue& self, const std::vector<std::int32_t>& tasks) {
            return self.finish(tasks);
          },
          "tasks"_a)
      .def(
          "state", [](const ReadyQueue& self, std::int32_t task) { return int{self.state(task)}; },
          "task"_a)
      .def("active", &ReadyQueue::active);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Kernels of icsched; contracts are in cpp/include/icsched/.";
  m.attr("MOST_NONSINKS") = icsched::most_nonsinks;
  m.def("build", &build, "tasks"_a, "parents"_a, "children"_a);
  m.def("longest_paths", &longest_paths, "offsets"_a, "children"_a, "order"_a, "weights"_a);
  m.def("connected_parts", &connected_parts, "offsets"_a, "children"_a);
  m.def("priority_order", &priority_order, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a, "ranks"_a);
  m.def("best_ideals", &best_ideals, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a, "order"_a, "limit"_a);
  m.def("ic_optimal_order", &nonsink_order<icsched::ic_optimal_order>, "child_offsets"_a,
        "children"_a, "parent_offsets"_a, "parents"_a, "order"_a, "limit"_a);
  m.def("maximum_area_order", &nonsink_order<icsched::maximum_area_order>, "child_offsets"_a,
        "children"_a, "parent_offsets"_a, "parents"_a, "order"_a, "limit"_a);
  m.def("shortcuts", &shortcuts, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a, "order"_a, "patience"_a, "most_work"_a);
  m.def("decompose", &decompose, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a);
  m.def("order_blocks", &order_blocks, "child_offsets"_a, "children"_a, "nonsink_offsets"_a,
        "nonsinks"_a, "sink_offsets"_a, "sinks"_a, "bipartite"_a, "exact_nonsinks"_a,
        "exact_sets"_a, "all_sets"_a);
  m.def("tree_sum_order", &tree_sum_order, "child_offsets"_a, "children"_a,
        "nonsink_offsets"_a, "nonsinks"_a, "sink_offsets"_a, "sinks"_a, "bipartite"_a);
  m.def("block_shapes", &block_shapes, "child_offsets"_a, "children"_a, "nonsink_offsets"_a,
        "nonsinks"_a, "sink_offsets"_a, "sinks"_a, "bipartite"_a);
  m.def("block_spines", &block_spines, "child_offsets"_a, "children"_a, "nonsink_offsets"_a,
        "nonsinks"_a, "sink_offsets"_a, "sinks"_a, "bipartite"_a, "which"_a);
  m.def("priority", &priority, "first"_a, "second"_a);
  m.def("interleaving", &interleaving, "first"_a, "second"_a);
  m.def("superdag_order", &superdag_order, "child_offsets"_a, "children"_a,
        "parent_offsets"_a, "parents"_a, "profile_of"_a, "keys"_a, "offsets"_a, "counts"_a,
        "most_rivals"_a = icsched::GreedyLimits{}.most_rivals,
        "all_looks"_a = icsched::GreedyLimits{}.all_looks);
  m.def("depth_first_order", &depth_first_order, "child_offsets"_a, "children"_a,
        "parent_offsets"_a, "parents"_a, "order"_a, "sizes"_a);
  m.def("exchange_pieces", &exchange_pieces, "child_offsets"_a, "children"_a,
        "parent_offsets"_a, "parents"_a, "order"_a, "ranks"_a, "sizes"_a);
  m.def("pull_forward", &pull_forward, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a, "base"_a, "ranks"_a, "sizes"_a, "limit"_a, "patience"_a);
  m.def("scan_dagman", &scan_dagman, "data"_a);
  m.def("give_up_kernels", [] { ++times_given_up; });
  m.def("simulate", &simulate, "child_offsets"_a, "children"_a, "rule"_a, "order"_a, "means"_a,
        "law"_a, "width"_a, "workers"_a, "speeds"_a, "interval"_a, "size_scale"_a,
        "size_shift"_a, "waiting"_a, "speed_sigma"_a, "leave"_a, "deadline"_a, "replicas"_a, "overhead"_a,
        "seed"_a, "first_run"_a, "runs"_a, "threads"_a, "engine"_a, "traced"_a,
        "edges"_a);
  m.def("batch_front", &batch_front, "child_offsets"_a, "children"_a, "parent_offsets"_a,
        "parents"_a, "states"_a, "sources"_a);
  m.def("greedy_batch", &greedy_batch, "yields"_a, "sink_offsets"_a, "parents"_a, "weights"_a,
        "count"_a);
  m.def("most_enabled", &most_enabled, "yields"_a, "sink_offsets"_a, "parents"_a, "weights"_a,
        "count"_a);
  m.def("exact_batch", &exact_batch, "yields"_a, "sink_offsets"_a, "parents"_a, "weights"_a,
        "count"_a, "most_enumerated"_a, "most_work"_a);
  bind_ready_queue(m);
}
