#include "icsched/max_plus.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

constexpr std::int64_t steps_per_unit = 32;  // of work: the loops below are vectors
constexpr std::int32_t nothing = std::numeric_limits<std::int32_t>::min();

bool is_concave(const Yield& yield) {
  const auto& v = yield.values;
  for (std::size_t i = 2; i < v.size(); ++i) {
    if (v[i] - v[i - 1] > v[i - 1] - v[i - 2]) return false;
  }
  return true;
}

// Of two concave yields the larger next gain always comes first.
void sum_concave(const Yield& a, const Yield& b, Yield& result) {
  std::int32_t i = 0, j = 0;
  for (std::int32_t& value : result.values) {
    value = a.values[i] + b.values[j];
    const std::int32_t gain_a = i + 1 < a.size() ? a.values[i + 1] - a.values[i] : nothing;
    const std::int32_t gain_b = j + 1 < b.size() ? b.values[j + 1] - b.values[j] : nothing;
    gain_a >= gain_b ? ++i : ++j;
  }
}

// Every number from the shorter yield with every number from the longer.
void sum_all(const Yield& a, const Yield& b, Yield& result) {
  std::ranges::fill(result.values, nothing);
  for (std::int32_t i = 0; i < std::min(result.size(), a.size()); ++i) {
    const std::int32_t add = a.values[i], width = std::min(result.size() - i, b.size());
    check_interrupt(1 + width / steps_per_unit);
    std::int32_t* __restrict to = result.values.data() + i;
    const std::int32_t* __restrict from = b.values.data();
    for (std::int32_t j = 0; j < width; ++j) {
      const std::int32_t value = from[j] + add;
      to[j] = to[j] > value ? to[j] : value;
    }
  }
}

}  // namespace

Yield larger(const Yield& a, const Yield& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const std::int32_t first = std::min(a.first, b.first);
  Yield result{first, std::vector(std::max(a.last(), b.last()) - first + 1, nothing)};
  std::ranges::copy(a.values, result.values.begin() + (a.first - first));
  std::int32_t* at = result.values.data() + (b.first - first);
  for (std::int32_t i = 0; i < b.size(); ++i) at[i] = std::max(at[i], b.values[i]);
  return result;
}

Yield MaxPlus::sum(const Yield& a, const Yield& b) {
  if (a.size() > b.size()) return sum(b, a);
  Yield result{a.first + b.first, {}};
  if (a.empty() || result.first > most_) return result;
  result.values.resize(std::min(a.last() + b.last(), most_) - result.first + 1);
  check_interrupt(1 + result.size() / steps_per_unit);
  if (a.size() > 1 && is_concave(a) && is_concave(b)) {
    sum_concave(a, b, result);
  } else {
    sum_all(a, b, result);
  }
  return result;
}

// A tree in an array: `leaves` come last, node i is the sum of nodes 2i and 2i + 1.
std::vector<Yield> MaxPlus::tree(std::vector<Yield> leaves) {
  std::vector<Yield> nodes(leaves.size());
  std::ranges::move(leaves, std::back_inserter(nodes));
  for (std::size_t node = nodes.size() / 2; node-- > 1;) {
    nodes[node] = sum(nodes[2 * node], nodes[2 * node + 1]);
  }
  return nodes;
}

Yield MaxPlus::total(std::vector<Yield> parts) {
  if (parts.empty()) return {0, {0}};
  return std::move(tree(std::move(parts))[1]);
}

std::vector<std::int32_t> MaxPlus::split(std::vector<Yield> parts, std::int32_t count) {
  if (parts.empty()) return {};
  const std::size_t leaves = parts.size();
  const std::vector<Yield> nodes = tree(std::move(parts));
  std::vector<std::int32_t> due(2 * leaves);
  due[1] = count;
  for (std::size_t node = 1; node < leaves; ++node) {
    const Yield &left = nodes[2 * node], &right = nodes[2 * node + 1];
    std::int32_t here = std::min(left.last(), due[node] - right.first);
    while (left[here] + right[due[node] - here] < nodes[node][due[node]]) --here;
    due[2 * node] = here;
    due[2 * node + 1] = due[node] - here;
  }
  return {due.begin() + static_cast<std::ptrdiff_t>(leaves), due.end()};
}

}  // namespace icsched
