// The exact referee.
#include "icsched/referee.hpp"

#include "seam.hpp"
#include "topics.hpp"

namespace icsched {

static auto give(BestIdeals&& best) {
  // The sets differ in size: they travel end to end, and set t has t tasks.
  std::vector<std::int32_t> sets;
  for (const auto& set : best.sets) sets.insert(sets.end(), set.begin(), set.end());
  return std::tuple(best.walk, seam::give(std::move(best.enabled)), seam::give(std::move(sets)));
}

static auto give(NonsinkOrder&& order) {
  return std::tuple(order.walk, order.found, seam::give(std::move(order.nonsinks)));
}

}  // namespace icsched

void bind_referee(nb::module_& m) {
  using icsched::Walk, seam::called;
  m.attr("MOST_NONSINKS") = icsched::most_nonsinks;
  nb::enum_<Walk>(m, "Walk", nb::is_arithmetic(), "Why a walk over ideals ended.")
      .value("COMPLETE", Walk::complete)
      .value("OVER_LIMIT", Walk::over_limit)
      .value("OVER_MEMORY", Walk::over_memory);
  m.def("best_ideals", called<icsched::best_ideals>, "children"_a, "parents"_a, "order"_a,
        "limit"_a);
  m.def("ic_optimal_order", called<icsched::ic_optimal_order>, "children"_a, "parents"_a,
        "order"_a, "limit"_a);
  m.def("maximum_area_order", called<icsched::maximum_area_order>, "children"_a, "parents"_a,
        "order"_a, "limit"_a);
  m.def("looks_a_set", called<icsched::looks_a_set>, "parents"_a, "nonsinks"_a,
        "Sets of parents that the referee looks at for one set that it visits, on average.");
}
