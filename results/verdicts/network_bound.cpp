#include <fmt/format.h>

#include "results/loads.hpp"
#include "results/verdict.hpp"

namespace tarry {

// The workers' steps are spent, for at least a half, with a transfer under way.
Told judge_network_bound(const Evidence& e, std::span<const Verdict>) {
  if (e.training == Training::none) return {};
  const StepTimes all = sum_of(read_loads(e.log));
  if (share(all.transferring, all.total) < 0.5) return {};
  return {
      fmt::format("{} % of the workers' step time a transfer is under way that takes longer than the path's latency: "
                  "bandwidth, not computing, sets the pace ({} % is computing or waiting for others' messages). To do: "
                  "more or better spread parameter servers, faster cards, larger batches, or fewer bytes a step.",
                  percent(share(all.transferring, all.total)), percent(share(all.total - all.on_the_way, all.total)))};
}

}  // namespace tarry
