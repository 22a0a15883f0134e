// Orders that keep few results in memory.
#include "icsched/memory.hpp"

#include "seam.hpp"
#include "topics.hpp"

void bind_memory(nb::module_& m) {
  using seam::called;
  m.def("depth_first_order", called<icsched::depth_first_order>, "children"_a, "parents"_a,
        "order"_a, "sizes"_a, "Depth-first order, made from any legal order.");
  m.def("exchange_pieces", called<icsched::exchange_pieces>, "children"_a, "parents"_a, "order"_a,
        "ranks"_a, "sizes"_a,
        "Order with the profile of the given order, its pieces moved to free memory early.");
  m.def("pull_forward", called<icsched::pull_forward>, "children"_a, "parents"_a, "base"_a,
        "ranks"_a, "sizes"_a, "limit"_a, "patience"_a,
        "Order by rank as far as the base can follow within the limit.");
}
