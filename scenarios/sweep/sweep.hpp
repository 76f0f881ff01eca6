// Runs a plan: every arm with every seed, each run in a process of its own, several at a time.
//
// A run that was done before is not done again. The rows are the same whoever computes them (`compute`: processes here,
// or on many machines), and whether the sweep was stopped on the way or not.
#pragma once

#include <functional>
#include <vector>

#include "scenarios/sweep/task.hpp"

namespace tarry {

struct SweepOptions {
  Batch compute;
  std::function<void(std::size_t done, std::size_t of)> watch;  // after each run; may be empty
};

// The rows of the plan's arms and seeds, by arm and seed; of a plan with `until`, of the seeds that were needed. A run
// that fails is a row with its error. Fails: RESOURCE_EXHAUSTED when a run was ended from outside or found no memory
// (it is no row: the next sweep does it again), and as RowFile.
[[nodiscard]] StatusOr<std::vector<RunRow>> run_sweep(const SweepPlan& plan, RowFile& file,
                                                      const SweepOptions& options);

// "12 of 160 runs are done"; of a plan with `until` "12 of 160 runs at the most".
[[nodiscard]] std::string done_in_words(const SweepPlan& plan, const std::vector<RunRow>& rows);

// The arms whose interval is still wider than the plan's `until` wants it; none where it has no `until`.
[[nodiscard]] std::vector<std::size_t> arms_too_wide(const SweepPlan& plan, const std::vector<RunRow>& rows);

// "After 100 seeds the interval of time is not as narrow as 1 % of its mean to either side in 2 of 4 arms: ...", a
// line; "" where it is.
[[nodiscard]] std::string too_wide_in_words(const SweepPlan& plan, const std::vector<RunRow>& rows);

}  // namespace tarry
