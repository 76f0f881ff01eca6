// Compares recorded runs of SyncReplicasOptimizer and of asynchronous training with ours.
//
// A recorded run's config becomes a cluster: a host per task, the recorded latencies, the compute delay on one node of
// each worker's graph between parameters and gradient, everything else takes no time. If there are no recorded graphs
// of this job, they are built from one worker's graph, with its variables on the recorded servers. The recording itself
// says what agreement means (judged.hpp). If it has the order of pushes, the bare rules are compared, too, given that
// order (sync_replay.hpp).
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

// The rows of one recorded file: one simulated, and one replayed if it has the order of pushes; or a single one for a
// time line of failures. They are made in a child process (apart.hpp). Fails: NOT_FOUND; INVALID_ARGUMENT with the file
// and what is missing in it; with the errors of judge_apart.
[[nodiscard]] StatusOr<std::vector<SyncRow>> conform_sync(const std::string& file, const std::string& graphs_folder);
// The same for the text of a file, in this process; each simulated run is in a child.
[[nodiscard]] StatusOr<std::vector<SyncRow>> conform_sync_text(const std::string& text, const std::string& file,
                                                               const std::string& graphs_folder);

[[nodiscard]] std::string to_string(const SyncRow& row);

}  // namespace tarry
