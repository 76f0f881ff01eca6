// The variables of a training graph, and where replica_device_setter puts them (docs/rules/runtime.md#G.4; all
// releases).
//
// A variable is an op VariableV2, Variable or VarHandleOp. Optimizers' slots are colocated with their variable;
// whatever is colocated with another variable is such a slot here, and takes no turn.
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
  std::string slot_of;  // "" = a variable of its own
  bool is_resource = false;
};

// In order of creation.
[[nodiscard]] std::vector<ModelVariable> find_variables(const GraphEditor& graph);

enum class PsStrategy : std::uint8_t { round_robin, greedy };

// The parameter server of each variable, in order; none = it stays where it is: slots, and variables that were put on
// another job. Round robin goes by count; greedy takes the one with the fewest bytes so far, the first of equals.
// REQUIRES: ps > 0. Fails: INVALID_ARGUMENT for a shape that is not fully known, which greedy needs.
[[nodiscard]] StatusOr<std::vector<std::optional<int>>> choose_ps(const std::vector<ModelVariable>& variables, int ps,
                                                                  PsStrategy strategy);

// ---- device names ----

// A device as nested device scopes give it: what `inner` sets wins.
[[nodiscard]] std::string within(const std::string& outer, const std::string& inner);
[[nodiscard]] std::optional<int> ps_task_of(const std::string& device);  // none = not a parameter server's
[[nodiscard]] std::string with_task(const std::string& device, int task);

}  // namespace tarry
