#include "scenarios/sweep/interval.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace tarry {

Interval mean_interval(std::span<const double> numbers, double confidence) {
  const auto n = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / n;
  if (numbers.size() < 2) return {mean, std::numeric_limits<double>::infinity(), numbers.size()};
  double squares = 0;
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), (1 + confidence) / 2);
  return {mean, t * std::sqrt(squares / (n - 1) / n), numbers.size()};
}

}  // namespace tarry
