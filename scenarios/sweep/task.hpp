// One run of a sweep, as a request and its answer in bytes. So it can be computed anywhere: in a child process here, or
// on another machine (scenarios/mpi). The answer is the same wherever it is made.
#pragma once

#include <functional>
#include <string>

#include "scenarios/sweep/rows.hpp"

namespace tarry {

struct SweepTask {
  std::size_t arm = 0;
  std::uint64_t seed = 0;
};

// The arm's scenario, the seed, and the measures by name. Files that the scenario names stay names.
[[nodiscard]] std::string request_of(const SweepPlan& plan, const SweepTask& task);

// Runs it in this process, which can have one run (sim/runner.hpp). REQUIRES: a request. Throws Refused where the
// scenario makes no job.
[[nodiscard]] std::string answer_to(const std::string& request, const std::string& graphs_folder);

// The row of what a request was answered with; of an error, a row with its text.
[[nodiscard]] RunRow row_of(const SweepPlan& plan, const SweepTask& task, const StatusOr<std::string>& answer);

// How many requests at once are answered: makes request(0), request(1), ... to request(count - 1), in that order, and
// calls `answered` once for each, in any order, with the answer or with how the run failed (as run_in_child).
using Request = std::function<std::string(int)>;
using Answered = std::function<void(int, const StatusOr<std::string>&)>;
using Batch = std::function<void(int count, const Request& request, const Answered& answered)>;

// Each in a child process of this one, `at_once` at a time.
[[nodiscard]] Batch in_children(const std::string& graphs_folder, int at_once);

}  // namespace tarry
