// Compares our partitions with those of TensorFlow's partitioner (a folder of recordings, with a README).
#pragma once

#include <map>
#include <optional>

#include "placer/core/status.hpp"
#include "properties/conform/placer.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {

// The nodes of each partition in the order in which the partitioner wrote them.
using CutParts = std::map<std::string, std::vector<NodeSpec>>;  // by task, or by device
struct CutByBoth {
  CutParts parts;                                // of the first cut
  std::map<std::string, CutParts> device_parts;  // of each task's part, if the case asks for this second cut, too
  friend bool operator==(const CutByBoth&, const CutByBoth&) = default;
};

// Our cut of a case (the recordings' README has its form). `place` is its placement: for each node the index of its
// device. Fails: with the errors of importing and cutting.
[[nodiscard]] StatusOr<CutByBoth> cut_case(const Json& the_case, const Json& place, const ReleaseTables& release);

// The first nodes of an outcome (`place`, `parts`, perhaps `device_parts`) and of our cut that differ; nullopt = none
// do.
using CutDifference = std::pair<std::string, std::string>;  // theirs, ours
[[nodiscard]] std::optional<CutDifference> cut_difference(const Json& the_case, const Json& outcome,
                                                          const ReleaseTables& release);

// Every case that the release answered, placed as recorded. A case agrees when all partitions of both cuts have the
// same nodes in the same order, with the same names, inputs, devices and attributes, keys and edge ids included.
// `tables` is the folder with the op and kernel tables; `folder` has cases.jsonl and outcomes-RELEASE.jsonl, perhaps
// with `.zst` added. Fails: a file is missing or malformed; INVALID_ARGUMENT for a release without rules.
[[nodiscard]] StatusOr<Agreement> conform_partition(const std::string& folder, const std::string& tables,
                                                    std::string_view release);

}  // namespace tarry
