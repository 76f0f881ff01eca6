#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {

Told judge_in_graph(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::in_graph) return {};
  std::vector<std::string> names;
  for (const TaskId t : e.driven) names.push_back(e.tasks.show(t));
  return {fmt::format(
      "One client for all: {} made {}, parts of which ran on {}. A step ends when all its parts have: a barrier "
      "in which nothing is stale or dropped, as slow as the slowest part, and which fails as a whole when one fails.",
      e.worker(0), counted(e.contributions.workers[0].steps, "step", "steps"), join(names, ", "))};
}

}  // namespace tarry
