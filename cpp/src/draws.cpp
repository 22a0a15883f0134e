#include "icsched/draws.hpp"

#include <algorithm>

namespace icsched {
namespace {

constexpr std::size_t block = 256;  // numbers at a time, which stay in the first cache

// normal_quantile of each p. Loops without branches, which compilers turn into vector
// instructions: the middle formula for all, then the tail formula for those in the tails.
void normal_quantiles(std::span<const double> p, std::span<double> values) {
  std::array<std::uint32_t, block> tails;
  std::array<double, block> tail_p, size;
  std::size_t found = 0;
  for (std::size_t i = 0; i < p.size(); ++i) values[i] = draws::middle_quantile(p[i] - 0.5);
  for (std::size_t i = 0; i < p.size(); ++i) {
    tails[found] = static_cast<std::uint32_t>(i);
    tail_p[found] = p[i];
    found += std::abs(p[i] - 0.5) > draws::in_middle;
  }
  for (std::size_t t = 0; t < found; ++t) size[t] = draws::tail_size(tail_p[t]);
  for (std::size_t t = 0; t < found; ++t) {
    const bool at_end = std::min(tail_p[t], 1.0 - tail_p[t]) < draws::near_end;
    values[tails[t]] = at_end ? draws::tail_quantile(tail_p[t])
                              : std::copysign(size[t], tail_p[t] - 0.5);
  }
}

}  // namespace

void Draws::normals(Stream stream, std::uint64_t first, std::span<double> values) const {
  std::array<double, block> p;
  for (std::size_t start = 0; start < values.size(); start += block) {
    const std::size_t count = std::min(block, values.size() - start);
    for (std::size_t i = 0; i < count; ++i) p[i] = uniform(stream, first + start + i);
    normal_quantiles(std::span(p).first(count), values.subspan(start, count));
  }
}

void Draws::exponentials(Stream stream, std::uint64_t first, std::span<double> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = uniform(stream, first + i);
  for (double& value : values) value = -draws::log(value);
}

}  // namespace icsched
