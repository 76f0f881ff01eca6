// Step statistics from and to files: TensorFlow's RunMetadata and StepStats, binary or text, plain or compressed.
//
// Of a node's execution only what is used here is kept: device, start and duration (docs/rules/runtime.md#H.4). Times
// are nanoseconds; files of old releases have microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct NodeExecTime {
  std::string device, node;
  std::string label;             // "name = Op(in0, in1)"
  std::int64_t start_ns = 0;     // all_start + op_start_rel: since the epoch, or since the start of the simulation
  std::int64_t duration_ns = 0;  // op_end_rel - op_start_rel, not negative
  friend bool operator==(const NodeExecTime&, const NodeExecTime&) = default;
};

// In the file's order. Fails: NOT_FOUND (no such file), INVALID_ARGUMENT (not step statistics, or none in it).
[[nodiscard]] StatusOr<std::vector<NodeExecTime>> read_step_stats(const std::string& path);
[[nodiscard]] StatusOr<std::vector<NodeExecTime>> parse_step_stats(std::string_view bytes, std::string_view name);

// A RunMetadata with these executions, grouped by device in order of first appearance. Where TensorFlow has more times,
// they coincide: scheduled = all_start = op_start, op_end = all_end.
[[nodiscard]] std::string run_metadata_binary(const std::vector<NodeExecTime>& times);
[[nodiscard]] std::string run_metadata_text(const std::vector<NodeExecTime>& times);

}  // namespace tarry
