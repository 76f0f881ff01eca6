#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {

Told judge_stale_synchronous(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::stale_synchronous) return {};
  const StaleStory& stale = *e.stale;
  std::vector<std::string> parts;
  for (const WorkerStory& w : e.contributions.workers)
    parts.push_back(fmt::format("{} did {}", e.tasks.show(w.task), counted(w.steps, "step", "steps")));
  return {
      fmt::format("Training is stale-synchronous: nobody began a step more than {} ahead of the slowest; {} allowed. "
                  "{}. The workers waited {:.3f} s for tokens in all.",
                  stale.farthest, stale.bound == 1 ? "1 is" : fmt::format("{} are", stale.bound), join(parts, ", "),
                  in_seconds(stale.waited))};
}

}  // namespace tarry
