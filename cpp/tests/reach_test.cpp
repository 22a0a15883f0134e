#include "icsched/reach.hpp"

#include <random>

#include "check.hpp"

using namespace icsched;

namespace {

using Matrix = std::vector<std::vector<bool>>;

Built random_dag(std::int32_t tasks, std::int32_t arcs, std::mt19937& random) {
  std::vector<std::int32_t> parents, children;
  std::uniform_int_distribution<std::int32_t> any(0, tasks - 1);
  for (std::int32_t i = 0; i < arcs; ++i) {
    const std::int32_t a = any(random), b = any(random);
    if (a == b) continue;
    parents.push_back(std::min(a, b));
    children.push_back(std::max(a, b));
  }
  return build(tasks, parents, children);
}

// Whether a path leads from one task to another; every task leads to itself.
Matrix paths(const Built& dag) {
  const Rows children = dag.child_rows();
  Matrix leads(children.size(), std::vector<bool>(children.size()));
  for (std::int32_t from = children.size(); from-- > 0;) {  // arcs go to larger ids
    leads[from][from] = true;
    for (std::int32_t child : children[from]) {
      for (std::int32_t to = child; to < children.size(); ++to) {
        if (leads[child][to]) leads[from][to] = true;
      }
    }
  }
  return leads;
}

// What is known of pairs: how many are settled, and whether one is settled wrongly.
struct Knowledge {
  int settled = 0;
  bool is_true = true;
};

Knowledge knowledge(const Reach& reach, const Matrix& leads) {
  Knowledge found;
  const auto tasks = static_cast<std::int32_t>(leads.size());
  for (std::int32_t from = 0; from < tasks; ++from) {
    for (std::int32_t to = 0; to < tasks; ++to) {
      if (from == to) continue;
      const bool yes = reach.leads_to(from, to), no = !reach.may_lead_to(from, to);
      if ((yes && !leads[from][to]) || (no && leads[from][to])) found.is_true = false;
      found.settled += yes || no;
    }
  }
  return found;
}

}  // namespace

TEST(what_is_known_of_paths_without_a_search_is_true_and_grows_with_landmarks) {
  std::mt19937 random(7);
  for (const std::int32_t arcs : {0, 100, 300, 900, 3000}) {
    const Built dag = random_dag(300, arcs, random);
    const Matrix leads = paths(dag);
    Reach reach(dag.child_rows(), dag.parent_rows(), dag.order);
    const Knowledge before = knowledge(reach, leads);
    reach.learn();
    const Knowledge after = knowledge(reach, leads);
    CHECK(before.is_true && after.is_true);
    CHECK(after.settled >= before.settled);
    if (arcs >= 300) CHECK(after.settled > before.settled);
  }
}
