// Means with intervals, by Student's t.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tarry {

// The mean, and the half-width of its interval.
struct Interval {
  double mean = 0;
  double half = 0;  // infinite for fewer than two numbers
  std::size_t n = 0;
};

// Of independent numbers. For differences of pairs, give the differences. REQUIRES: 0 < confidence < 1, numbers not
// empty.
[[nodiscard]] Interval mean_interval(std::span<const double> numbers, double confidence);

// "12.5 ± 0.3": as many digits as the interval leaves.
[[nodiscard]] std::string with_half_width(const Interval& i);

}  // namespace tarry
