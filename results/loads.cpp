#include "results/loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tarry {

double share(Nanos part, Nanos whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

StepTimes sum_of(const Loads& loads) {
  StepTimes all;
  for (const auto& [task, w] : loads.workers) {
    all.total += w.total;
    all.on_the_way += w.on_the_way;
    all.transferring += w.transferring;
  }
  return all;
}

std::string where_time_went(const Loads& loads) {
  const StepTimes all = sum_of(loads);
  if (all.total == 0) return "";
  const double transfers = share(all.transferring, all.total),
               latency = share(all.on_the_way - all.transferring, all.total), computing = 1 - transfers - latency;
  return fmt::format("Workers' steps, up to their pushes: {} % computing, {} % transfers, {} % latency.",
                     percent(computing), percent(transfers), percent(latency));
}

}  // namespace tarry
