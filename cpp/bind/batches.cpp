// Batches: which eligible tasks to hand out together.
#include "icsched/batch.hpp"
#include "icsched/profiles.hpp"
#include "seam.hpp"
#include "topics.hpp"

namespace nanobind::detail {

template <>
struct type_caster<icsched::Front>
    : StructCaster<type_caster<icsched::Front>, icsched::Front, icsched::Ids, icsched::Rows,
                         icsched::Ids> {
  static constexpr auto Name = const_name("icsched._native.BatchFront");
  static constexpr const char* names[] = {"yields", "sinks", "weights"};
};

}  // namespace nanobind::detail

namespace icsched {

static auto give(BuiltFront&& front) {
  return std::tuple(seam::give(std::move(front.yields)),
                    seam::give_rows(front.sink_offsets, front.parents),
                    seam::give(std::move(front.weights)));
}

static auto give(Choice&& choice) {
  return std::tuple(seam::give(std::move(choice.sources)), choice.enabled);
}

static auto give(ExactChoice&& exact) {
  return std::tuple(exact.result, seam::give(std::move(exact.choice.sources)),
                    exact.choice.enabled, exact.culprit, exact.trees_only);
}

}  // namespace icsched

void bind_batches(nb::module_& m) {
  using icsched::Solving, icsched::TaskState, seam::called;
  nb::enum_<TaskState>(m, "TaskState", nb::is_arithmetic(), "What a batch may do with a task.")
      .value("WAITING", TaskState::waiting)
      .value("EXECUTED", TaskState::executed)
      .value("OFFERED", TaskState::offered);
  nb::enum_<Solving>(m, "Solving", nb::is_arithmetic(), "How exact_batch ended.")
      .value("SOLVED", Solving::solved)
      .value("NOT_A_TREE", Solving::not_a_tree)
      .value("TOO_MUCH_WORK", Solving::too_much_work);
  m.def("batch_front", called<icsched::batch_front>, "children"_a, "parents"_a, "states"_a,
        "sources"_a);
  m.def("greedy_batch", called<icsched::greedy_batch>, "front"_a, "count"_a,
        "The given number of sources, best rate of enabled sinks first; also how many they enable.");
  m.def("most_enabled", called<icsched::most_enabled>, "front"_a, "count"_a,
        "Upper bound on what the given number of sources enable.");
  m.def("exact_batch", called<icsched::exact_batch>, "front"_a, "count"_a, "most_enumerated"_a,
        "most_work"_a);
  m.def("tree_profile", called<icsched::tree_profile>, "front"_a,
        "The most sinks that 0, 1, 2, ... sources enable, if every piece is a tree.");
}
