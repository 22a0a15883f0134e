// Max-plus convolution: sharing out a number of executions among independent parts.
#pragma once

#include <cstdint>
#include <vector>

namespace icsched {

// The most that a part gives for each number of executions from `first` on. Other numbers are
// impossible; without values, all numbers are.
struct Yield {
  std::int32_t first = 0;
  std::vector<std::int32_t> values;

  bool empty() const { return values.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(values.size()); }
  std::int32_t last() const { return first + size() - 1; }
  bool has(std::int32_t count) const { return first <= count && count <= last(); }
  std::int32_t operator[](std::int32_t count) const { return values[count - first]; }
};

// The larger of two yields. Requires that no number between theirs is impossible for both.
Yield larger(const Yield& a, const Yield& b);

class MaxPlus {
 public:
  // Numbers of executions above `most` are of no interest.
  explicit MaxPlus(std::int32_t most) : most_(most) {}

  void set_most(std::int32_t most) { most_ = most; }

  // The best of two parts together. O(product of the lengths), or linear if both are concave.
  Yield sum(const Yield& a, const Yield& b);

  // The best of all parts together, by halves.
  Yield total(std::vector<Yield> parts);

  // How many of `count` executions each part gets if all together give the most. Requires that
  // `count` is possible and at most `most`. In a tie the earlier part gets more.
  std::vector<std::int32_t> split(std::vector<Yield> parts, std::int32_t count);

 private:
  std::vector<Yield> tree(std::vector<Yield> leaves);

  std::int32_t most_;
};

}  // namespace icsched
