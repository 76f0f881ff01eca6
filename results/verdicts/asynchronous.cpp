#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {

Told judge_asynchronous(const Evidence& e, std::span<const Verdict>) {
  const auto& workers = e.contributions.workers;
  if (e.training != Training::asynchronous) return {};
  if (std::ranges::all_of(workers, [](const WorkerStory& w) { return w.steps == 0; })) return {};  // nobody can know
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < workers.size(); ++w)
    parts.push_back(
        fmt::format("{}: {} ({:.1f})", e.worker(w), workers[w].steps, updates_by_others(e.contributions, w)));
  return {
      fmt::format("Asynchronous training: no barrier, every worker at its own pace. Steps by {}; in brackets the "
                  "updates by others between two of its own, which is how stale its gradients are.",
                  join(parts, ", "))};
}

}  // namespace tarry
