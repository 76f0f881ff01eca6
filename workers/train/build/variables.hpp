// The variables of a training graph, and where replica_device_setter puts them (docs/rules/runtime.md#G.4; all
// releases).
//
// A variable is an op VariableV2, Variable or VarHandleOp. A variable that is colocated with another one counts as an
// optimizer's slot, which is placed with its variable and takes no turn of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/train/build/graph_editor.hpp"

namespace tarry {

struct ModelVariable {
  std::string name;
  DataType dtype = DataType::kInvalid;
  Shape shape;
  std::string device;
  std::string slot_of;  // "" = not a slot
  bool is_resource = false;
};

[[nodiscard]] bool is_variable(const NodeSpec& n);
// In order of creation.
[[nodiscard]] std::vector<ModelVariable> find_variables(const GraphEditor& graph);

enum class PsStrategy : std::uint8_t { round_robin, greedy };

// The parameter server of each variable, in order; nullopt = the variable stays where it is (slots, and variables that
// were put on another job). Round robin counts variables; greedy takes the server with the fewest bytes so far, the
// first among equals. REQUIRES: ps > 0. Fails: INVALID_ARGUMENT for a shape that is not fully known, which greedy
// needs.
[[nodiscard]] StatusOr<std::vector<std::optional<int>>> choose_ps(const std::vector<ModelVariable>& variables, int ps,
                                                                  PsStrategy strategy);

// ---- device names ----

// The device that nested device scopes give: the fields that `inner` sets win.
[[nodiscard]] std::string within(const std::string& outer, const std::string& inner);
[[nodiscard]] std::optional<int> ps_task_of(const std::string& device);  // nullopt = not a parameter server
[[nodiscard]] std::string with_task(const std::string& device, int task);

}  // namespace tarry
