#include "sim/laws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tarry {
namespace {

using i128 = __int128;

constexpr std::int64_t kOneQ32 = std::int64_t{1} << 32;

Nanos clamp(i128 time) { return static_cast<Nanos>(std::clamp<i128>(time, 0, std::int64_t{1} << 62)); }

std::int64_t square_root(unsigned __int128 v) {
  unsigned __int128 low = 0, high = static_cast<unsigned __int128>(1) << 64;
  while (high - low > 1) {
    const unsigned __int128 mid = (low + high) / 2;
    (mid * mid <= v ? low : high) = mid;
  }
  return static_cast<std::int64_t>(low);
}

// ln(1 + (sd / mean)^2), the variance of the logarithm, in units of 2^-32.
std::int64_t log_variance_q32(Nanos mean, Nanos sd) {
  const int shift = std::max(0, 33 - std::countl_zero(static_cast<std::uint64_t>(mean | sd)));  // both below 2^31
  const auto m = static_cast<std::uint64_t>(mean >> shift), s = static_cast<std::uint64_t>(sd >> shift);
  const auto x = (static_cast<unsigned __int128>(m * m) << 63) / (m * m + s * s);
  return minus_ln_q32(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(x)));
}

constexpr std::int64_t kLn2Q32 = 2977044472;  // 2^32 * ln 2
constexpr std::int64_t kLn64Q32 = 6 * kLn2Q32;

// time * exp(x / shape), x in units of 2^-32.
Nanos times_exp(Nanos time, i128 x, std::int64_t shape) {
  return clamp(i128{time} * exp_q32(static_cast<std::int64_t>(x * kOneShape / shape)) / kOneQ32);
}

constexpr std::int64_t kLn8Q32 = 3 * kLn2Q32;

i128 q32(std::int64_t millionths) { return (i128{millionths} << 32) / kOneShape; }

// ln(x) for x from 0 to 8, in units of 2^-32.
i128 ln_q32(i128 x) { return i128{kLn8Q32} - minus_ln_q32(static_cast<std::uint64_t>(x << 28)); }

// A gamma draw of mean `shape` in units of 2^-32, for shapes from 1: from normal and uniform draws, by rejection
// (Marsaglia and Tsang).
i128 gamma_above_one_q32(Random& random, i128 shape) {
  const i128 d = shape - kOneQ32 / 3;
  const i128 c = (i128{1} << 64) / (3 * square_root(static_cast<unsigned __int128>(d) << 32));
  for (;;) {
    const i128 x = draw_normal_q32(random), t = kOneQ32 + (c * x >> 32);
    const i128 minus_ln_u = draw_exponential_q32(random);
    if (t <= 0 || t >= 8 * i128{kOneQ32}) continue;
    const i128 v = (t * t >> 32) * t >> 32;
    if (-minus_ln_u < (x * x >> 33) + d - (d * v >> 32) + (d * 3 * ln_q32(t) >> 32)) return d * v >> 32;
  }
}

// Of a shape in millionths. One below 1 is drawn from the next larger shape.
i128 unit_gamma_q32(Random& random, std::int64_t shape) {
  if (shape >= kOneShape) return gamma_above_one_q32(random, q32(shape));
  const i128 above = gamma_above_one_q32(random, q32(shape + kOneShape));
  const i128 exponent = i128{draw_exponential_q32(random)} * kOneShape / shape;  // at the most 640
  return above * exp_q32(static_cast<std::int64_t>(-exponent)) >> 32;
}

constexpr int kMostDoublings = 30;  // that exp_q32 has room for

// -ln(part / whole), in units of 2^-32. A part that is smaller than 2^-30 is doubled first, so that its ratio has
// digits.
std::int64_t minus_ln_of(std::int64_t part, std::int64_t whole) {
  int doublings = 0;
  for (; part < whole >> kMostDoublings; part *= 2) ++doublings;
  const auto ratio = (static_cast<unsigned __int128>(part) << 63) / static_cast<unsigned __int128>(whole);
  return doublings * kLn2Q32 + minus_ln_q32(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ratio)));
}

// The value that is exceeded with probability exp(-depth).
Nanos value_at(const Percentiles& law, std::int64_t depth) {
  if (depth >= law.points.back().depth) return law.points.back().value;
  std::size_t i = law.points.size() - 2;
  while (i > 0 && depth < law.points[i].depth) --i;
  const Percentiles::Point &from = law.points[i], &to = law.points[i + 1];
  i128 rise = i128{from.rise} * (depth - from.depth) / (to.depth - from.depth);
  Nanos begin = from.value;
  for (; rise >= i128{kMostDoublings} * kLn2Q32; rise -= kLn2Q32) begin *= 2;
  return std::min(times_exp(begin, rise, kOneShape), to.value);
}

struct Draw {
  std::uint64_t execution;
  Random& random;
  Nanos operator()(const Constant& c) const { return c.time; }
  Nanos operator()(const Normal& n) const { return clamp(n.mean + (i128{n.sd} * draw_normal_q32(random) >> 32)); }
  Nanos operator()(const Lognormal& l) const {
    if (l.mean == 0) return 0;
    const std::int64_t variance = log_variance_q32(l.mean, l.sd);
    const std::int64_t sd = square_root(static_cast<unsigned __int128>(variance) << 32);
    const i128 exponent = (i128{sd} * draw_normal_q32(random) >> 32) - variance / 2;
    return clamp(i128{l.mean} * exp_q32(static_cast<std::int64_t>(exponent)) / kOneQ32);
  }
  Nanos operator()(const Exponential& e) const { return clamp(i128{e.mean} * draw_exponential_q32(random) >> 32); }
  Nanos operator()(const Uniform& u) const {
    return u.low + static_cast<Nanos>(random.below(static_cast<std::uint64_t>(u.high - u.low) + 1));
  }
  Nanos operator()(const Pareto& p) const { return times_exp(p.least, i128{draw_exponential_q32(random)}, p.shape); }
  Nanos operator()(const Weibull& w) const {
    const auto x = static_cast<std::uint64_t>(draw_exponential_q32(random));  // below 64
    return x == 0 ? 0 : times_exp(w.scale, i128{kLn64Q32} - minus_ln_q32(x << 25), w.shape);
  }
  Nanos operator()(const Gamma& g) const {
    return clamp(i128{g.mean} * unit_gamma_q32(random, g.shape) / q32(g.shape));
  }
  Nanos operator()(const Percentiles& p) const { return value_at(p, draw_exponential_q32(random)); }
  Nanos operator()(const Listed& l) const { return l.times[execution % l.times.size()]; }
};

// In floating point: nothing in a run is drawn by it.
struct Mean {
  static double shape(std::int64_t millionths) { return static_cast<double>(millionths) / kOneShape; }

  double operator()(const Constant& c) const { return static_cast<double>(c.time); }
  double operator()(const Normal& n) const {
    const auto mean = static_cast<double>(n.mean), sd = static_cast<double>(n.sd);
    if (n.sd == 0) return mean;
    const double z = mean / sd;
    return mean * std::erfc(-z / std::numbers::sqrt2) / 2 +
           sd * std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  }
  double operator()(const Lognormal& l) const { return static_cast<double>(l.mean); }
  double operator()(const Exponential& e) const { return static_cast<double>(e.mean); }
  double operator()(const Uniform& u) const { return (static_cast<double>(u.low) + static_cast<double>(u.high)) / 2; }
  // No draw is more than 2^31 times the least.
  double operator()(const Pareto& p) const {
    constexpr double kLnMost = 31 * std::numbers::ln2;
    const double above_one = shape(p.shape) - 1, least = static_cast<double>(p.least);
    const double beyond = above_one == 0 ? kLnMost : -std::expm1(-above_one * kLnMost) / above_one;
    return least * (1 + beyond);
  }
  double operator()(const Weibull& w) const {
    return static_cast<double>(w.scale) * std::tgamma(1 + 1 / shape(w.shape));
  }
  double operator()(const Gamma& g) const { return static_cast<double>(g.mean); }
  // The least, and what each point adds to it with the next: the growth, each part of it by how likely it is passed.
  double operator()(const Percentiles& p) const {
    auto sum = static_cast<double>(p.points[0].value);
    for (std::size_t i = 0; i + 1 < p.points.size(); ++i) sum += growth_from(p.points[i], p.points[i + 1]);
    return sum;
  }
  static double growth_from(const Percentiles::Point& from, const Percentiles::Point& to) {
    constexpr double kQ32 = kOneQ32;
    if (from.rise == 0) return 0;
    const double begin = static_cast<double>(from.depth) / kQ32, width = static_cast<double>(to.depth) / kQ32 - begin;
    const double steepness = static_cast<double>(from.rise) / kQ32 / width, above_one = steepness - 1;
    const double grown = above_one == 0 ? width : std::expm1(above_one * width) / above_one;
    return static_cast<double>(from.value) * steepness * std::exp(-begin) * grown;
  }
  double operator()(const Listed& l) const {
    double sum = 0;
    for (const Nanos t : l.times) sum += static_cast<double>(t);
    return sum / static_cast<double>(l.times.size());
  }
};

}  // namespace

Nanos mean_of(const Amount& amount) {
  constexpr double kMost = 4e18;
  return static_cast<Nanos>(std::llround(std::min(std::visit(Mean(), amount), kMost)));
}

bool is_random(const Amount& amount) {
  return !std::holds_alternative<Constant>(amount) && !std::holds_alternative<Listed>(amount);
}

Nanos draw(const Amount& amount, std::uint64_t execution, Random& random) {
  return std::visit(Draw{execution, random}, amount);
}

Percentiles Percentiles::of(const std::vector<std::pair<std::int64_t, Nanos>>& measured) {
  Percentiles law;
  for (const auto& [share, value] : measured)
    law.points.push_back({share, value, minus_ln_of(kAllShares - share, kAllShares), 0});
  for (std::size_t i = 0; i + 1 < law.points.size(); ++i)
    law.points[i].rise = minus_ln_of(law.points[i].value, law.points[i + 1].value);
  return law;
}

Nanos percentile(const Percentiles& law, std::int64_t share) {
  return value_at(law, minus_ln_of(kAllShares - share, kAllShares));
}

Nanos times_millionths(Nanos time, std::int64_t factor) { return clamp(i128{time} * factor / kOneShape); }

std::int64_t next_factor(const Switching& law, std::uint64_t number, const Random& random, bool& is_other) {
  auto happens = [draw = random](std::int64_t probability, std::int64_t of = kOneShape) mutable {
    return draw.chance(static_cast<std::uint64_t>(probability), static_cast<std::uint64_t>(of));
  };
  if (number == 0)
    is_other = law.begins > 0 && happens(law.begins, law.begins + law.ends);
  else if (happens(is_other ? law.ends : law.begins))
    is_other = !is_other;
  return is_other ? law.factor : kOneShape;
}

}  // namespace tarry
