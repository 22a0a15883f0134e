// Orders that keep few results in memory.
//
// A task is open from its own step until the last of its children has run. A sink is never
// open. The memory of an order is the largest sum of the open tasks' sizes after a step. All
// rows and orders belong to one dag; sizes are nonnegative, one per task, and add up to
// less than 2^53. Ties go to the smaller id.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

using Sizes = std::span<const std::int64_t>;

// A depth-first order. For each sink in turn it runs the ancestors depth first. Of several
// parents, the first is the one whose ancestors need most beyond what they leave: the order of
// Sethi and Ullman, and of Liu, which is best on trees. After each step the order runs any eligible
// task that frees at least as much as it takes. `order` is any legal order.
// O(tasks + arcs log arcs).
std::vector<std::int32_t> depth_first_order(Rows children, Rows parents, Ids order, Sizes sizes);

// An order with the eligibility profile of the legal order `order`, made by moving its pieces.
// A piece is a stretch of the order: if it has one parent of a task, it has all of them. So what
// its steps enable does not depend on when the piece runs. Pieces whose steps enable the same
// counts are of one kind, and can change places if dependencies allow. In the place of each piece
// runs the ready piece of its kind that leaves the least memory taken; ties go to the piece with
// the task of least rank. If no piece is ready, the order goes back to the last step at which it
// had run the same tasks as `order`, and follows `order` from there. `ranks` is a permutation.
// O((tasks + arcs) log tasks).
std::vector<std::int32_t> exchange_pieces(Rows children, Rows parents, Ids order, Ids ranks,
                                          Sizes sizes);

// An order within `limit` that follows `ranks` as far as it can. It always runs the eligible task
// of least rank after which the rest can run in the sequence of `base` within `limit`. Requires
// `base` to be legal and within `limit`, and `ranks` to be a permutation. A task that would take
// too much waits until `base` is past the last state in which it would. A task that had to wait
// `patience` times waits until its turn in `base`. O((arcs + patience * tasks) log tasks).
std::vector<std::int32_t> pull_forward(Rows children, Rows parents, Ids base, Ids ranks,
                                       Sizes sizes, std::int64_t limit, std::int32_t patience);

}  // namespace icsched
