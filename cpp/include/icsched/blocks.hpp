// Ordering the blocks of a decomposition (step 3 of Malewicz, Foster, Rosenberg and Wilde 2007).
#pragma once

#include <cstdint>
#include <vector>

#include "icsched/decompose.hpp"
#include "icsched/graph.hpp"

namespace icsched {

// What a block was recognised as, which says where its order comes from. `searched` and `ruled`
// orders are not proved IC-optimal. `exact` orders are IC-optimal by computation, all others by
// theorem.
enum class Kind : std::int32_t {
  tree = 0,      // planar bipartite tree: W, M, N and every strand (strands.hpp)
  forest = 1,    // another bipartite tree, whose order meets a bound that holds for all trees
  cycle = 2,     // Cordasco, Rosenberg and Sims 2011
  complete = 3,  // every source a parent of every sink: any order
  clique = 4,    // one sink for each pair of sources: any order
  coclique = 5,  // its dual: one source for each pair of sinks
  exact = 6,     // small: the referee found an IC-optimal order
  searched = 7,  // small: there is no IC-optimal order; this one has the largest area
  ruled = 8,     // large: the best of three rules
};

inline bool is_proved(Kind kind) { return kind <= Kind::exact; }

struct BlockOrders {
  std::vector<std::int32_t> nonsinks;  // of each block, in execution order; offsets as in Blocks
  std::vector<std::int32_t> kind;      // per block, a Kind
  std::vector<std::int32_t> sources;   // per block: members without parents in it
  std::vector<std::int32_t> arcs;      // per block: arcs inside it
  // Nonsources enabled after 0 .. nonsinks executions of the block's order; block b's
  // profile starts at Blocks::nonsinks.offsets[b] + b.
  std::vector<std::int32_t> enabled;
  // Per block, the first block with the same profile and number of sources.
  std::vector<std::int32_t> alike;
};

// Blocks of at most `exact_nonsinks` nonsinks that no theorem covers go to the referee,
// with a limit of `exact_sets` for each block and about `all_sets` for all. Identical blocks are
// solved once. Larger blocks, and blocks that come after all_sets are spent, take the best order of
// three rules (best_rule in block_rules.hpp). Near O(tasks + arcs), not counting the referee.
BlockOrders order_blocks(Rows children, const Blocks& blocks,
                         std::int32_t exact_nonsinks, std::int64_t exact_sets,
                         std::int64_t all_sets);

// All sources of the blocks in one IC-optimal order of their sum, if every block is a
// planar bipartite tree (Theorem 3.2 in strands.hpp); empty otherwise.
std::vector<std::int32_t> tree_sum_order(Rows children, const Blocks& blocks);

}  // namespace icsched
