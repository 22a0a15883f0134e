#include "icsched/shapes.hpp"

#include <algorithm>

#include "icsched/cutter.hpp"
#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

// Counts and the least and most of some degrees.
struct Range {
  std::int32_t count = 0, least = 0, most = 0;

  void add(std::int32_t degree) {
    least = count == 0 ? degree : std::min(least, degree);
    most = std::max(most, degree);
    ++count;
  }
};

class Shaper {
 public:
  void add(const Range& sources, const Range& sinks, std::int32_t members, bool bipartite) {
    shapes_.sources.push_back(sources.count);
    shapes_.sinks.push_back(sinks.count);
    shapes_.members.push_back(members);
    shapes_.least_out.push_back(sources.least);
    shapes_.most_out.push_back(sources.most);
    shapes_.least_in.push_back(sinks.least);
    shapes_.most_in.push_back(sinks.most);
    shapes_.bipartite.push_back(bipartite);
  }

  void add(const Local& block) {
    Range sources, sinks;
    bool bipartite = true;
    for (std::int32_t member = 0; member < block.members(); ++member) {
      const auto out = static_cast<std::int32_t>(block.children(member).size());
      const auto in = static_cast<std::int32_t>(block.parents(member).size());
      if (in == 0) sources.add(out);
      if (out == 0) sinks.add(in);
      bipartite = bipartite && (in == 0 || out == 0);
    }
    add(sources, sinks, block.members(), bipartite);
  }

  BlockShapes take() { return std::move(shapes_); }

 private:
  BlockShapes shapes_;
};

// The spine of one tree.
class Spine {
 public:
  explicit Spine(const Local& block) : block_(block) {}

  // From the end `from` on.
  Vector walk(std::int32_t from) const {
    Vector spine{from};
    for (std::int32_t before = -1, current = from;;) {
      const std::int32_t next = beside(current, before);
      if (next < 0) return spine;
      spine.push_back(next);
      before = current;
      current = next;
    }
  }

  bool has(std::int32_t member) const { return block_.degree(member) > 1; }
  bool is_end(std::int32_t member) const {
    const std::int32_t first = beside(member, -1);
    return first < 0 || beside(member, first) < 0;
  }

 private:
  // A neighbour on the spine other than `not_this`; -1 if there is none.
  std::int32_t beside(std::int32_t member, std::int32_t not_this) const {
    for (std::int32_t other : member < block_.nonsinks ? block_.children(member) : block_.parents(member)) {
      if (other != not_this && has(other)) return other;
    }
    return -1;
  }

  const Local& block_;
};

// Signed degrees along the spine of `block`, whose members have the ids `task`.
Vector spine_degrees(const Local& block, const Vector& task) {
  const Spine spine(block);
  std::int32_t end = -1;
  for (std::int32_t member = 0; member < block.members(); ++member) {
    const bool earlier = end < 0 || task[member] < task[end];
    if (earlier && spine.has(member) && spine.is_end(member)) end = member;
  }
  Vector members = spine.walk(end), back(members.rbegin(), members.rend());
  const auto fewer = [&](std::int32_t a, std::int32_t b) { return block.degree(a) < block.degree(b); };
  if (std::lexicographical_compare(members.begin(), members.end(), back.begin(), back.end(), fewer)) {
    members.swap(back);
  }
  for (std::int32_t& member : members) {
    member = member < block.nonsinks ? block.degree(member) : -block.degree(member);
  }
  return members;
}

}  // namespace

BlockShapes block_shapes(Rows children, const Blocks& blocks) {
  Cutter cutter(children, blocks);
  Shaper shaper;
  for (std::int32_t block = 0; block < blocks.size(); ++block) {
    const auto sinks = static_cast<std::int32_t>(cutter.sinks(block).size());
    const auto members = static_cast<std::int32_t>(cutter.nonsinks(block).size()) + sinks;
    check_interrupt(members);
    if (members == sinks + 1) {  // most blocks of most workflows: not worth cutting out
      shaper.add({1, sinks, sinks}, {sinks, 1, 1}, members, true);
    } else {
      shaper.add(cutter.cut(block));
    }
  }
  return shaper.take();
}

Spines block_spines(Rows children, const Blocks& blocks, Ids which) {
  Cutter cutter(children, blocks);
  Spines spines;
  for (std::int32_t block : which) {
    Vector task(cutter.nonsinks(block).begin(), cutter.nonsinks(block).end());
    task.insert(task.end(), cutter.sinks(block).begin(), cutter.sinks(block).end());
    check_interrupt(static_cast<std::int64_t>(task.size()));
    const Vector degrees = spine_degrees(cutter.cut(block), task);
    spines.degrees.insert(spines.degrees.end(), degrees.begin(), degrees.end());
    spines.offsets.push_back(static_cast<std::int32_t>(spines.degrees.size()));
  }
  return spines;
}

}  // namespace icsched
