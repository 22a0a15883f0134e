#include "icsched/drawing.hpp"

#include <utility>

namespace icsched {
namespace {

using Vector = std::vector<std::int32_t>;

class Drawing {
 public:
  Drawing(const Local& block, Strands& strands) : block_(block), strands_(strands) {}

  // False if the members of degree two or more are not a path.
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

  // Returns the sources from left to right.
  Vector walk() {
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
    return std::move(drawn_);
  }

 private:
  Ids neighbours(std::int32_t member) const {
    return member < block_.nonsinks ? block_.children(member) : block_.parents(member);
  }
  bool on_spine(std::int32_t member) const { return block_.degree(member) > 1; }

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

}  // namespace

std::optional<Vector> draw_strand(const Local& block, Strands& strands) {
  if (block.arcs() != block.members() - 1) return std::nullopt;
  Drawing drawing(block, strands);
  if (!drawing.find_end()) return std::nullopt;
  return drawing.walk();
}

}  // namespace icsched
