// Random numbers that depend only on (seed, run, stream, index).
//
// Nothing is drawn in sequence, so neither the order that is simulated nor the number of
// threads changes what is drawn. src/icsched/sim/draws.py is the same generator, operation
// for operation, and names the references. Both give the same bits if the compiler leaves
// floating point alone (-ffp-contract=off, no fast math). Log, exp and the normal quantile
// are written in plain arithmetic because the standard library's differ between machines.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

namespace icsched {

enum class Stream : std::uint64_t {
  gap = 1,    // by number of the batch
  size = 2,   // by number of the batch
  time = 3,   // by task and assignment
  leave = 4,  // by task and assignment
  speed = 5,  // by number of the request
  rank = 6,   // by position
  visit = 7,  // by number of the visit
  reuse = 8,  // by task that follows in a claim
  claim = 9,  // by task for which the claim is made
  phase = 10,  // one number
};

namespace draws {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <std::size_t n>
constexpr double polynomial(const std::array<double, n>& coefficients, double x) {
  double value = coefficients[0];
  for (std::size_t i = 1; i < n; ++i) value = value * x + coefficients[i];
  return value;
}

// Coefficients of fdlibm, highest power first.
inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr std::array log_odd{1.479819860511658591e-01, 1.818357216161805012e-01,
                                    2.857142874366239149e-01, 6.666666666666735130e-01};
inline constexpr std::array log_even{1.531383769920937332e-01, 2.222219843214978396e-01,
                                     3.999999999940941908e-01};
inline constexpr std::array exp_terms{4.13813679705723846039e-08, -1.65339022054652515390e-06,
                                      6.61375632143793436117e-05, -2.77777777770155933842e-03,
                                      1.66666666666666019037e-01};

// Natural logarithm of a positive normal number.
inline double log(double x) {
  constexpr std::uint64_t near_sqrt_half = 0x3fe6a09e00000000u, one = 0x3ff0000000000000u;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (one - near_sqrt_half);
  // 2^52 + the exponent's bits as a number: this needs no conversion, which vectors lack.
  const double exponent =
      std::bit_cast<double>((shifted >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const double f =
      std::bit_cast<double>((shifted & 0x000fffffffffffffu) + near_sqrt_half) - 1.0;
  const double half_square = 0.5 * f * f;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double rest = z * polynomial(log_odd, w) + w * polynomial(log_even, w);
  return s * (half_square + rest) + exponent * ln2_low - half_square + f + exponent * ln2_high;
}

// Requires -700 <= x <= 700.
inline double exp(double x) {
  const double half = x >= 0.0 ? 0.5 : -0.5;
  const auto power = static_cast<std::int32_t>(x * 1.44269504088896338700 + half);
  const double high = x - power * ln2_high;
  const double low = power * ln2_low;
  const double rest = high - low;
  const double square = rest * rest;
  const double c = rest - square * polynomial(exp_terms, square);
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + power) << 52);
  return (1.0 + (rest * c / (2.0 - c) - low + high)) * scale;
}

// Algorithm AS 241, the shorter form: ratios of polynomials for the middle, the tails and the
// ends of the tails.
inline constexpr std::array middle_above{5.9109374720e1, 1.5929113202e2, 5.0434271938e1,
                                         3.3871327179e0};
inline constexpr std::array middle_below{6.7187563600e1, 7.8757757664e1, 1.7895169469e1, 1.0};
inline constexpr std::array tail_above{1.7023821103e-1, 1.3067284816e0, 2.7568153900e0,
                                       1.4234372777e0};
inline constexpr std::array tail_below{1.2021132975e-1, 7.3700164250e-1, 1.0};
inline constexpr std::array end_above{1.7337203997e-2, 4.2868294337e-1, 3.0812263860e0,
                                      6.6579051150e0};
inline constexpr std::array end_below{1.2258202635e-2, 2.4197894225e-1, 1.0};

// The normal quantile of q + 1/2 if |q| <= in_middle.
inline constexpr double in_middle = 0.425;
inline double middle_quantile(double q) {
  const double r = 0.180625 - q * q;
  return polynomial(middle_above, r) * q / polynomial(middle_below, r);
}

// The size of the normal quantile of p, if p or 1 - p lies between near_end and 1/2 - in_middle.
inline constexpr double near_end = 0x1p-36;  // a little more than exp(-25)
inline double tail_size(double p) {
  const double r = std::sqrt(-log(std::min(p, 1.0 - p))) - 1.6;
  return polynomial(tail_above, r) / polynomial(tail_below, r);
}

// The normal quantile of p outside the middle.
inline double tail_quantile(double p) {
  const double r = std::sqrt(-log(std::min(p, 1.0 - p)));
  const double size =
      r <= 5.0 ? tail_size(p) : polynomial(end_above, r - 5.0) / polynomial(end_below, r - 5.0);
  return p < 0.5 ? -size : size;
}

// Requires 0 < p < 1.
inline double normal_quantile(double p) {
  const double q = p - 0.5;
  return std::abs(q) <= in_middle ? middle_quantile(q) : tail_quantile(p);
}

}  // namespace draws

// The random numbers of one run.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t run) {
    using namespace draws;
    const std::uint64_t base = mix(mix(seed) + golden * (run + 1));
    for (std::uint64_t stream = 1; stream < inner_.size(); ++stream) {
      inner_[stream] = mix(base + golden * stream);
      outer_[stream] = mix(~inner_[stream]);
    }
  }

  std::uint64_t bits(Stream stream, std::uint64_t major, std::uint64_t minor = 0) const {
    const auto s = static_cast<std::size_t>(stream);
    const std::uint64_t bits = draws::mix(inner_[s] + draws::golden * major);
    if (minor == 0) return bits;  // nearly all
    return draws::mix(bits ^ (outer_[s] + draws::golden * minor));
  }

  // Strictly between 0 and 1: the middle of one of 2^52 equal intervals.
  double uniform(Stream stream, std::uint64_t major, std::uint64_t minor = 0) const {
    const std::uint64_t from_one_to_two = (bits(stream, major, minor) >> 12) | 0x3ff0000000000000u;
    return (std::bit_cast<double>(from_one_to_two) - 1.0) + 0x1p-53;
  }
  // Of mean 1.
  double exponential(Stream stream, std::uint64_t major, std::uint64_t minor = 0) const {
    return -draws::log(uniform(stream, major, minor));
  }
  // Of mean 0 and deviation 1.
  double normal(Stream stream, std::uint64_t major, std::uint64_t minor = 0) const {
    return draws::normal_quantile(uniform(stream, major, minor));
  }
  // Fill values[i] with normal or exponential(stream, first + i), faster than one by one.
  void normals(Stream stream, std::uint64_t first, std::span<double> values) const;
  void exponentials(Stream stream, std::uint64_t first, std::span<double> values) const;

  // Of mean 1 and this deviation, drawn again until positive. Requires minor < 2^32.
  double positive_normal(double spread, Stream stream, std::uint64_t major,
                         std::uint64_t minor = 0) const {
    double value = 1.0 + spread * normal(stream, major, minor);
    while (value <= 0.0) {
      minor += std::uint64_t{1} << 32;
      value = 1.0 + spread * normal(stream, major, minor);
    }
    return value;
  }
  // Of mean 1; `sigma` is the deviation of its logarithm.
  double lognormal(double sigma, Stream stream, std::uint64_t major,
                   std::uint64_t minor = 0) const {
    return draws::exp(sigma * normal(stream, major, minor) - 0.5 * sigma * sigma);
  }

  // Fills `order` with a random order of 0 .. order.size() - 1.
  void permute(std::span<std::int32_t> order) const {
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t last = order.size(); last-- > 1;) {
      std::swap(order[last], order[scaled(bits(Stream::rank, last), last + 1)]);
    }
  }

 private:
  // The upper half of the product: a number below `limit`. Requires limit < 2^32.
  static std::uint64_t scaled(std::uint64_t bits, std::uint64_t limit) {
    const std::uint64_t low = (bits & 0xffffffffu) * limit;
    return ((bits >> 32) * limit + (low >> 32)) >> 32;
  }

  std::array<std::uint64_t, 11> inner_{}, outer_{};  // by stream
};

}  // namespace icsched
