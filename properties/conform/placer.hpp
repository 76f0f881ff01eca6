// Compares our placements, errors and device names with those of real TensorFlow placers (a folder of recordings, with
// a README).
#pragma once

#include <set>

#include "placer/core/status.hpp"
#include "placer/place/place.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {

// An error text whose lines without a meaningful order (op types of a group, registered kernels) are sorted.
[[nodiscard]] std::string message_without_order(std::string_view message);

// The rules and tables of one release.
struct ReleaseTables {
  Rules rules;
  OpRegistry ops;
  KernelRegistry kernels;
};

// Every case of `cases.jsonl` that the release answered (`outcomes-RELEASE.jsonl`), and the vectors of the
// specification
// (`vectors-RELEASE.jsonl`). Placements must be equal; errors must have the same code and text, apart from the two
// meaningless orders in texts (op types of a group, registered kernels); the importer's order of nodes must be equal,
// too. `tables`: the folder with the op and kernel tables. Fails: a file is missing or malformed; INVALID_ARGUMENT for
// a release without rules.
[[nodiscard]] StatusOr<Agreement> conform_placer(const std::string& folder, const std::string& tables,
                                                 std::string_view release);
[[nodiscard]] StatusOr<Agreement> conform_placer_vectors(const std::string& folder, const std::string& tables,
                                                         std::string_view release);

// Compares one case with its outcome.
void judge_placement(const Json& c, const Json& outcome, const ReleaseTables& r, Agreement& agreement);

// The world of a recorded case, ready to be placed. REQUIRES: the tables of `r` outlive it.
struct RecordedWorld {
  GraphSpec written;
  Graph graph;
  DeviceSet devices;
  PlaceOptions options;  // its `written` is not set; the caller points it to its own copy of `written` above
};
[[nodiscard]] StatusOr<RecordedWorld> world_of(const Json& c, const ReleaseTables& r);

// One file `names-RELEASE.jsonl`: parsing, printing, comparing and merging pairs of names.
[[nodiscard]] StatusOr<Agreement> conform_names(const std::string& file, std::string_view release);

[[nodiscard]] StatusOr<ReleaseTables> read_release(const std::string& folder, std::string_view release);

// The tables of a release for graphs with any ops: the release's recorded tables for the ops in `own`, those of 2.15
// for all others. 0.9 has no recorded tables and gets those of 0.12.
struct WholeRelease {
  ReleaseTables tables;
  std::set<std::string, std::less<>> own;
};
[[nodiscard]] StatusOr<WholeRelease> read_whole_release(const std::string& folder, std::string_view release);

}  // namespace tarry
