#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {
namespace {

// " At this pace the first one would be complete after 36.2 h."; "" when no gradient came.
std::string when_complete(const Evidence& e, const AccumulatorStory& a) {
  const std::int64_t left = sum(a.left);
  if (left == 0) return "";
  const double hours = in_seconds(e.log.ended_at - e.log.started_at) / static_cast<double>(left) *
                       static_cast<double>(a.required) / 3600;
  return hours < 1 ? fmt::format(" At this pace the first one would be complete after {:.1f} s.", 3600 * hours)
                   : fmt::format(" At this pace the first one would be complete after {:.1f} h.", hours);
}

}  // namespace

Told judge_no_aggregate(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck", "failed"})) return {};
  const AccumulatorStory& a = e.first_accumulator();
  if (!a.aggregates.empty()) return {};
  const std::int64_t workers = std::ssize(e.contributions.workers);
  return {
      fmt::format("The run ended at {:.3f} s, before the first aggregate was complete: {} of {} gradients were "
                  "there.{} To do: let it "
                  "run longer, or aggregate fewer gradients (there {} {}).",
                  in_seconds(e.log.ended_at - e.log.started_at), sum(a.left), a.required, when_complete(e, a),
                  workers == 1 ? "is" : "are", counted(workers, "worker", "workers"))};
}

}  // namespace tarry
