// One question to a placer (a graph, the devices, and placement options), and the placer's answer.
//
// Plain values: comparable, printable, shrinkable. The JSON form is the one of the recorded cases
// (properties/conform/data/README.md), so that a real TensorFlow can be asked. `kernels` is an addition for random
// kernel registries, which only ours and other simulated placers understand.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "placer/graph/op_def.hpp"
#include "placer/graph/spec.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {

struct CaseDevice {
  std::string name;  // full device name
  std::string type;  // the attribute; "" = the type in the name
  friend bool operator==(const CaseDevice&, const CaseDevice&) = default;
};

struct CaseNode {
  NodeSpec spec;
  std::string assigned;  // the device assigned before placing; "" = none
  friend bool operator==(const CaseNode&, const CaseNode&) = default;
};

struct PlacementCase {
  std::string id;
  bool soft = false;
  std::vector<CaseDevice> devices;                        // insertion order
  std::vector<CaseNode> nodes;                            // file order
  std::string default_device;                             // the default local device; "" = none
  std::string local_task;                                 // the task whose devices are local; "" = all are
  std::shared_ptr<const std::vector<KernelDef>> kernels;  // replaces the release's registry; nullptr = the release's
};

struct PlacementAnswer {
  Code code = Code::kOk;
  std::string message;     // of the error, if any
  std::vector<int> place;  // when there is no error: the index of each node's device, in file order
  friend bool operator==(const PlacementAnswer&, const PlacementAnswer&) = default;
};

[[nodiscard]] nlohmann::ordered_json to_json(const PlacementCase& c);
// REQUIRES: `json` has the form that to_json makes.
[[nodiscard]] PlacementCase case_from_json(const nlohmann::ordered_json& json);
// Fails: INVALID_ARGUMENT when `json` is no answer: neither `place` (one index of the case's devices for each node) nor
// `code` and `msg`.
[[nodiscard]] StatusOr<PlacementAnswer> answer_from_json(const nlohmann::ordered_json& json, const PlacementCase& c);

// A few lines for people: one node per line with its inputs, request, keys and device.
[[nodiscard]] std::string to_text(const PlacementCase& c, const PlacementAnswer* answer = nullptr);

// The inverse of parse_input.
[[nodiscard]] std::string input_text(std::string_view node, int slot);
// The `loc:@` keys of a node.
[[nodiscard]] std::vector<std::string_view> loc_keys(const NodeSpec& n);

}  // namespace tarry
