// The one file that knows both Python and the kernels: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "icsched/graph.hpp"
#include "icsched/ready.hpp"
#include "icsched/referee.hpp"

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

template <class Kernel>
auto without_gil(Kernel kernel) {
  nb::gil_scoped_release release;
  return kernel();
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
  return std::tuple(best.walk == icsched::Walk::complete, give(std::move(best.enabled)),
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
  return std::tuple(result.walk == icsched::Walk::complete, result.found,
                    give(std::move(result.nonsinks)));
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
  bind_ready_queue(m);
}
