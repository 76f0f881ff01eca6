// The part of a graph that Optimizer.apply_gradients made: the gradients, the ops that apply them, and the global step
// that it increments.
//
// A client's training step may run it, or what waits for it: a group with other updates, averages of the new values.
// Its ops are named after the op that increments the step: NAME/update_VARIABLE/..., NAME/update (after all of them),
// NAME.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "workers/train/build/graph_editor.hpp"
#include "workers/train/program.hpp"

namespace tarry {

// A gradient as it enters the optimizer's ops: dense, or IndexedSlices.
struct Gradient {
  std::string variable;
  std::string values;       // tensor; for a dense gradient, the gradient itself
  std::string indices;      // "" = dense
  std::string dense_shape;  // of a sparse gradient; "" = not known
  DataType index_type = DataType::kInvalid;
  std::vector<std::string> ops;  // NAME/update_VARIABLE/...
  [[nodiscard]] bool is_sparse() const { return !indices.empty(); }
};

struct TrainOp {
  std::string name;         // "GradientDescent": adds 1 to the global step after all updates
  std::string global_step;  // variable
  std::vector<Gradient> gradients;
};

// Fails: INVALID_ARGUMENT with the names of the program's targets, or of the ops that it fetches from where it has
// none, when not just one apply_gradients of an optimizer with a global step is among them or before them.
[[nodiscard]] StatusOr<TrainOp> find_train_op(const GraphEditor& graph, const ClientProgram& program);

// What waits for the op `from`, the program's targets too, waits for `to` instead; ops under `from` do not change. What
// the program fetched from it, it does not fetch any more.
void replace_step(GraphEditor& graph, ClientProgram& program, const std::string& from, const std::string& to);

// Gives the optimizer other tensors instead. Types that depend on the indices' type are changed, too.
struct Replacement {
  std::string values, indices;
  DataType index_type = DataType::kInvalid;
};
void replace_gradient(GraphEditor& graph, const Gradient& gradient, const Replacement& with);

}  // namespace tarry
