// Cutting single blocks out of a dag, for kernels that look at one block after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/decompose.hpp"
#include "icsched/graph.hpp"

namespace icsched {

// One block with its members renumbered: nonsinks 0 .. s-1, then sinks, both by id.
struct Local {
  std::int32_t nonsinks = 0;
  bool bipartite = true;
  Built built;

  std::int32_t members() const { return built.child_rows().size(); }
  std::int32_t sinks() const { return members() - nonsinks; }
  std::int32_t arcs() const { return static_cast<std::int32_t>(built.children.size()); }
  Ids children(std::int32_t member) const { return built.child_rows()[member]; }
  Ids parents(std::int32_t member) const { return built.parent_rows()[member]; }
  std::int32_t degree(std::int32_t member) const {
    return static_cast<std::int32_t>(member < nonsinks ? children(member).size() : parents(member).size());
  }
};

// Cuts blocks out of the dag one after the other.
class Cutter {
 public:
  Cutter(Rows children, const Blocks& blocks)
      : children_(children), blocks_(blocks), place_(children.size()), stamp_(children.size(), -1) {}

  Ids nonsinks(std::int32_t block) const { return blocks_.nonsinks[block]; }
  Ids sinks(std::int32_t block) const { return blocks_.sinks[block]; }

  Local cut(std::int32_t block) {
    std::int32_t next = 0;
    for (const Ids& members : {nonsinks(block), sinks(block)}) {
      for (std::int32_t task : members) {
        place_[task] = next++;
        stamp_[task] = block;
      }
    }
    std::vector<std::int32_t> parents, children;
    for (std::int32_t task : nonsinks(block)) {
      for (std::int32_t child : children_[task]) {
        if (stamp_[child] != block) continue;
        parents.push_back(place_[task]);
        children.push_back(place_[child]);
      }
    }
    return {static_cast<std::int32_t>(nonsinks(block).size()), blocks_.bipartite[block] != 0,
            build(next, parents, children)};
  }

 private:
  Rows children_;
  Blocks blocks_;
  std::vector<std::int32_t> place_, stamp_;
};

}  // namespace icsched
