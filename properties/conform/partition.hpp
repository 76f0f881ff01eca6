// Our partitions against those that TensorFlow's partitioner made (a folder of recordings, README there).
#pragma once

#include "placer/core/status.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {

// Every case that the release answered, placed as recorded. A case agrees when all partitions of both cuts have the same nodes in the same
// order, with the same names, inputs, devices and attributes, keys and edge ids included.
// `tables` is the folder with the op and kernel tables; `folder` has cases.jsonl and outcomes-RELEASE.jsonl, perhaps with `.zst` behind.
// Fails: a file is missing or malformed; INVALID_ARGUMENT for a release without rules.
[[nodiscard]] StatusOr<Agreement> conform_partition(const std::string& folder, const std::string& tables, std::string_view release);

}  // namespace tarry
