#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {

Told judge_asynchronous(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::asynchronous) return {};
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    parts.push_back(fmt::format("{}: {} ({:.1f})", e.worker(w), e.contributions.workers[w].steps,
                                updates_by_others(e.contributions, w)));
  return {
      fmt::format("Asynchronous training: no barrier, every worker at its own pace. Steps by {}; in brackets the "
                  "updates by others between two of its own, which is how stale its gradients are.",
                  join(parts, ", "))};
}

}  // namespace tarry
