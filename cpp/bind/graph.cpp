// Dags as arrays, and handing out their tasks.
#include <nanobind/stl/vector.h>

#include "icsched/graph.hpp"
#include "icsched/ready.hpp"
#include "seam.hpp"
#include "topics.hpp"

namespace icsched {

static auto give(Built&& built) {
  return std::tuple(seam::give_rows(built.child_offsets, built.children),
                    seam::give_rows(built.parent_offsets, built.parents),
                    seam::give(std::move(built.order)), seam::give(std::move(built.cycle)));
}

static void bind_ready_queue(nb::module_& m) {
  nb::class_<ReadyQueue> queue(m, "ReadyQueue",
                               "Tasks of a graph to be handed out; empty ranks mean first ready, "
                               "first out.");
  nb::enum_<ReadyQueue::State>(queue, "State", nb::is_arithmetic())
      .value("WAITING", ReadyQueue::waiting)
      .value("READY", ReadyQueue::ready)
      .value("TAKEN", ReadyQueue::taken)
      .value("FINISHED", ReadyQueue::finished);
  // Lists, not arrays: most calls carry a handful of ids, and an array costs more
  // to make than the whole call.
  queue.def(nb::init<Rows, Rows, Ids>(), "children"_a, "parents"_a, "ranks"_a)
      .def("take", &ReadyQueue::take, "count"_a)
      .def(
          "finish",
          [](ReadyQueue& self, const std::vector<std::int32_t>& tasks) {
            return self.finish(tasks);
          },
          "tasks"_a)
      .def(
          "give_back",
          [](ReadyQueue& self, const std::vector<std::int32_t>& tasks) {
            return self.give_back(tasks);
          },
          "tasks"_a)
      .def("state", &ReadyQueue::state, "task"_a)
      .def("active", &ReadyQueue::active);
}

}  // namespace icsched

void bind_graph(nb::module_& m) {
  using seam::called;
  m.def("build", called<icsched::build>, "tasks"_a, "parents"_a, "children"_a,
        "Child rows, parent rows, FIFO order and a cycle (empty for a dag) of the given arcs.");
  m.def("longest_paths", called<icsched::longest_paths>, "rows"_a, "order"_a, "weights"_a,
        "Heaviest path that ends just before each task, along the rows in the order.");
  m.def("connected_parts", called<icsched::connected_parts>, "children"_a,
        "Label of each task's connected part; parts are numbered by their smallest task.");
  m.def("priority_order", called<icsched::priority_order>, "children"_a, "parents"_a, "ranks"_a,
        "Order in which all tasks run if the eligible task of least rank always goes next.");
  icsched::bind_ready_queue(m);
}
