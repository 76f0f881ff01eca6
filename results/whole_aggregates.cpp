#include "results/whole_aggregates.hpp"

#include <map>
#include <set>

namespace tarry {

std::vector<std::size_t> whole_aggregates(const EventLog& log) {
  std::set<NameId> all;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* pushed = std::get_if<GradientPushed>(&e.event)) all.insert(pushed->accumulator);
    if (const auto* taken = std::get_if<AggregateTaken>(&e.event)) all.insert(taken->accumulator);
  }
  std::map<StepId, std::set<NameId>> by_step;
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < log.events().size(); ++i) {
    const auto* taken = std::get_if<AggregateTaken>(&log.events()[i].event);
    if (taken == nullptr) continue;
    std::set<NameId>& of_step = by_step[taken->step];
    of_step.insert(taken->accumulator);
    if (of_step.size() < all.size()) continue;
    whole.push_back(i);
    by_step.erase(taken->step);
  }
  return whole;
}

}  // namespace tarry
