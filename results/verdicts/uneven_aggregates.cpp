#include "results/verdicts/uneven_aggregates.hpp"

#include <utility>

namespace tarry {

std::vector<const Aggregate*> uneven_aggregates(const Evidence& e, const AccumulatorStory& a) {
  const bool has_backup = std::cmp_less(a.required, e.contributions.workers.size());
  std::vector<const Aggregate*> out;
  for (const Aggregate& g : a.aggregates)
    if (has_backup ? g.is_lone() : g.lacks_a_worker()) out.push_back(&g);
  return has_backup && out.size() < 2 ? std::vector<const Aggregate*>() : out;
}

double share_uneven(const Evidence& e) {
  const AccumulatorStory& a = e.first_accumulator();
  return a.aggregates.empty()
             ? 0
             : static_cast<double>(uneven_aggregates(e, a).size()) / static_cast<double>(a.aggregates.size());
}

}  // namespace tarry
