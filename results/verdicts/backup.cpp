#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_backup(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"absent"})) return {};
  const AccumulatorStory& a = e.first_accumulator();
  const std::int64_t workers = std::ssize(e.contributions.workers), pushed = sum(a.pushed), dropped = sum(a.dropped);
  if (a.required >= workers || a.aggregates.empty()) return {};
  const double percent = pushed == 0 ? 0.0 : 100.0 * static_cast<double>(dropped) / static_cast<double>(pushed);
  return {fmt::format(
      "There are {} workers, and an aggregate needs {}: each aggregate leaves {} over, which is dropped as stale "
      "when it arrives. {} of {} gradients ({:.0f} %) were computed for nothing; that is the price of not "
      "waiting for the slowest.",
      workers, counted(a.required, "gradient", "gradients"), workers - a.required, dropped, pushed, percent)};
}

}  // namespace tarry
