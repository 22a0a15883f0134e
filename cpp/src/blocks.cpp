#include "icsched/blocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "icsched/block_rules.hpp"
#include "icsched/cutter.hpp"
#include "icsched/drawing.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/referee.hpp"
#include "icsched/strands.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// A block whose sets cost the referee more looks than this is given fewer sets, and none at
// all if they would be fewer than worth_trying.
constexpr std::int64_t most_looks = 1'024, worth_trying = 1'000;
// Sets that cost more looks than this count as several of all_sets.
constexpr std::int64_t usual_looks = 256;

std::uint64_t mixed(std::uint64_t hash, std::int32_t value) {
  hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// Recognition

bool all_degrees(const Local& block, std::int32_t from, std::int32_t to, std::int32_t degree) {
  for (std::int32_t member = from; member < to; ++member) {
    if (block.degree(member) != degree) return false;
  }
  return true;
}

// Whether the members from .. to, of two neighbours each, are one for each pair of the
// `others` members on the other side.
bool all_pairs(const Local& block, std::int32_t from, std::int32_t to, std::int32_t others) {
  if (static_cast<std::int64_t>(others) * (others - 1) / 2 != to - from) return false;
  if (!all_degrees(block, from, to, 2)) return false;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t member = from; member < to; ++member) {
    const Ids ends = member < block.nonsinks ? block.children(member) : block.parents(member);
    pairs.emplace_back(ends[0], ends[1]);
  }
  std::sort(pairs.begin(), pairs.end());
  return std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end();
}

// Goes round a cycle: each next source shares a sink with the one before.
Vector around(const Local& block) {
  Vector order{0};
  std::int32_t sink = block.children(0)[1];
  while (static_cast<std::int32_t>(order.size()) < block.nonsinks) {
    const Ids pair = block.parents(sink);
    const std::int32_t next = pair[0] == order.back() ? pair[1] : pair[0];
    const Ids sinks = block.children(next);
    sink = sinks[0] == sink ? sinks[1] : sinks[0];
    order.push_back(next);
  }
  return order;
}

// Sources by their smaller sink, then the larger: completes one sink after the other.
Vector by_sinks(const Local& block) {
  Vector order(block.nonsinks);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const Ids x = block.children(a), y = block.children(b);
    return std::pair(x[0], x[1]) < std::pair(y[0], y[1]);
  });
  return order;
}

Vector identity(std::int32_t count) {
  Vector all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::optional<Vector> tree_order(const Local& block) {
  Strands strands;
  auto drawn = draw_strand(block, strands);
  if (!drawn) return std::nullopt;
  Vector order;
  for (std::int32_t place : greedy_order(strands)) order.push_back((*drawn)[place]);
  return order;
}

// At most what the referee looks at for one set; counted only where it matters.
std::int64_t looks_of(const Local& block) {
  const std::int64_t arcs_a_set = block.arcs() / block.nonsinks;
  if (block.arcs() <= most_looks * std::int64_t{block.nonsinks}) return arcs_a_set;
  return looks_a_set(block.built.parent_rows(), block.nonsinks);
}

struct Ordered {
  Kind kind;
  Vector order;  // local nonsinks
};

class Orderer {
 public:
  Orderer(std::int32_t exact_nonsinks, std::int64_t exact_sets, std::int64_t all_sets)
      : exact_nonsinks_(exact_nonsinks), exact_sets_(exact_sets), sets_left_(all_sets) {}

  Ordered operator()(const Local& block) {
    const std::int32_t s = block.nonsinks, t = block.sinks();
    if (block.bipartite) {
      if (t == 1) return {Kind::tree, identity(s)};  // a join: any order
      if (auto order = tree_order(block)) return {Kind::tree, std::move(*order)};
      if (s == t && all_degrees(block, 0, s + t, 2)) return {Kind::cycle, around(block)};
      if (static_cast<std::int64_t>(s) * t == block.arcs()) return {Kind::complete, identity(s)};
      if (all_pairs(block, s, s + t, s)) return {Kind::clique, identity(s)};
      if (all_pairs(block, 0, s, t)) return {Kind::coclique, by_sinks(block)};
    }
    if (s <= exact_nonsinks_) {
      const Ordered known = solved(block);
      if (!known.order.empty()) return known;
    }
    Vector order = best_rule(block);
    const bool tree = block.bipartite && block.arcs() == block.members() - 1;
    const Kind kind = tree && meets_tree_bound(block, order) ? Kind::forest : Kind::ruled;
    return {kind, std::move(order)};
  }

 private:
  // The referee's order; empty past its limit, or if all sets are spent.
  Ordered solved(const Local& block) {
    std::pair<Vector, Vector> shape{block.built.child_offsets, block.built.children};
    const auto known = cache_.find(shape);
    if (known != cache_.end()) return known->second;
    if (sets_left_ <= 0) return {Kind::ruled, {}};
    return cache_.emplace(std::move(shape), solve(block)).first->second;
  }

  Ordered solve(const Local& block) {
    const std::int64_t looks = looks_of(block), weight = std::max<std::int64_t>(1, looks / usual_looks);
    std::int64_t limit = std::min(exact_sets_, std::max<std::int64_t>(1, sets_left_ / weight));
    if (looks > most_looks) {
      limit = std::min(limit, exact_sets_ * most_looks / looks);
      if (limit < worth_trying) return {Kind::ruled, {}};
    }
    const Rows children = block.built.child_rows(), parents = block.built.parent_rows();
    auto best = ic_optimal_order(children, parents, block.built.order, limit);
    sets_left_ -= weight * best.visited;
    if (best.found) return {Kind::exact, std::move(best.nonsinks)};
    if (best.walk == Walk::complete) {
      best = maximum_area_order(children, parents, block.built.order, limit);
      sets_left_ -= 20 * weight * best.visited;  // it keeps what it visits, and takes that much longer
    }
    return {Kind::searched, std::move(best.nonsinks)};
  }

  std::int32_t exact_nonsinks_;
  std::int64_t exact_sets_, sets_left_;
  std::map<std::pair<Vector, Vector>, Ordered> cache_;
};

// Finds blocks with the same profile and number of sources among those given so far.
class Likeness {
 public:
  explicit Likeness(const BlockOrders& orders) : orders_(orders) {}

  // The first block like the latest, whose profile starts at `begin`.
  std::int32_t latest(std::size_t begin) {
    const auto block = static_cast<std::int32_t>(starts_.size());
    starts_.push_back(begin);
    ends_.push_back(orders_.enabled.size());
    std::uint64_t hash = orders_.sources[block];
    for (std::size_t i = begin; i < orders_.enabled.size(); ++i) {
      hash = mixed(hash, orders_.enabled[i]);
    }
    const auto [from, to] = known_.equal_range(hash);
    for (auto other = from; other != to; ++other) {
      if (same(other->second, block)) return other->second;
    }
    known_.emplace(hash, block);
    return block;
  }

 private:
  bool same(std::int32_t a, std::int32_t b) const {
    const auto& all = orders_.enabled;
    return orders_.sources[a] == orders_.sources[b] &&
           std::equal(all.begin() + starts_[a], all.begin() + ends_[a], all.begin() + starts_[b],
                      all.begin() + ends_[b]);
  }

  const BlockOrders& orders_;
  std::vector<std::size_t> starts_, ends_;
  std::unordered_multimap<std::uint64_t, std::int32_t> known_;
};

}  // namespace

BlockOrders order_blocks(Rows children, const Blocks& blocks, std::int32_t exact_nonsinks,
                         std::int64_t exact_sets, std::int64_t all_sets) {
  BlockOrders result;
  Cutter cutter(children, blocks);
  Orderer orderer(exact_nonsinks, exact_sets, all_sets);
  Likeness likeness(result);
  for (std::int32_t block = 0; block < blocks.size(); ++block) {
    const Ids nonsinks = cutter.nonsinks(block);
    check_interrupt(static_cast<std::int64_t>(nonsinks.size()));
    const std::size_t begin = result.enabled.size();
    if (nonsinks.size() == 1) {  // most blocks of most workflows: not worth cutting out
      result.nonsinks.push_back(nonsinks[0]);
      result.kind.push_back(static_cast<std::int32_t>(Kind::tree));
      result.sources.push_back(1);
      result.arcs.push_back(static_cast<std::int32_t>(cutter.sinks(block).size()));
      result.enabled.push_back(0);
      result.enabled.push_back(static_cast<std::int32_t>(cutter.sinks(block).size()));
      result.alike.push_back(likeness.latest(begin));
      continue;
    }
    const Local local = cutter.cut(block);
    const Ordered ordered = orderer(local);
    for (std::int32_t member : ordered.order) result.nonsinks.push_back(nonsinks[member]);
    result.kind.push_back(static_cast<std::int32_t>(ordered.kind));
    std::int32_t sources = 0;
    for (std::int32_t member = 0; member < local.nonsinks; ++member) sources += local.parents(member).empty();
    result.sources.push_back(sources);
    result.arcs.push_back(local.arcs());
    const Vector enabled = enabled_by(local, ordered.order);
    result.enabled.insert(result.enabled.end(), enabled.begin(), enabled.end());
    result.alike.push_back(likeness.latest(begin));
  }
  return result;
}

std::vector<std::int32_t> tree_sum_order(Rows children, const Blocks& blocks) {
  Cutter cutter(children, blocks);
  Strands strands;
  Vector sources;  // by place in the strands
  for (std::int32_t block = 0; block < blocks.size(); ++block) {
    const Local local = cutter.cut(block);
    check_interrupt(local.members());
    const auto drawn = local.bipartite ? draw_strand(local, strands) : std::nullopt;
    if (!drawn) return {};
    for (std::int32_t member : *drawn) sources.push_back(cutter.nonsinks(block)[member]);
  }
  Vector order;
  for (std::int32_t place : greedy_order(strands)) order.push_back(sources[place]);
  return order;
}

}  // namespace icsched
