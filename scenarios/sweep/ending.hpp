// How a run ended: whether it got to what its scenario's `stop` asks for.
#pragma once

#include <optional>

#include "results/verdict.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

struct Ending {
  bool stands_still = false;  // for ever
  // The aggregates, the steps or the global step that `stop` asks for were there; where it asks for a time alone, the
  // time had passed. Workers that are lost or have failed for good owe no steps, as long as another one did its own;
  // one whose queue was closed long before has not done them.
  bool did_what_stop_asks = true;
  std::optional<Nanos> latest;  // `stop`'s time, since the start
  [[nodiscard]] bool reached_stop() const { return did_what_stop_asks && !stands_still; }
};

// `said`: the verdicts of the run.
[[nodiscard]] Ending ending_of(const Job& job, const Evidence& e, std::span<const Verdict> said);

// Whether a run with a verdict of this kind stands still for ever.
[[nodiscard]] bool is_of_standing_still(std::string_view kind);

}  // namespace tarry
