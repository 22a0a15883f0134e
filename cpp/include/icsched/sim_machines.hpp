// What the engine for machines asks at each step: which tasks fit into what has been given back,
// and which machine a task starts on. Amounts are rows of whole numbers, one for each resource;
// the first is cores.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "icsched/eligible.hpp"

namespace icsched {

using Amounts = std::span<const std::int64_t>;

inline bool fits(const std::int64_t* amounts, const std::int64_t* into, std::size_t resources) {
  for (std::size_t r = 0; r < resources; ++r) {
    if (amounts[r] > into[r]) return false;
  }
  return true;
}

// What each machine has free. Machines that can take something form a treap, by free cores and
// then by number; each node knows the most of each other resource that its subtree has. If cores
// alone decide, as all tasks hold the same or there is no other resource, they form a set of
// numbers instead, which is faster.
class FreeMachines {
 public:
  // Rows of `resources` amounts: what each group of tasks holds, and what each machine has.
  FreeMachines(std::size_t resources, Amounts groups, Amounts capacities);

  // Every machine is free again.
  void clear();

  // The machine with the least cores free that are enough, and with enough of all else; of these
  // the first. none if there is none.
  std::int32_t find(const std::int64_t* amounts) const {
    if (!by_cores_) return first(root_, amounts);
    const std::int64_t found = by_cores_->next((*amounts + unit_ - 1) / unit_ * count());
    return found < 0 ? none : static_cast<std::int32_t>(found % count());
  }

  void hold(std::int32_t machine, const std::int64_t* amounts) { change(machine, amounts, -1); }
  void give_back(std::int32_t machine, const std::int64_t* amounts) { change(machine, amounts, 1); }

  const std::int64_t* free(std::int32_t machine) const { return &free_[machine * resources_]; }

  static constexpr std::int32_t none = -1;

 private:
  struct Node {
    std::int32_t left = none, right = none;
  };

  std::int64_t count() const { return static_cast<std::int64_t>(nodes_.size()); }
  // The number of a machine in a set by cores.
  std::int32_t place(std::int32_t machine) const {
    return static_cast<std::int32_t>(*free(machine) / unit_ * count() + machine);
  }
  void add(std::int32_t machine);
  void remove(std::int32_t machine);
  void change(std::int32_t machine, const std::int64_t* amounts, std::int64_t sign);
  bool is_useful(std::int32_t machine) const {
    return fits(least_.data(), free(machine), resources_);
  }
  bool is_before(std::int32_t a, std::int32_t b) const {
    const std::int64_t ours = *free(a), theirs = *free(b);
    return ours != theirs ? ours < theirs : a < b;
  }
  std::int32_t first(std::int32_t node, const std::int64_t* amounts) const;
  std::int32_t with(std::int32_t node, std::int32_t machine);
  std::int32_t without(std::int32_t node, std::int32_t machine);
  std::pair<std::int32_t, std::int32_t> split(std::int32_t node, std::int32_t machine);
  std::int32_t merge(std::int32_t left, std::int32_t right);
  void sum_up(std::int32_t node);

  std::size_t resources_;
  Amounts capacities_;
  std::vector<std::int64_t> least_;  // of each resource that any group holds
  std::vector<std::int64_t> free_;   // a row for each machine
  std::int64_t unit_ = 0;             // all cores are multiples of it
  std::optional<Bitmap> by_cores_;
  std::int32_t root_ = none;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> most_;  // a row for each node: of its subtree
  std::int32_t first_root_;         // when all is free
  std::vector<Node> first_nodes_;
  std::vector<std::int64_t> first_most_;
};

// The key of the first waiting task of each group of equal tasks. Finds the group with the least
// key that fits into given amounts: a tree over the groups, split by one resource after the other.
class WaitingGroups {
 public:
  static constexpr std::uint64_t nothing = std::numeric_limits<std::uint64_t>::max();
  struct Found {
    std::uint64_t key = nothing;
    std::int32_t group = -1;
  };

  WaitingGroups(std::size_t resources, Amounts groups);

  void clear();
  void set(std::int32_t group, std::uint64_t key);
  Found first(const std::int64_t* amounts) const {
    Found found;
    look(1, amounts, found);
    return found;
  }

 private:
  void place(std::span<std::int32_t> groups, std::size_t node, std::size_t resource,
             Amounts amounts);
  void look(std::size_t node, const std::int64_t* amounts, Found& found) const;

  std::size_t resources_;
  std::size_t leaves_ = 1;                // a power of two
  std::vector<std::uint64_t> key_;        // by node; the children of node i are 2i and 2i + 1
  std::vector<std::int64_t> least_;       // a row for each node
  std::vector<std::int64_t> most_;
  std::vector<std::int32_t> leaf_;        // of each group
  std::vector<std::int32_t> group_;       // of each leaf
};

}  // namespace icsched
