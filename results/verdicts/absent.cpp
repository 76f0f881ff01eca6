#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_absent(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck"}) || !e.losses.processes.empty()) return {};
  const std::int64_t running = std::ssize(e.contributions.workers), missing = e.contributions.planned_workers - running;
  if (missing <= 0) return {};
  return {
      fmt::format("The graph is for {} workers, {} never began a step. Nothing waits for a worker that is missing: the "
                  "others use its tokens ({} of their gradients were dropped) and training goes on without its data. "
                  "To do: start it, or build the graph for {} workers.",
                  e.contributions.planned_workers, missing == 1 ? "one" : fmt::format("{}", missing),
                  sum(e.first_accumulator().dropped), running)};
}

}  // namespace tarry
