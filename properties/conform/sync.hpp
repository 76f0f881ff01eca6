// Recorded runs of SyncReplicasOptimizer and of asynchronous training, against ours.
//
// A recorded run's config becomes a cluster: a host per task, the recorded latencies, the compute delay on one node of
// each worker's graph between parameters and gradient, everything else free. Where no recorded graphs are those of the
// job, they are built from one worker's, with its variables on the recorded servers. What agreeing means the recording
// says itself (judged.hpp). Where it holds the order of pushes, the bare rules fed with that order agree too (replay).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct SyncRow {
  std::string name;
  enum class Kind { exact, totals, replay, time_line } kind = Kind::exact;
  enum class Verdict { agrees, differs } verdict = Verdict::agrees;
  std::string detail;  // what differs: theirs and ours
};

// The rows of one recorded file: one simulated, and one replayed where it holds the order of pushes; or one of a time
// line of failures. Fails: NOT_FOUND, INVALID_ARGUMENT naming the file and what is missing in it.
[[nodiscard]] StatusOr<std::vector<SyncRow>> conform_sync(const std::string& file, const std::string& graphs_folder);

[[nodiscard]] std::string to_string(const SyncRow& row);

}  // namespace tarry
