#include "sim/fit_rates.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tarry {
namespace {

using Group = std::vector<TimedKernel>;
using Groups = std::map<std::string, Group>;  // by op; each in an order of its own

constexpr double kWhole = 1e6;  // millionths

Groups by_op(std::span<const TimedKernel> kernels) {
  Groups groups;
  for (const TimedKernel& k : kernels) groups[k.op].push_back(k);
  for (auto& [op, group] : groups)
    std::ranges::sort(group, {}, [](const TimedKernel& k) { return std::pair(k.at_peak, k.measured); });
  return groups;
}

// The sum of the squares of an op's relative errors with this launch and its best factor, which is at least 1.
double squares(const Group& group, double launch) {
  double slopes = 0, products = 0;
  for (const TimedKernel& k : group) {
    const double t = static_cast<double>(k.measured), x = static_cast<double>(k.at_peak) / t;
    slopes += x * x;
    products += x * (1 - launch / t);
  }
  const double factor = std::max(1.0, products / slopes);
  double sum = 0;
  for (const TimedKernel& k : group) {
    const double t = static_cast<double>(k.measured);
    const double off = (launch + factor * static_cast<double>(k.at_peak)) / t - 1;
    sum += off * off;
  }
  return sum;
}

double squares(const Groups& groups, Nanos launch) {
  double sum = 0;
  for (const auto& [op, group] : groups) sum += squares(group, static_cast<double>(launch));
  return sum;
}

// The first in [low, high] of which `is` holds, as of all after it; high where there is none before.
template <class Is>
Nanos first_that(Nanos low, Nanos high, Is is) {
  while (low < high) {
    const Nanos middle = low + (high - low) / 2;
    if (is(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

struct Launches {
  Nanos least = 0, most = 0;  // any between them fits as well
};

// The sum is convex in the launch: of two neighbours the lower one lies on the side of the least. Where an op's kernels
// are all alike, an efficiency makes up for any launch, and only rounding tells them apart.
Launches best_launches(const Groups& groups) {
  constexpr double kRounding = 1e-15, kExact = 1e-6;  // of the sum; of one without errors, so much
  Nanos high = 0;
  for (const auto& [op, group] : groups)
    for (const TimedKernel& k : group) high = std::max(high, k.measured);
  const Nanos best = first_that(0, high, [&](Nanos l) { return squares(groups, l) <= squares(groups, l + 1); });
  const double least = squares(groups, best) + kRounding * (squares(groups, best) + kExact);
  return {first_that(0, best, [&](Nanos l) { return squares(groups, l) <= least; }),
          first_that(best, high, [&](Nanos l) { return squares(groups, l + 1) > least; })};
}

// The efficiency with which the op's kernels together take what was measured.
void fit_total(OpFit& fit, const Group& group, Nanos launch) {
  double at_peak = 0;
  for (const TimedKernel& k : group) {
    at_peak += static_cast<double>(k.at_peak);
    fit.measured += k.measured;
  }
  const double beyond_launch = static_cast<double>(fit.measured - launch * static_cast<Nanos>(group.size()));
  fit.beyond_peak = beyond_launch < at_peak;
  if (!fit.beyond_peak) fit.efficiency = std::max<std::int64_t>(1, std::llround(kWhole * at_peak / beyond_launch));
}

Nanos fitted_time(const TimedKernel& k, const OpFit& fit, Nanos launch) {
  return launch +
         std::llround(std::ceil(static_cast<double>(k.at_peak) * kWhole / static_cast<double>(fit.efficiency)));
}

OpFit fit_op(const std::string& op, const Group& group, Nanos launch) {
  OpFit fit{.op = op, .kernels = group.size()};
  fit_total(fit, group, launch);
  for (const TimedKernel& k : group) {
    const Nanos time = fitted_time(k, fit, launch);
    fit.fitted += time;
    fit.spread += std::abs(static_cast<double>(time - k.measured)) / static_cast<double>(k.measured);
  }
  fit.spread /= static_cast<double>(group.size());
  return fit;
}

}  // namespace

RatesFit fit_rates(std::span<const TimedKernel> kernels) {
  const Groups groups = by_op(kernels);
  const Launches launches = best_launches(groups);
  RatesFit fit{launches.most, launches.least, {}};
  for (const auto& [op, group] : groups) fit.ops.push_back(fit_op(op, group, fit.launch));
  std::ranges::stable_sort(fit.ops, std::greater{}, &OpFit::measured);
  return fit;
}

}  // namespace tarry
