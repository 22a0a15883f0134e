// Orders that keep few results in memory.
//
// A task is open from its own step until the last of its children has run; a sink never
// is. The memory of an order is the largest sum of the open tasks' sizes after a step. All
// rows and orders are those of one dag; sizes are nonnegative, one per task, and add up to
// less than 2^53. Ties go to the smaller id.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "icsched/graph.hpp"

namespace icsched {

using Sizes = std::span<const std::int64_t>;

// An order that finishes what it began. From each sink in turn it runs the ancestors depth
// first, those parents first whose own ancestors need most beyond what they leave (the
// order of Sethi, Ullman and Liu, which is best on trees); after each step it runs any
// eligible task that frees at least what it takes. `order` is any legal order.
// O(tasks + arcs log arcs).
std::vector<std::int32_t> depth_first_order(Rows children, Rows parents, Ids order, Sizes sizes);

// An order with the eligibility profile of the legal order `order`, made by moving pieces
// of it. A piece is a stretch that holds all parents of every task that it holds a parent
// of; so what each of its steps enables does not depend on when it runs, and pieces whose
// steps enable the same counts can change places if dependencies allow. In the place of
// each piece the ready one of its kind runs that leaves least memory taken, of equals the
// one with a task of least rank. Where none is ready, what has run since both orders had
// last run the same tasks is taken back and runs as in `order`. `ranks` is a permutation.
// O((tasks + arcs) log tasks).
std::vector<std::int32_t> exchange_pieces(Rows children, Rows parents, Ids order, Ids ranks,
                                          Sizes sizes);

// An order that always runs the eligible task of least rank after which the rest can run
// in the sequence of `base` without taking more than `limit`. Requires `base` to be legal
// and within `limit`, `ranks` a permutation; then the result is within `limit` too. A task
// that would take too much waits until `base` is past the last state in which it would; one
// that had to wait `patience` times, until its turn in `base`. O((arcs + patience * tasks) log tasks).
std::vector<std::int32_t> pull_forward(Rows children, Rows parents, Ids base, Ids ranks,
                                       Sizes sizes, std::int64_t limit, std::int32_t patience);

}  // namespace icsched
