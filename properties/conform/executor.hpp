// Compares recorded sessions of real TensorFlow with ours: every step in order, on one device, on the two recorded
// ones, and with random splits over devices.
//
// A recording is a sidecar NAME.json beside its graph (graphs' README, "values"). Results must be equal (floats to a
// few units in the last place); errors must have the same code and, on one device, the same text (except for numbers
// that count a process's objects). Where the recorded cut is stable and its graphs are there, ours must be the same
// graphs. Where a step has `lowered`, it must run the nodes of these names on one device, those of feeds and fetches
// apart; `cpu2.placed` says on which of two devices such nodes are (placer/lower/lower.hpp). With
// `splits` false there are no random splits.
#pragma once

#include <string>
#include <vector>

#include "properties/conform/recorded.hpp"

namespace tarry {

struct ConformRow {
  std::string name, variant;                                          // "while_grad", "two devices"
  int agreed = 0, total = 0;                                          // steps, or cuts
  std::vector<std::string> differences;                               // the first few
  void note(const std::string& what, const std::string& difference);  // "" = no difference
};

// Steps and cuts are computed in a child process (apart.hpp). Fails: NOT_FOUND or INVALID_ARGUMENT when the sidecar or
// a graph cannot be read; with the errors of judge_apart.
[[nodiscard]] StatusOr<std::vector<ConformRow>> conform_executor(const std::string& sidecar, int random_splits);

// The cuts of a training graph (README, "split"): each step's partitions, where they are stable.
[[nodiscard]] StatusOr<std::vector<ConformRow>> conform_split(const std::string& sidecar);

[[nodiscard]] StatusOr<Json> read_json(const std::string& path);
// The path of `file` in the folder of `path`, perhaps with `.zst` added to its name.
[[nodiscard]] std::string beside(const std::string& path, const std::string& file);

}  // namespace tarry
