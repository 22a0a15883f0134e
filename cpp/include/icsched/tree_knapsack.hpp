// Choosing sources of a front whose connected pieces are trees.
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/batch.hpp"
#include "icsched/max_plus.hpp"

namespace icsched {

struct Share {
  std::int32_t source;  // of a piece
  std::int32_t count;   // executions that the piece gets
};

// The knapsack over pieces that are trees (Malewicz and Rosenberg 2006, section 5). For a source u
// that a walk reaches through one of its sinks, `off` and `on` say what the part of the tree behind
// u enables without and with u executed. A sink of u with further parents w_j adds the sum of the
// better of off and on over the w_j. If u is executed, the sink may add the sum of on and the sink
// itself instead, whichever is more.
class TreeKnapsack {
 public:
  TreeKnapsack(const Front& front, Rows sinks_of, std::int32_t most);

  // What the piece of `source` gives for each number of executions.
  Yield profile(std::int32_t source);

  // Appends the sources to execute if the piece gets this many. Keeps only the split at a central
  // source, and solves the parts in the same way; a part has at most half of the sources. This
  // takes twice the time of the profile, but memory for one array at a time instead of all.
  void choose(Share all, std::vector<std::int32_t>& chosen);

 private:
  // What a sink and the parts of the tree behind it give, without and with it enabled.
  struct Behind {
    std::int32_t sink;
    Yield not_enabled, enabled;
  };

  // Lists the sources of a piece from its root on, with the sink and source each is reached by.
  void walk(std::int32_t root);

  // A source of the walked piece with at most half of the sources in each part behind it.
  std::int32_t centre();
  Yield better(std::int32_t source) const;
  Yield take_better(std::int32_t source);

  // Frees the memory, which an assignment would not.
  void forget(std::int32_t source);
  Behind behind(std::int32_t source, std::int32_t sink);

  // Computes off and on of a source from the sources behind it, which are then forgotten.
  void combine(std::int32_t source);

  // Decides about the root of the walked piece and its sinks; passes on what each part gets.
  void split(std::int32_t root, std::int32_t count, std::vector<Share>& shares,
             std::vector<std::int32_t>& chosen);
  static std::vector<Yield> yields_of(const std::vector<Behind>& parts, bool executed);
  bool is_executed(std::int32_t root, const std::vector<Behind>& parts, std::int32_t count);
  void pass_on(std::int32_t root, std::int32_t sink, bool enabled, std::int32_t count,
               std::vector<Share>& shares);

  const Front& front_;
  Rows sinks_of_;
  MaxPlus max_plus_;
  std::vector<std::uint8_t> decided_;  // sinks that no longer connect their parents
  std::vector<std::uint8_t> forced_;   // sources that must be executed
  std::vector<std::int32_t> via_, before_, size_, walked_;
  std::vector<Yield> off_, on_;
};

}  // namespace icsched
