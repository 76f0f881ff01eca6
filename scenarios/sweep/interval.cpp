#include "scenarios/sweep/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace tarry {
namespace {

constexpr double kNoWidth = 1e-9;  // of the mean: what summing in floating point leaves

double without_rounding(double half, double mean) { return half > kNoWidth * std::abs(mean) ? half : 0; }

}  // namespace

Interval mean_interval(std::span<const double> numbers, double confidence) {
  const auto n = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / n;
  if (numbers.size() < 2) return {mean, std::numeric_limits<double>::infinity(), numbers.size()};
  double squares = 0;
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), (1 + confidence) / 2);
  return {mean, without_rounding(t * std::sqrt(squares / (n - 1) / n), mean), numbers.size()};
}

std::optional<Interval> relative_change(std::span<const double> base, std::span<const double> other,
                                        double confidence) {
  const Interval a = mean_interval(base, confidence);
  if (a.mean == 0 || (std::isfinite(a.half) && std::abs(a.mean) <= a.half)) return std::nullopt;
  const double ratio = mean_interval(other, confidence).mean / a.mean;
  std::vector<double> left(other.begin(), other.end());  // what the ratio does not explain; its mean is 0
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= ratio * base[i];
  const double half = mean_interval(left, confidence).half / std::abs(a.mean);
  return Interval{std::copysign(1, a.mean) * (ratio - 1), without_rounding(half, std::max(1.0, std::abs(ratio))), a.n};
}

bool has_width(const Interval& i) { return std::isfinite(i.half) && i.half > 0; }

std::string with_half_width(const Interval& i) {
  if (!std::isfinite(i.half)) return fmt::format("{:.4g}", i.mean);
  if (!has_width(i)) return fmt::format("{:.6g}", i.mean);
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(i.half))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", i.mean, digits, i.half, digits);
}

}  // namespace tarry
