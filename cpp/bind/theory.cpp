// The steps from a dag to its order: shortcuts, blocks, their shapes and priorities.
#include "icsched/blocks.hpp"
#include "icsched/decompose.hpp"
#include "icsched/priority.hpp"
#include "icsched/profiles.hpp"
#include "icsched/shapes.hpp"
#include "icsched/shortcuts.hpp"
#include "seam.hpp"
#include "topics.hpp"

namespace nanobind::detail {

template <>
struct type_caster<icsched::Blocks>
    : StructCaster<type_caster<icsched::Blocks>, icsched::Blocks, icsched::Rows,
                         icsched::Rows, std::span<const std::uint8_t>> {
  static constexpr auto Name = const_name("icsched._native.Blocks");
  static constexpr const char* names[] = {"nonsinks", "sinks", "bipartite"};
};

}  // namespace nanobind::detail

namespace icsched {

static auto give(BuiltBlocks&& blocks) {
  return std::tuple(seam::give_rows(blocks.nonsink_offsets, blocks.nonsinks),
                    seam::give_rows(blocks.sink_offsets, blocks.sinks),
                    seam::give(std::move(blocks.bipartite)));
}

static auto give(BlockOrders&& orders) {
  return seam::give_all(orders.nonsinks, orders.kind, orders.sources, orders.arcs, orders.enabled,
                        orders.alike);
}

static auto give(BlockShapes&& shapes) {
  return seam::give_all(shapes.sources, shapes.sinks, shapes.members, shapes.least_out,
                        shapes.most_out, shapes.least_in, shapes.most_in, shapes.bipartite);
}

static auto give(Spines&& spines) { return seam::give_rows(spines.offsets, spines.degrees); }

static auto give(const Ratio& ratio) { return std::tuple(ratio.over, ratio.under); }

static auto give(SuperdagOrder&& order) { return seam::give_all(order.blocks, order.has_priority); }

static SuperdagOrder superdag_order_within(Rows children, Rows parents, Ids profile_of, Ids keys,
                                           Ids offsets, std::span<const std::int64_t> counts,
                                           std::int32_t most_rivals, std::int64_t all_looks) {
  return superdag_order(children, parents, profile_of, keys, offsets, counts,
                        {most_rivals, all_looks});
}

static void bind_kind(nb::module_& m) {
  nb::enum_<Kind>(m, "BlockKind", nb::is_arithmetic(), "Why a block's order is what it is.")
      .value("TREE", Kind::tree, "Planar bipartite tree: W, M, N and every strand.")
      .value("FOREST", Kind::forest, "Another bipartite tree; its order meets a bound for all trees.")
      .value("CYCLE", Kind::cycle)
      .value("COMPLETE", Kind::complete)
      .value("CLIQUE", Kind::clique)
      .value("COCLIQUE", Kind::coclique)
      .value("EXACT", Kind::exact, "The referee found an IC-optimal order.")
      .value("SEARCHED", Kind::searched, "The referee found that there is no IC-optimal order.")
      .value("RULED", Kind::ruled, "Too large for the referee: the best of three rules.")
      .def_prop_ro("is_proved", &is_proved, "Whether the block's order is IC-optimal.");
}

}  // namespace icsched

void bind_theory(nb::module_& m) {
  using seam::called;
  m.def("shortcuts", called<icsched::shortcuts>, "children"_a, "parents"_a, "order"_a,
        "patience"_a, "most_work"_a = std::int64_t{1} << 62,
        "1 for each arc, in row order, that another path makes superfluous.\n\n"
        "Some may be missing if finding all would look at more than most_work arcs.");
  m.def("decompose", called<icsched::decompose>, "children"_a, "parents"_a);
  icsched::bind_kind(m);
  m.def("order_blocks", called<icsched::order_blocks>, "children"_a, "blocks"_a,
        "exact_nonsinks"_a, "exact_sets"_a, "all_sets"_a);
  m.def("tree_sum_order", called<icsched::tree_sum_order>, "children"_a, "blocks"_a);
  m.def("block_shapes", called<icsched::block_shapes>, "children"_a, "blocks"_a);
  m.def("block_spines", called<icsched::block_spines>, "children"_a, "blocks"_a, "which"_a,
        "Degrees along the spine of each of the given blocks, planar trees.\n\n"
        "The degree of a sink is negative.");
  m.def("priority", called<icsched::priority>, "first"_a, "second"_a,
        "Priority of one profile over another, as numerator and denominator.");
  m.def("max_plus", called<icsched::max_plus>, "first"_a, "second"_a,
        "Max-plus convolution of two profiles.");
  m.def("interleaving", called<icsched::interleaving>, "first"_a, "second"_a);
  const icsched::GreedyLimits usual;
  m.def("superdag_order", called<icsched::superdag_order_within>, "children"_a, "parents"_a,
        "profile_of"_a, "keys"_a, "offsets"_a, "counts"_a, "most_rivals"_a = usual.most_rivals,
        "all_looks"_a = usual.all_looks,
        "Greedy order of the blocks, and whether each has priority over the next.\n\n"
        "priority.hpp explains most_rivals and all_looks.");
}
