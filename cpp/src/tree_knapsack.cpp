#include "icsched/tree_knapsack.hpp"

#include <utility>

#include "icsched/interrupt.hpp"

namespace icsched {

using Vector = std::vector<std::int32_t>;

TreeKnapsack::TreeKnapsack(const Front& front, Rows sinks_of, std::int32_t most)
    : front_(front),
      sinks_of_(sinks_of),
      max_plus_(most),
      decided_(front.sinks.size()),
      forced_(front.sources()),
      via_(front.sources()),
      before_(front.sources()),
      size_(front.sources()),
      off_(front.sources()),
      on_(front.sources()) {}

Yield TreeKnapsack::profile(std::int32_t source) {
  walk(source);
  for (std::size_t i = walked_.size(); i-- > 0;) combine(walked_[i]);
  return take_better(source);
}

void TreeKnapsack::choose(Share all, Vector& chosen) {
  std::vector<Share> shares{all};
  while (!shares.empty()) {
    const Share share = shares.back();
    shares.pop_back();
    max_plus_.set_most(share.count);
    walk(share.source);
    if (share.count == static_cast<std::int32_t>(walked_.size())) {
      chosen.insert(chosen.end(), walked_.begin(), walked_.end());
    } else if (share.count > 0) {
      const std::int32_t root = centre();
      walk(root);
      for (std::size_t i = walked_.size(); i-- > 1;) combine(walked_[i]);
      split(root, share.count, shares, chosen);
    }
  }
}

void TreeKnapsack::walk(std::int32_t root) {
  walked_.assign(1, root);
  via_[root] = before_[root] = -1;
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    const std::int32_t source = walked_[i];
    check_interrupt(1 + std::ssize(sinks_of_[source]));
    for (const std::int32_t sink : sinks_of_[source]) {
      if (decided_[sink] || sink == via_[source]) continue;
      for (const std::int32_t next : front_.sinks[sink]) {
        if (next == source) continue;
        via_[next] = sink;
        before_[next] = source;
        walked_.push_back(next);
      }
    }
  }
}

std::int32_t TreeKnapsack::centre() {
  for (const std::int32_t source : walked_) size_[source] = 1;
  for (std::size_t i = walked_.size(); i-- > 1;) size_[before_[walked_[i]]] += size_[walked_[i]];
  std::int32_t found = walked_[0];
  for (const std::int32_t source : walked_) {  // parents come before those behind them
    if (2 * static_cast<std::size_t>(size_[source]) > walked_.size()) found = source;
  }
  return found;
}

Yield TreeKnapsack::better(std::int32_t source) const { return larger(off_[source], on_[source]); }

Yield TreeKnapsack::take_better(std::int32_t source) {
  Yield best = better(source);
  forget(source);
  return best;
}

void TreeKnapsack::forget(std::int32_t source) {
  off_[source] = {};
  on_[source] = {};
}

TreeKnapsack::Behind TreeKnapsack::behind(std::int32_t source, std::int32_t sink) {
  std::vector<Yield> free, executed{{0, {front_.weights[sink]}}};
  for (const std::int32_t next : front_.sinks[sink]) {
    if (next == source) continue;
    free.push_back(better(next));
    executed.push_back(on_[next]);
  }
  return {sink, max_plus_.total(std::move(free)), max_plus_.total(std::move(executed))};
}

void TreeKnapsack::combine(std::int32_t source) {
  std::vector<Yield> off, on{{1, {front_.yields[source]}}};
  for (const std::int32_t sink : sinks_of_[source]) {
    if (decided_[sink] || sink == via_[source]) continue;
    Behind part = behind(source, sink);
    on.push_back(larger(part.not_enabled, part.enabled));
    off.push_back(std::move(part.not_enabled));
    for (const std::int32_t next : front_.sinks[sink]) {
      if (next != source) forget(next);
    }
  }
  on_[source] = max_plus_.total(std::move(on));
  if (!forced_[source]) off_[source] = max_plus_.total(std::move(off));
}

void TreeKnapsack::split(std::int32_t root, std::int32_t count, std::vector<Share>& shares,
                         Vector& chosen) {
  std::vector<Behind> parts;
  for (const std::int32_t sink : sinks_of_[root]) {
    if (!decided_[sink]) parts.push_back(behind(root, sink));
  }
  const bool executed = is_executed(root, parts, count);
  if (executed) chosen.push_back(root);
  const std::vector<Yield> yields = yields_of(parts, executed);
  const Vector counts = max_plus_.split(yields, count - executed);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool enabled = executed && parts[i].enabled.has(counts[i]) &&
                         parts[i].enabled[counts[i]] == yields[i][counts[i]];
    pass_on(root, parts[i].sink, enabled, counts[i], shares);
  }
}

std::vector<Yield> TreeKnapsack::yields_of(const std::vector<Behind>& parts, bool executed) {
  std::vector<Yield> yields;
  for (const Behind& part : parts) {
    yields.push_back(executed ? larger(part.not_enabled, part.enabled) : part.not_enabled);
  }
  return yields;
}

bool TreeKnapsack::is_executed(std::int32_t root, const std::vector<Behind>& parts,
                               std::int32_t count) {
  const Yield off = max_plus_.total(yields_of(parts, false));
  const Yield on = max_plus_.total(yields_of(parts, true));  // of count - 1 others
  if (forced_[root] || !off.has(count)) return true;
  return on.has(count - 1) && on[count - 1] + front_.yields[root] >= off[count];
}

void TreeKnapsack::pass_on(std::int32_t root, std::int32_t sink, bool enabled, std::int32_t count,
                           std::vector<Share>& shares) {
  decided_[sink] = 1;
  std::vector<Yield> yields;
  for (const std::int32_t next : front_.sinks[sink]) {
    if (next == root) continue;
    yields.push_back(enabled ? on_[next] : better(next));
  }
  const Vector counts = max_plus_.split(std::move(yields), count);
  std::size_t i = 0;
  for (const std::int32_t next : front_.sinks[sink]) {
    if (next == root) continue;
    if (enabled) forced_[next] = 1;
    if (counts[i] > 0) shares.push_back({next, counts[i]});
    ++i;
    forget(next);
  }
}

}  // namespace icsched
