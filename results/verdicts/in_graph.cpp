#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {

Told judge_in_graph(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::in_graph) return {};
  std::vector<std::string> names;
  for (const TaskId t : e.driven) names.push_back(e.tasks.show(t));
  return {fmt::format(
      "One client runs the parts of all workers: {} made {}, each with parts on {}. A step ends when the slowest of "
      "its "
      "parts has ended: no gradient is stale or dropped, but one slow part makes every step slow, and one part that "
      "fails makes the whole step fail.",
      e.worker(0), counted(e.contributions.workers[0].steps, "step", "steps"), join(names, ", "))};
}

}  // namespace tarry
