// Whether a job kept to what it must.
#pragma once

#include "results/must.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

// What the run of `job` did. `log` and `tasks` of the outcome need not live on.
[[nodiscard]] WorkDone work_done(const Job& job, const Outcome& outcome);

// The global step at which all of its clients stop, the highest one; nothing where a client has none.
[[nodiscard]] std::optional<std::int64_t> last_global_step(const Job& job);

// Where `must` asks for a throughput, and the job has faults, it is run once more without them, in a process of its
// own. Fails: as run_apart.
[[nodiscard]] StatusOr<std::vector<Breach>> breaches(const Must& must, const Job& job, const Outcome& outcome,
                                                     std::span<const Verdict> verdicts);

}  // namespace tarry
