// Means with intervals, by Student's t.
#pragma once

#include <cstddef>
#include <optional>
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

// How far the mean of `other` is from the mean of `base`, as a share of it; the numbers are pairs, such as of one seed.
// The half-width is by the delta method: with r = the ratio of the means, it is that of the mean of other - r base,
// over the mean of base. So both means are uncertain, and what the pairs share counts once.
// Nothing where the interval of base's mean contains 0; of one pair, where it is 0. REQUIRES: as above, equally many.
[[nodiscard]] std::optional<Interval> relative_change(std::span<const double> base, std::span<const double> other,
                                                      double confidence);

// "12.5 ± 0.3": as many digits as the interval leaves.
[[nodiscard]] std::string with_half_width(const Interval& i);
// Whether numbers differ: one alone, or several that are all the same, have no interval to tell of.
[[nodiscard]] bool has_width(const Interval& i);

}  // namespace tarry
