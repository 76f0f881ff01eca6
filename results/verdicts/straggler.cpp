#include <fmt/format.h>

#include <algorithm>

#include "results/loads.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

constexpr Nanos kNoticed = 10'000'000;  // shorter differences between steps are nobody's concern

bool needs_every_worker(const Contributions& c) {
  return c.workers.size() > 1 && std::cmp_greater_equal(c.accumulators.front().required, c.workers.size());
}

Nanos slowest_but(const Loads& loads, TaskId task) {
  Nanos most = 0;
  for (const auto& [other, times] : loads.workers)
    if (other != task && times.own.size() >= 3) most = std::max(most, times.median());
  return most;
}

std::string in_words(const Evidence& e, TaskId task, const StepTimes& times, Nanos others) {
  const char* cure = 2 * times.on_the_way > times.total ? "bring it nearer to the parameter servers"
                                                        : "look at what else its host does, or give it a smaller batch";
  return fmt::format(
      "{} is what the others wait for: it takes {:.3f} s until its gradients are in, the next slowest {:.3f} s, and "
      "every aggregate needs all of them. {} % of its time its messages are under way. To do: {}, or have a backup "
      "worker (aggregate one gradient fewer than there are workers).",
      e.tasks.show(task), in_seconds(times.median()), in_seconds(others), percent(share(times.on_the_way, times.total)),
      cure);
}

}  // namespace

// Each aggregate needs a gradient of every worker, and one of them takes at least twice as long for its own as the
// others.
Told judge_straggler(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training != Training::synchronous || !needs_every_worker(e.contributions)) return out;
  const Loads loads = read_loads(e.log);
  for (const auto& [task, times] : loads.workers) {
    const Nanos others = slowest_but(loads, task);
    if (times.own.size() >= 3 && others > 0 && times.median() >= 2 * others && times.median() > others + kNoticed)
      out.push_back(in_words(e, task, times, others));
  }
  return out;
}

}  // namespace tarry
