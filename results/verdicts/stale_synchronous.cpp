#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

// Of many workers those with the fewest and the most.
std::string steps_of_all(const Evidence& e) {
  constexpr std::size_t kMostNamed = 8;
  const auto did = [&](const WorkerStory& w) {
    return fmt::format("{} did {}", e.tasks.show(w.task), counted(w.steps, "step", "steps"));
  };
  const auto& workers = e.contributions.workers;
  const auto [fewest, most] = std::ranges::minmax_element(workers, {}, &WorkerStory::steps);
  if (workers.size() > kMostNamed && fewest->steps == most->steps)
    return fmt::format("Each of the {} workers did {}", workers.size(), counted(most->steps, "step", "steps"));
  if (workers.size() > kMostNamed)
    return fmt::format("Of {} workers, {}, fewest of all, and {}, most of all", workers.size(), did(*fewest),
                       did(*most));
  std::vector<std::string> parts;
  for (const WorkerStory& w : workers) parts.push_back(did(w));
  return join(parts, ", ");
}

// Why somebody was farther ahead than is allowed.
std::string filled_again(const StaleStory& s) {
  if (s.farthest <= s.bound || s.fills < 2) return "";
  return fmt::format(", and the chief put initial tokens in {} times, once in each of its sessions", s.fills);
}

}  // namespace

Told judge_stale_synchronous(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::stale_synchronous) return {};
  const StaleStory& stale = *e.stale;
  return {
      fmt::format("Training is stale-synchronous: nobody began a step more than {} ahead of the slowest; {} allowed{}. "
                  "{}. The workers waited {:.3f} s for tokens in all.",
                  stale.farthest, stale.bound == 1 ? "1 is" : fmt::format("{} are", stale.bound), filled_again(stale),
                  steps_of_all(e), in_seconds(stale.waited))};
}

}  // namespace tarry
