#include "icsched/sim_machines.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "icsched/draws.hpp"

namespace icsched {

static constexpr std::int64_t largest_set = std::int64_t{1} << 28;

FreeMachines::FreeMachines(std::size_t resources, Amounts groups, Amounts capacities)
    : resources_(resources),
      capacities_(capacities),
      least_(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(resources)),
      free_(capacities.begin(), capacities.end()),
      nodes_(capacities.size() / resources),
      most_(capacities.size()) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    least_[i % resources] = std::min(least_[i % resources], groups[i]);
  }
  for (std::size_t i = 0; i < groups.size(); i += resources) unit_ = std::gcd(unit_, groups[i]);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < capacities.size(); i += resources) {
    unit_ = std::gcd(unit_, capacities[i]);
    most = std::max(most, capacities[i]);
  }
  const bool cores_decide = unit_ > 0 && (resources == 1 || groups.size() == resources);
  if (cores_decide && most / unit_ < largest_set / count() - 1) {
    by_cores_.emplace(static_cast<std::int32_t>((most / unit_ + 1) * count()));
    clear();
    return;
  }
  for (std::int32_t machine = 0; machine < count(); ++machine) {
    if (is_useful(machine)) add(machine);
  }
  first_root_ = root_;
  first_nodes_ = nodes_;
  first_most_ = most_;
}

void FreeMachines::clear() {
  std::ranges::copy(capacities_, free_.begin());
  if (by_cores_) {
    by_cores_->clear();
    for (std::int32_t machine = 0; machine < count(); ++machine) {
      if (is_useful(machine)) add(machine);
    }
    return;
  }
  root_ = first_root_;
  nodes_ = first_nodes_;
  most_ = first_most_;
}

void FreeMachines::add(std::int32_t machine) {
  by_cores_ ? by_cores_->insert(place(machine)) : void(root_ = with(root_, machine));
}

void FreeMachines::remove(std::int32_t machine) {
  by_cores_ ? by_cores_->erase(place(machine)) : void(root_ = without(root_, machine));
}

void FreeMachines::change(std::int32_t machine, const std::int64_t* amounts, std::int64_t sign) {
  if (is_useful(machine)) remove(machine);
  std::int64_t* row = &free_[machine * resources_];
  for (std::size_t r = 0; r < resources_; ++r) row[r] += sign * amounts[r];
  if (is_useful(machine)) add(machine);
}

std::int32_t FreeMachines::first(std::int32_t node, const std::int64_t* amounts) const {
  while (node != none && fits(amounts, &most_[node * resources_], resources_)) {
    if (*free(node) >= *amounts) {
      const std::int32_t found = first(nodes_[node].left, amounts);
      if (found != none) return found;
      if (fits(amounts, free(node), resources_)) return node;
    }
    node = nodes_[node].right;
  }
  return none;
}

// The priority of a node: no two are the same.
static std::uint64_t height(std::int32_t machine) {
  return draws::mix(static_cast<std::uint64_t>(machine) + draws::golden);
}

std::int32_t FreeMachines::with(std::int32_t node, std::int32_t machine) {
  if (node == none || height(machine) > height(node)) {
    const auto [left, right] = split(node, machine);
    nodes_[machine] = {left, right};
    node = machine;
  } else if (is_before(machine, node)) {
    nodes_[node].left = with(nodes_[node].left, machine);
  } else {
    nodes_[node].right = with(nodes_[node].right, machine);
  }
  sum_up(node);
  return node;
}

std::int32_t FreeMachines::without(std::int32_t node, std::int32_t machine) {
  if (node == machine) return merge(nodes_[node].left, nodes_[node].right);
  if (is_before(machine, node)) {
    nodes_[node].left = without(nodes_[node].left, machine);
  } else {
    nodes_[node].right = without(nodes_[node].right, machine);
  }
  sum_up(node);
  return node;
}

// Those before `machine` and those after it.
std::pair<std::int32_t, std::int32_t> FreeMachines::split(std::int32_t node,
                                                          std::int32_t machine) {
  if (node == none) return {none, none};
  if (is_before(machine, node)) {
    const auto [before, after] = split(nodes_[node].left, machine);
    nodes_[node].left = after;
    sum_up(node);
    return {before, node};
  }
  const auto [before, after] = split(nodes_[node].right, machine);
  nodes_[node].right = before;
  sum_up(node);
  return {node, after};
}

std::int32_t FreeMachines::merge(std::int32_t left, std::int32_t right) {
  if (left == none || right == none) return left == none ? right : left;
  const bool left_is_higher = height(left) > height(right);
  const std::int32_t node = left_is_higher ? left : right;
  if (left_is_higher) {
    nodes_[left].right = merge(nodes_[left].right, right);
  } else {
    nodes_[right].left = merge(left, nodes_[right].left);
  }
  sum_up(node);
  return node;
}

void FreeMachines::sum_up(std::int32_t node) {
  std::int64_t* row = &most_[node * resources_];
  std::copy_n(free(node), resources_, row);
  for (const std::int32_t child : {nodes_[node].left, nodes_[node].right}) {
    if (child == none) continue;
    for (std::size_t r = 0; r < resources_; ++r) {
      row[r] = std::max(row[r], most_[child * resources_ + r]);
    }
  }
}

WaitingGroups::WaitingGroups(std::size_t resources, Amounts groups) : resources_(resources) {
  const std::size_t count = groups.size() / resources;
  leaves_ = std::bit_ceil(count);
  key_.assign(2 * leaves_, nothing);
  least_.assign(2 * leaves_ * resources, std::numeric_limits<std::int64_t>::max());
  most_.assign(2 * leaves_ * resources, std::numeric_limits<std::int64_t>::min());
  leaf_.resize(count);
  group_.assign(leaves_, -1);
  std::vector<std::int32_t> all(count);
  for (std::size_t group = 0; group < count; ++group) all[group] = static_cast<std::int32_t>(group);
  place(all, 1, 0, groups);
}

void WaitingGroups::clear() { std::ranges::fill(key_, nothing); }

void WaitingGroups::place(std::span<std::int32_t> groups, std::size_t node, std::size_t resource,
                          Amounts amounts) {
  const auto amount = [&](std::int32_t group, std::size_t r) {
    return amounts[group * resources_ + r];
  };
  for (const std::int32_t group : groups) {
    for (std::size_t r = 0; r < resources_; ++r) {
      std::int64_t& least = least_[node * resources_ + r];
      std::int64_t& most = most_[node * resources_ + r];
      least = std::min(least, amount(group, r));
      most = std::max(most, amount(group, r));
    }
  }
  if (node >= leaves_) {
    if (groups.empty()) return;
    leaf_[groups[0]] = static_cast<std::int32_t>(node);
    group_[node - leaves_] = groups[0];
    return;
  }
  const std::size_t half = (groups.size() + 1) / 2;
  std::ranges::nth_element(groups, groups.begin() + static_cast<std::ptrdiff_t>(half), {},
                           [&](std::int32_t group) { return amount(group, resource); });
  const std::size_t next = (resource + 1) % resources_;
  place(groups.first(half), 2 * node, next, amounts);
  place(groups.subspan(half), 2 * node + 1, next, amounts);
}

void WaitingGroups::set(std::int32_t group, std::uint64_t key) {
  std::size_t node = leaf_[group];
  key_[node] = key;
  while (node > 1) {
    node /= 2;
    const std::uint64_t least = std::min(key_[2 * node], key_[2 * node + 1]);
    if (key_[node] == least) return;
    key_[node] = least;
  }
}

void WaitingGroups::look(std::size_t node, const std::int64_t* amounts, Found& found) const {
  if (key_[node] >= found.key || !fits(&least_[node * resources_], amounts, resources_)) return;
  if (fits(&most_[node * resources_], amounts, resources_)) {
    found.key = key_[node];
    while (node < leaves_) node = 2 * node + (key_[2 * node] != found.key);
    found.group = group_[node - leaves_];
    return;
  }
  const std::size_t sooner = 2 * node + (key_[2 * node + 1] < key_[2 * node]);
  look(sooner, amounts, found);
  look(sooner ^ 1, amounts, found);
}

}  // namespace icsched
