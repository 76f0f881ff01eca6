#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

constexpr std::size_t kMostNamed = 8;

// "260 steps (6.4)".
std::string steps_of(const Evidence& e, std::size_t w) {
  return fmt::format("{} ({:.1f})", counted(e.contributions.workers[w].steps, "step", "steps"),
                     updates_by_others(e.contributions, w));
}
std::string told_of(const Evidence& e, std::size_t w) { return fmt::format("{} made {}", e.worker(w), steps_of(e, w)); }

// Of many workers those with the fewest and the most.
std::string steps_of_all(const Evidence& e) {
  const auto& workers = e.contributions.workers;
  const auto [fewest, most] = std::ranges::minmax_element(workers, {}, &WorkerStory::steps);
  if (workers.size() > kMostNamed && fewest->steps == most->steps)
    return fmt::format("each of the {} workers made {}", workers.size(), steps_of(e, 0));
  if (workers.size() > kMostNamed)
    return fmt::format("of {} workers, {}, fewest of all, and {}, most of all", workers.size(),
                       told_of(e, static_cast<std::size_t>(fewest - workers.begin())),
                       told_of(e, static_cast<std::size_t>(most - workers.begin())));
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < workers.size(); ++w) parts.push_back(told_of(e, w));
  return join(parts, ", ");
}

}  // namespace

Told judge_asynchronous(const Evidence& e, std::span<const Verdict>) {
  const auto& workers = e.contributions.workers;
  if (e.training != Training::asynchronous) return {};
  if (std::ranges::all_of(workers, [](const WorkerStory& w) { return w.steps == 0; })) return {};  // nobody can know
  return {fmt::format(
      "Training is asynchronous: there is no barrier, and every worker goes at its own pace: {}; in brackets "
      "are the updates by others between two of its own, which is how stale its gradients are.",
      steps_of_all(e))};
}

}  // namespace tarry
