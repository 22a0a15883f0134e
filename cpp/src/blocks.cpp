#include "icsched/blocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "icsched/cutter.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/ready.hpp"
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

// Draws a planar bipartite tree as a strand: `drawn` lists the sources from left to
// right. A tree can be drawn so if and only if its members of degree two or more form a
// path, the spine.
class Drawing {
 public:
  static std::optional<Vector> draw(const Local& block, Strands& strands) {
    if (block.arcs() != block.members() - 1) return std::nullopt;
    Drawing drawing(block, strands);
    if (!drawing.find_end()) return std::nullopt;
    drawing.walk();
    return std::move(drawing.drawn_);
  }

 private:
  Drawing(const Local& block, Strands& strands) : block_(block), strands_(strands) {}

  Ids neighbours(std::int32_t member) const {
    return member < block_.nonsinks ? block_.children(member) : block_.parents(member);
  }
  bool on_spine(std::int32_t member) const { return block_.degree(member) > 1; }

  bool find_end() {
    for (std::int32_t member = 0; member < block_.members(); ++member) {
      if (!on_spine(member)) continue;
      std::int32_t beside = 0;
      for (std::int32_t other : neighbours(member)) beside += on_spine(other);
      if (beside > 2) return false;
      if (beside < 2 && end_ < 0) end_ = member;
    }
    if (end_ < 0) end_ = 0;  // a single arc
    return true;
  }

  void walk() {
    std::int32_t before = -1, current = end_;
    while (current >= 0) {
      std::int32_t next = -1;
      for (std::int32_t other : neighbours(current)) {
        if (other != before && on_spine(other)) next = other;
      }
      if (current < block_.nonsinks) {
        place(current);
      } else {
        place_parents(current, before, next);
      }
      before = current;
      current = next;
    }
    if (drawn_.empty()) place(0);
    strands_.offsets.push_back(static_cast<std::int32_t>(strands_.own.size()));
  }

  void place(std::int32_t source) {
    std::int32_t own = 0;
    for (std::int32_t sink : block_.children(source)) own += block_.degree(sink) == 1;
    drawn_.push_back(source);
    strands_.own.push_back(own);
    strands_.left.push_back(0);
    strands_.right.push_back(opens_);
    opens_ = 0;
  }

  // A spine sink's parents: the spine source before it, leaves, the spine source after.
  void place_parents(std::int32_t sink, std::int32_t before, std::int32_t next) {
    bool left_marked = before >= 0;
    if (left_marked) strands_.left.back() = 1;
    for (std::int32_t source : block_.parents(sink)) {
      if (source == before || source == next) continue;
      place(source);
      if (!left_marked) strands_.left.back() = 1;
      left_marked = true;
    }
    if (next < 0) {
      strands_.right.back() = 1;
    } else {
      opens_ = 1;  // the next source placed is the right end
    }
  }

  const Local& block_;
  Strands& strands_;
  std::int32_t end_ = -1;
  std::uint8_t opens_ = 0;
  Vector drawn_;
};

std::optional<Vector> tree_order(const Local& block) {
  Strands strands;
  auto drawn = Drawing::draw(block, strands);
  if (!drawn) return std::nullopt;
  Vector order;
  for (std::int32_t place : greedy_order(strands)) order.push_back((*drawn)[place]);
  return order;
}

// Rules for blocks that no theorem covers

Vector identity(std::int32_t count) {
  Vector all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The members with children, always the eligible one of most children first.
Vector outdegree_order(Rows children, Rows parents) {
  Vector by_degree = identity(children.size());
  std::stable_sort(by_degree.begin(), by_degree.end(), [&](std::int32_t a, std::int32_t b) {
    return children[a].size() > children[b].size();
  });
  Vector ranks(children.size());
  for (std::int32_t rank = 0; rank < children.size(); ++rank) ranks[by_degree[rank]] = rank;
  Vector order = priority_order(children, parents, ranks);
  std::erase_if(order, [&](std::int32_t member) { return children[member].empty(); });
  return order;
}

// The outdegree order of the dual, read backwards by packets (paper 001, section 4): what
// becomes enabled last in the dual is executed first.
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

// Nonsources enabled after each execution of `order`.
Vector enabled_by(const Local& block, const Vector& order) {
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

std::int64_t area(const Local& block, const Vector& order) {
  const Vector enabled = enabled_by(block, order);
  return std::accumulate(enabled.begin(), enabled.end(), std::int64_t{0});
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

// Whether an order of a bipartite tree enables as much as any could, because no order of
// such a tree can do more. Executed sources and the sinks that they enable span a forest,
// which has fewer arcs than members. If every sink has d parents or more, x sources
// therefore enable at most (x - 1) / (d - 1) sinks. If every source has d children or
// more, the same holds of the dual: before the last, x of s sources leave at least
// (s - x)(d - 1) + 1 sinks waiting.
bool meets_tree_bound(const Local& block, const Vector& order) {
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

// Sets of parents that the referee looks at for one set that it visits, on average.
std::int64_t looks_a_set(const Local& block) {
  if (block.arcs() <= most_looks * std::int64_t{block.nonsinks}) return block.arcs() / block.nonsinks;
  std::unordered_set<std::uint64_t> known;
  std::int64_t looks = 0;
  for (std::int32_t member = 0; member < block.members(); ++member) {
    std::uint64_t hash = 0;
    for (std::int32_t parent : block.parents(member)) hash = mixed(hash, parent);
    if (known.insert(hash).second) looks += static_cast<std::int64_t>(block.parents(member).size());
  }
  return looks / block.nonsinks;
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
    const std::int64_t looks = looks_a_set(block), weight = std::max<std::int64_t>(1, looks / usual_looks);
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

std::int32_t count(const Blocks& blocks) { return static_cast<std::int32_t>(blocks.bipartite.size()); }

}  // namespace

BlockOrders order_blocks(Rows children, const Blocks& blocks, std::int32_t exact_nonsinks,
                         std::int64_t exact_sets, std::int64_t all_sets) {
  BlockOrders result;
  Cutter cutter(children, blocks);
  Orderer orderer(exact_nonsinks, exact_sets, all_sets);
  Likeness likeness(result);
  for (std::int32_t block = 0; block < count(blocks); ++block) {
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
  for (std::int32_t block = 0; block < count(blocks); ++block) {
    const Local local = cutter.cut(block);
    check_interrupt(local.members());
    const auto drawn = local.bipartite ? Drawing::draw(local, strands) : std::nullopt;
    if (!drawn) return {};
    for (std::int32_t member : *drawn) sources.push_back(cutter.nonsinks(block)[member]);
  }
  Vector order;
  for (std::int32_t place : greedy_order(strands)) order.push_back(sources[place]);
  return order;
}

}  // namespace icsched
