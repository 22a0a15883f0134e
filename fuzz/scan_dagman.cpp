// libFuzzer target: scan_dagman keeps its contract on any bytes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "icsched/dagman.hpp"

using icsched::DagmanScan;
using Kind = icsched::StatementKind;

namespace {

void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "broken law: %s\n", law);
  std::abort();
}

void check_sizes(const DagmanScan& scan) {
  const std::size_t statements = scan.kind.size();
  for (std::size_t size : {scan.line.size(), scan.begin.size(), scan.end.size(),
                           scan.name.size(), scan.value.size()}) {
    require(size == statements, "each statement has all its fields");
  }
  const auto parents = std::count(scan.kind.begin(), scan.kind.end(),
                                  static_cast<std::uint8_t>(Kind::parent));
  require(scan.first_parent.size() == static_cast<std::size_t>(parents) &&
              scan.first_child.size() == scan.first_parent.size(),
          "each parent statement has its parents and children");
}

void check_places(const DagmanScan& scan, std::span<const std::uint8_t> data) {
  std::int64_t end = 0;
  std::int64_t lines = 1;
  for (std::size_t i = 0; i < scan.kind.size(); ++i) {
    require(end <= scan.begin[i] && scan.begin[i] < scan.end[i], "statements come in order");
    require(scan.end[i] <= static_cast<std::int64_t>(data.size()), "statements lie in the data");
    const auto from = data.begin() + (i == 0 ? 0 : scan.begin[i - 1]);
    lines += std::count(from, data.begin() + scan.begin[i], '\n');
    require(scan.line[i] == lines, "lines are counted from 1");
    end = scan.end[i];
  }
}

void check_kinds(const DagmanScan& scan) {
  for (std::size_t i = 0; i < scan.kind.size(); ++i) {
    const auto kind = static_cast<Kind>(scan.kind[i]);
    const bool named = kind != Kind::other && kind != Kind::parent && kind != Kind::broken;
    require(kind <= Kind::broken, "kinds are known");
    require(kind != Kind::broken || i + 1 == scan.kind.size(), "a broken statement is the last");
    require((scan.name[i] >= 0) == named && scan.name[i] < scan.name_count, "names are known");
  }
}

void check_refs(const DagmanScan& scan) {
  const auto size = static_cast<std::int64_t>(scan.refs.size());
  require(scan.first_parent.empty() ? size == 0 : scan.first_parent[0] == 0, "refs begin at 0");
  for (std::size_t i = 0; i < scan.first_parent.size(); ++i) {
    const bool last = i + 1 == scan.first_parent.size();
    require(scan.first_parent[i] < scan.first_child[i], "there are parents");
    require(scan.first_child[i] < (last ? size : scan.first_parent[i + 1]), "there are children");
  }
  for (std::int32_t name : scan.refs) {
    require(name >= 0 && name < scan.name_count, "refs are names");
  }
}

void check_names(const DagmanScan& scan) {
  const auto gaps = std::count(scan.names.begin(), scan.names.end(), '\n');
  require(scan.name_count == (scan.names.empty() ? 0 : gaps + 1), "names are counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::span data(bytes, size);
  const DagmanScan scan = icsched::scan_dagman(data);
  check_sizes(scan);
  check_places(scan, data);
  check_kinds(scan);
  check_refs(scan);
  check_names(scan);
  return 0;
}
