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

Nanos time_between(const std::vector<TaskId>& tasks, const EventLog& log) {
  std::vector<std::pair<Nanos, Nanos>> under_way;
  const auto is_one = [&](TaskId t) { return std::ranges::count(tasks, t) > 0; };
  for (const LoggedEvent& e : log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event);
        m != nullptr && m->from != m->to && is_one(m->from) && is_one(m->to))
      under_way.emplace_back(std::max(m->sent, log.started_at), e.at);
  std::ranges::sort(under_way);
  Nanos time = 0, until = log.started_at;
  for (const auto& [from, to] : under_way) {
    time += std::max<Nanos>(0, to - std::max(from, until));
    until = std::max(until, to);
  }
  return time;
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
