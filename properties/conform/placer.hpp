// Our placements, errors and device names against those that real TensorFlow placers gave (a folder of recordings, README there).
#pragma once

#include "placer/core/status.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {

// Every case of `cases.jsonl` that the release answered (`outcomes-RELEASE.jsonl`), and the vectors of the specification
// (`vectors-RELEASE.jsonl`). Placements must be equal; errors must have the code and text, whose two meaningless orders (op types of a
// group, registered kernels) are ignored; so must the importer's order of nodes be. `tables`: the folder with the op and kernel tables.
// Fails: a file is missing or malformed; INVALID_ARGUMENT for a release without rules.
[[nodiscard]] StatusOr<Agreement> conform_placer(const std::string& folder, const std::string& tables, std::string_view release);
[[nodiscard]] StatusOr<Agreement> conform_placer_vectors(const std::string& folder, const std::string& tables,
                                                         std::string_view release);

// One file `names-RELEASE.jsonl`: parsing, printing, comparing and merging pairs of names.
[[nodiscard]] StatusOr<Agreement> conform_names(const std::string& file, std::string_view release);

// An error text whose lines without a meaningful order (op types of a group, registered kernels) are sorted.
[[nodiscard]] std::string message_without_order(std::string_view message);

// What one release knows.
struct ReleaseTables {
  Rules rules;
  OpRegistry ops;
  KernelRegistry kernels;
};
[[nodiscard]] StatusOr<ReleaseTables> read_release(const std::string& folder, std::string_view release);

}  // namespace tarry
