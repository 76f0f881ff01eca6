// Laws that random amounts follow: times in nanoseconds, or factors in millionths.
//
// Integers only: the same seed draws the same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "placer/core/random.hpp"
#include "workers/events.hpp"

namespace tarry {

inline constexpr std::int64_t kOneShape = 1'000'000;  // shapes and factors are in millionths

// Distributions of a time in nanoseconds. Mean and sd are those of the time itself (for lognormal, too); a draw below 0
// counts as 0.
struct Constant {
  Nanos time = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
struct Normal {
  Nanos mean = 0, sd = 0;
  friend bool operator==(const Normal&, const Normal&) = default;
};
struct Lognormal {
  Nanos mean = 0, sd = 0;
  friend bool operator==(const Lognormal&, const Lognormal&) = default;
};
struct Exponential {
  Nanos mean = 0;
  friend bool operator==(const Exponential&, const Exponential&) = default;
};
struct Uniform {  // both ends included
  Nanos low = 0, high = 0;
  friend bool operator==(const Uniform&, const Uniform&) = default;
};
// At least `least`; more than k times that with probability k^-shape, and at the most 2^31 times. Shapes are in
// millionths.
struct Pareto {
  Nanos least = 0;
  std::int64_t shape = kOneShape;
  friend bool operator==(const Pareto&, const Pareto&) = default;
};
// More than k times `scale` with probability exp(-k^shape).
struct Weibull {
  Nanos scale = 0;
  std::int64_t shape = kOneShape;
  friend bool operator==(const Weibull&, const Weibull&) = default;
};
// A sum of `shape` exponential times, where that is a whole number: the larger the shape, the nearer to its mean.
struct Gamma {
  Nanos mean = 0;
  std::int64_t shape = kOneShape;
  friend bool operator==(const Gamma&, const Gamma&) = default;
};
// A law by measured percentiles: so many per cent of all draws take at most so long. Between two of them the share that
// takes longer falls as that of a Pareto law does: a straight line where both are drawn as logarithms. No draw is below
// the first or above the last.
struct Percentiles {
  struct Point {
    std::int64_t share = 0;  // in millionths of a per cent
    Nanos value = 0;
    std::int64_t depth = 0;  // -ln(1 - share), in units of 2^-32
    std::int64_t rise = 0;   // ln(the next value / this one), in units of 2^-32; of the last 0
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> points;
  // REQUIRES: at least two; shares begin with 0, grow, and are below 100 per cent; values are above 0 and do not fall.
  [[nodiscard]] static Percentiles of(const std::vector<std::pair<std::int64_t, Nanos>>& measured);
  friend bool operator==(const Percentiles&, const Percentiles&) = default;
};
inline constexpr std::int64_t kAllShares = 100 * kOneShape;
struct Listed {  // not empty
  std::vector<Nanos> times;
  friend bool operator==(const Listed&, const Listed&) = default;
};
using Amount =
    std::variant<Constant, Normal, Lognormal, Exponential, Uniform, Listed, Pareto, Weibull, Gamma, Percentiles>;

// A factor that is 1 for some time, and `factor` for some time. Factors and probabilities are in millionths.
struct Switching {
  std::int64_t factor = 0;
  std::int64_t begins = 0, ends = 0;  // the probability, after each draw, that the other kind of draws begins
  friend bool operator==(const Switching&, const Switching&) = default;
};
using FactorLaw = std::variant<Amount, Switching>;  // an amount is a factor here

// The factor of the draw with this number, which follows the one before it; `is_other` says which kind that one was,
// and then which kind this one is. Before the first draw, each kind is as likely as in the long run. REQUIRES: begins +
// ends > 0.
[[nodiscard]] std::int64_t next_factor(const Switching& law, std::uint64_t number, const Random& random,
                                       bool& is_other);

// REQUIRES: low <= high, times not empty, nothing negative, shapes above 0. `execution` is the index into a list,
// modulo its size.
[[nodiscard]] Nanos draw(const Amount& amount, std::uint64_t execution, Random& random);
// The mean of its draws, to the nanosecond: of a normal law that of what is drawn with 0 in place of less.
[[nodiscard]] Nanos mean_of(const Amount& amount);
// What this share of its draws, in millionths of a per cent, takes at most.
[[nodiscard]] Nanos percentile(const Percentiles& law, std::int64_t share);
// Whether its draws differ from each other by chance.
[[nodiscard]] bool is_random(const Amount& amount);
// `time` times `factor`, which is in millionths.
[[nodiscard]] Nanos times_millionths(Nanos time, std::int64_t factor);

}  // namespace tarry
