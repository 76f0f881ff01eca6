// Our placements, errors and device names against those that real TensorFlow placers gave (a folder of recordings,
// README there).
#pragma once

#include <set>

#include "placer/core/status.hpp"
#include "placer/place/place.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {

// An error text whose lines without a meaningful order (op types of a group, registered kernels) are sorted.
[[nodiscard]] std::string message_without_order(std::string_view message);

// What one release knows.
struct ReleaseTables {
  Rules rules;
  OpRegistry ops;
  KernelRegistry kernels;
};

// Every case of `cases.jsonl` that the release answered (`outcomes-RELEASE.jsonl`), and the vectors of the
// specification
// (`vectors-RELEASE.jsonl`). Placements must be equal; errors must have the code and text, whose two meaningless orders
// (op types of a group, registered kernels) are ignored; so must the importer's order of nodes be. `tables`: the folder
// with the op and kernel tables. Fails: a file is missing or malformed; INVALID_ARGUMENT for a release without rules.
[[nodiscard]] StatusOr<Agreement> conform_placer(const std::string& folder, const std::string& tables,
                                                 std::string_view release);
[[nodiscard]] StatusOr<Agreement> conform_placer_vectors(const std::string& folder, const std::string& tables,
                                                         std::string_view release);

// One case against its outcome.
void judge_placement(const Json& c, const Json& outcome, const ReleaseTables& r, Agreement& agreement);

// The world of a recorded case, ready to be placed; the tables of `r` outlive it.
struct RecordedWorld {
  GraphSpec written;
  Graph graph;
  DeviceSet devices;
  PlaceOptions options;  // `written` is not set: the caller's copy is the one to point to
};
[[nodiscard]] StatusOr<RecordedWorld> world_of(const Json& c, const ReleaseTables& r);

// One file `names-RELEASE.jsonl`: parsing, printing, comparing and merging pairs of names.
[[nodiscard]] StatusOr<Agreement> conform_names(const std::string& file, std::string_view release);

[[nodiscard]] StatusOr<ReleaseTables> read_release(const std::string& folder, std::string_view release);

// What a release knows, for graphs of any op: its own tables where they are recorded (`own`, the names of those ops),
// those of 2.15 for other ops. 0.9 has no tables of its own; it gets those of 0.12.
struct WholeRelease {
  ReleaseTables tables;
  std::set<std::string, std::less<>> own;
};
[[nodiscard]] StatusOr<WholeRelease> read_whole_release(const std::string& folder, std::string_view release);

}  // namespace tarry
