// Compares recorded time lines of clusters in which something failed or a worker left early with ours. Private to
// properties/conform.
//
// The recorded faults happen in our cluster at the recorded times; a process restarts when the recorded server did.
// Compared are the messages of each process's log and session, in order and literally (except for paths, addresses and
// gRPC's additions), each within a second plus 5 % of the recorded time; and, between two faults, whose gradients each
// aggregate held, up to a permutation of equal workers.
#pragma once

#include "properties/conform/sync.hpp"
#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] inline bool is_time_line(const nlohmann::json& recorded) { return recorded.contains("timeline"); }
// The job of a time line: its cluster and faults, until the recording ends. Throws what judge_apart (apart.hpp) catches
// where the recording is malformed.
[[nodiscard]] StatusOr<Job> job_of_time_line(const nlohmann::json& recorded, const RecordedConfig& config,
                                             const std::string& graphs_folder);
[[nodiscard]] StatusOr<SyncRow> conform_time_line(const std::string& name, const nlohmann::json& recorded,
                                                  const RecordedConfig& config, const std::string& graphs_folder);

}  // namespace tarry
