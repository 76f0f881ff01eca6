#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"

namespace tarry {

Told judge_replicated(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::replicated) return {};
  const auto& workers = e.contributions.workers;
  const auto [fewest, most] = std::ranges::minmax(workers, {}, &WorkerStory::steps);
  const std::string steps =
      fewest.steps == most.steps ? fmt::format("{}", most.steps) : fmt::format("{} to {}", fewest.steps, most.steps);
  return {
      fmt::format("Replicated variables: {} workers made {} steps each. GPUs read copies of a variable, which follow "
                  "when all workers have updated it: no gradient is stale or dropped, and nobody is faster than the "
                  "slowest worker.",
                  workers.size(), steps)};
}

}  // namespace tarry
