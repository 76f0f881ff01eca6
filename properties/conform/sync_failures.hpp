// Recorded time lines of clusters in which something failed or somebody left early, against ours. Private to
// properties/conform.
//
// The recorded faults happen to our cluster at the recorded times; a process is back when its server was. Compared: for
// each process, what its log and its session said, in order and in words (paths, addresses and what gRPC adds to a text
// set aside), each within a second and 5 % of the recorded time; and, between two faults, whose gradients each
// aggregate held, up to exchange of equal workers.
#pragma once

#include "properties/conform/sync.hpp"
#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] inline bool is_time_line(const nlohmann::json& recorded) { return recorded.contains("timeline"); }
[[nodiscard]] StatusOr<SyncRow> conform_time_line(const std::string& name, const nlohmann::json& recorded,
                                                  const RecordedConfig& config, const std::string& graphs_folder);

}  // namespace tarry
