// Scanning DAGMan files.
#include "icsched/dagman.hpp"

#include "seam.hpp"
#include "topics.hpp"

namespace icsched {

static auto scanned(const nb::bytes& data) {
  const std::span bytes(static_cast<const std::uint8_t*>(data.data()), data.size());
  DagmanScan scan = seam::without_gil([&] { return scan_dagman(bytes); });
  return std::tuple_cat(
      seam::give_all(scan.kind, scan.line, scan.begin, scan.end, scan.name, scan.value,
                     scan.first_parent, scan.first_child, scan.refs),
      std::tuple(nb::bytes(scan.names.data(), scan.names.size()), scan.name_count));
}

static void bind_enums(nb::module_& m) {
  using Kind = StatementKind;
  nb::enum_<Kind>(m, "StatementKind", nb::is_arithmetic(), "How the scan classed a statement.")
      .value("OTHER", Kind::other)
      .value("JOB", Kind::job)
      .value("PARENT", Kind::parent)
      .value("DONE", Kind::done)
      .value("PRIORITY", Kind::priority)
      .value("RETRY", Kind::retry)
      .value("VARS", Kind::vars)
      .value("PRE", Kind::pre)
      .value("SCRIPT", Kind::script)
      .value("CATEGORY", Kind::category)
      .value("ABORT", Kind::abort)
      .value("PRE_SKIP", Kind::pre_skip)
      .value("SAVE_POINT", Kind::save_point)
      .value("BROKEN", Kind::broken);
  nb::enum_<JobOptions>(m, "JobOptions", nb::is_arithmetic(),
                        "What a plain JOB or SUBDAG statement says besides its name and file.")
      .value("NOOP", noop)
      .value("DONE", is_done)
      .value("HAS_DIRECTORY", has_dir)
      .value("IS_SUBDAG", is_subdag)
      .value("IS_INLINE", is_inline);
  nb::enum_<Problem>(m, "Problem", nb::is_arithmetic(), "Why a statement cannot be read.")
      .value("NONE", Problem::none)
      .value("GLUED", Problem::glued)
      .value("UNENDED", Problem::unended)
      .value("UNCLOSED", Problem::unclosed);
}

}  // namespace icsched

void bind_dagman(nb::module_& m) {
  icsched::bind_enums(m);
  m.def("scan_dagman", &icsched::scanned, "data"_a);
}
