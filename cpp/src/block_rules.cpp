#include "icsched/block_rules.hpp"

#include <algorithm>
#include <numeric>

#include "icsched/interrupt.hpp"
#include "icsched/ready.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// The members with children, always the eligible one of most children first.
Vector outdegree_order(Rows children, Rows parents) {
  Vector by_degree(children.size());
  std::iota(by_degree.begin(), by_degree.end(), 0);
  std::stable_sort(by_degree.begin(), by_degree.end(), [&](std::int32_t a, std::int32_t b) {
    return children[a].size() > children[b].size();
  });
  Vector ranks(children.size());
  for (std::int32_t rank = 0; rank < children.size(); ++rank) ranks[by_degree[rank]] = rank;
  Vector order = priority_order(children, parents, ranks);
  std::erase_if(order, [&](std::int32_t member) { return children[member].empty(); });
  return order;
}

// The outdegree order of the dual, read backwards by packets: what becomes enabled last in
// the dual is executed first (Cordasco, Malewicz and Rosenberg 2007, section 4).
Vector backward_order(const Local& block) {
  const Rows children = block.built.child_rows(), parents = block.built.parent_rows();
  Vector missing(block.members());
  for (std::int32_t member = 0; member < block.members(); ++member) {
    missing[member] = static_cast<std::int32_t>(children[member].size());
  }
  Vector order;
  for (std::int32_t member : outdegree_order(parents, children)) {
    check_interrupt();
    for (std::int32_t parent : parents[member]) {
      if (--missing[parent] == 0) order.push_back(parent);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Always completes the nonsource that needs the fewest further executions, all of them
// eligible now; of equals, the one that came to need so few last.
Vector cheapest_order(const Local& block) {
  const std::int32_t members = block.members();
  Vector missing(members), blocked(members, 0), order;
  std::vector<std::uint8_t> executed(members, 0);
  std::vector<Vector> open;  // by missing parents; entries that no longer fit are stale
  const auto offer = [&](std::int32_t member) {
    if (blocked[member] > 0 || missing[member] == 0) return;
    if (static_cast<std::size_t>(missing[member]) >= open.size()) open.resize(missing[member] + 1);
    open[missing[member]].push_back(member);
  };
  for (std::int32_t member = members; member-- > 0;) {
    missing[member] = static_cast<std::int32_t>(block.parents(member).size());
    for (std::int32_t parent : block.parents(member)) blocked[member] += !block.parents(parent).empty();
    offer(member);
  }
  const auto execute = [&](std::int32_t member) {
    check_interrupt(block.degree(member) + 1);
    executed[member] = 1;
    order.push_back(member);
    for (std::int32_t child : block.children(member)) {
      --missing[child];
      offer(child);
      if (missing[child] > 0) continue;
      for (std::int32_t next : block.children(child)) {  // the child is eligible now
        if (--blocked[next] == 0) offer(next);
      }
    }
  };
  for (std::size_t need = 1; need < open.size();) {
    if (open[need].empty()) {
      ++need;
      continue;
    }
    const std::int32_t target = open[need].back();
    open[need].pop_back();
    if (missing[target] != static_cast<std::int32_t>(need)) continue;
    for (std::int32_t parent : block.parents(target)) {
      if (!executed[parent]) execute(parent);
    }
    need = 1;
  }
  return order;
}

std::int64_t area(const Local& block, const Vector& order) {
  const Vector enabled = enabled_by(block, order);
  return std::accumulate(enabled.begin(), enabled.end(), std::int64_t{0});
}

}  // namespace

Vector enabled_by(const Local& block, Ids order) {
  Vector missing(block.members());
  for (std::int32_t member = 0; member < block.members(); ++member) {
    missing[member] = static_cast<std::int32_t>(block.parents(member).size());
  }
  Vector enabled{0};
  for (std::int32_t member : order) {
    check_interrupt();
    enabled.push_back(enabled.back());
    for (std::int32_t child : block.children(member)) enabled.back() += --missing[child] == 0;
  }
  return enabled;
}

Vector best_rule(const Local& block) {
  Vector best = outdegree_order(block.built.child_rows(), block.built.parent_rows());
  std::int64_t best_area = area(block, best);
  for (Vector order : {backward_order(block), cheapest_order(block)}) {
    const std::int64_t its_area = area(block, order);
    if (its_area <= best_area) continue;
    best = std::move(order);
    best_area = its_area;
  }
  return best;
}

bool meets_tree_bound(const Local& block, Ids order) {
  const std::int32_t s = block.nonsinks, t = block.sinks();
  const Vector enabled = enabled_by(block, order);
  const auto least = [&](std::int32_t from, std::int32_t to) {
    std::int32_t degree = block.degree(from);
    for (std::int32_t member = from; member < to; ++member) degree = std::min(degree, block.degree(member));
    return degree;
  };
  const std::int32_t up = least(s, s + t) - 1, down = least(0, s) - 1;
  bool by_sinks = up > 0, by_sources = down > 0;
  for (std::int32_t x = 1; x < s; ++x) {
    by_sinks = by_sinks && enabled[x] == (x - 1) / up;
    by_sources = by_sources && enabled[x] == t - ((s - x) * down + 1);
  }
  return by_sinks || by_sources;
}

}  // namespace icsched
