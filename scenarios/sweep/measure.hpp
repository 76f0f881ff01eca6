// What a sweep measures of a run: one number each.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/step_times.hpp"
#include "scenarios/sweep/ending.hpp"

namespace tarry {

// A run, read once for all measures.
struct RunFacts {
  RunFacts(const Job& job, const Outcome& outcome);
  Nanos time = 0;  // simulated, since the start
  Contributions contributions;
  Loads loads;
  std::set<std::string> verdicts;  // their kinds
  Ending ending;
  std::int64_t lost_steps = 0;  // that the global step went back by, all setbacks together
  std::int64_t aggregates = 0;  // of all accumulators
  // When the last aggregate was complete (where nothing aggregates: when the last step ended), or, where all clients
  // stop at a global step, when that was there; -1 = never.
  Nanos last_update = -1;
  std::vector<Nanos> steps;  // of all workers, shortest first: from the end of the step before, or of the first one
                             // from its beginning, to the end
  std::optional<double> slowdown;  // T / T ideal (scenarios/job/why.hpp), where a further run has found it
};

// Which values one would rather have. `neither`: more may be more work done, or more waste.
enum class Better : std::uint8_t { more, less, neither };

struct Measure {
  std::string_view name;  // as in a plan, and as a column
  std::string_view unit;  // "s", "1/s", "bytes", "" for a plain number
  std::string_view what;
  Better better = Better::neither;
  std::optional<double> (*of)(const RunFacts&) = nullptr;  // nullopt where the run has nothing to measure
  bool counts_updates = false;  // or global steps: aggregates in one job, steps of a worker in another one
  bool asks_ideal = false;      // it needs the ideal run too, so it is measured only where a plan names it
};

[[nodiscard]] std::span<const Measure> measure_table();
// Those that one run is enough for: what is measured where nobody names measures.
[[nodiscard]] std::vector<const Measure*> usual_measures();
// Null when there is none of that name.
[[nodiscard]] const Measure* find_measure(std::string_view name);

}  // namespace tarry
