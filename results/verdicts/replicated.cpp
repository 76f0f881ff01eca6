#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"

namespace tarry {
namespace {

// Tokens of a lost worker's last step stay in the queues.
const char* what_holds(const Evidence& e) {
  if (e.losses.processes.empty())
    return " No gradient is stale or dropped, and nobody is faster than the slowest worker.";
  if (std::ranges::none_of(e.losses.processes, [&](const Loss& l) { return e.is_worker(l.task); })) return "";
  return " A worker was lost: the tokens that it put into the queues stay there, and those that it did not put are "
         "lacking, so from then on workers may be a step apart.";
}

}  // namespace

Told judge_replicated(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::replicated) return {};
  const auto& workers = e.contributions.workers;
  const auto [fewest, most] = std::ranges::minmax(workers, {}, &WorkerStory::steps);
  if (most.steps == 0) return {};
  const std::string steps = fewest.steps == most.steps ? counted(most.steps, "step", "steps") + " each"
                                                       : fmt::format("{} to {} steps", fewest.steps, most.steps);
  return {
      fmt::format("Replicated variables: {} workers made {}. Each GPU reads copies of the variables, which are set to "
                  "the servers' values when all workers have updated these.{}",
                  workers.size(), steps, what_holds(e))};
}

}  // namespace tarry
