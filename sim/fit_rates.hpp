// What a device's kernels reach of its peaks, and its launch, from measured times: the opposite of a roofline.
//
// The model is that of costs.hpp: a kernel takes launch + (its time at the peaks) / (the efficiency of its op). First
// the launch is found, in whole nanoseconds: with it, and the best efficiency of each op, the squares of all relative
// errors have the least sum. So small kernels decide it, and a few slow outliers do not. Then each op gets the
// efficiency with which its kernels together take the time that was measured. No efficiency is above 1: an op that was
// faster is said to be beyond the peaks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workers/events.hpp"

namespace tarry {

struct TimedKernel {
  std::string op;
  Nanos at_peak = 0;   // what its work takes at the device's peaks, without a launch; at least 1
  Nanos measured = 0;  // at least 1
};

struct OpFit {
  std::string op;
  std::size_t kernels = 0;
  std::int64_t efficiency = 1'000'000;  // millionths, from 1 to 1'000'000
  bool beyond_peak = false;             // its kernels together took less than the peaks and the launch allow
  Nanos measured = 0, fitted = 0;       // of its kernels together
  double spread = 0;                    // the mean of |fitted - measured| / measured over its kernels

  [[nodiscard]] double error() const { return static_cast<double>(fitted - measured) / static_cast<double>(measured); }
};

struct RatesFit {
  Nanos launch = 0;        // the longest that fits best
  Nanos least_launch = 0;  // the shortest that fits as well: less than that one where ops' kernels are all alike
  std::vector<OpFit> ops;  // the most measured time first, then by name
};

// An empty list of kernels has an empty fit. The order of the kernels makes no difference.
[[nodiscard]] RatesFit fit_rates(std::span<const TimedKernel> kernels);

}  // namespace tarry
