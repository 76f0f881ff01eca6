// What Optimizer.apply_gradients made in a graph: the gradients that go in, the ops that apply them, the global step
// that is counted.
//
// Its ops stand under the name of the op that counts the step: NAME/update_VARIABLE/..., NAME/update (behind all of
// them), NAME.
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
  std::string values;       // tensor; of a dense one the gradient itself
  std::string indices;      // "" = dense
  std::string dense_shape;  // of a sparse one, "" = not known
  DataType index_type = DataType::kInvalid;
  std::vector<std::string> ops;  // NAME/update_VARIABLE/...
  [[nodiscard]] bool is_sparse() const { return !indices.empty(); }
};

struct TrainOp {
  std::string name;         // "GradientDescent": adds 1 to the global step behind all updates
  std::string global_step;  // variable
  std::vector<Gradient> gradients;
};

// Fails: INVALID_ARGUMENT naming the graph's target and what it is not: one optimizer's apply_gradients with a global
// step.
[[nodiscard]] StatusOr<TrainOp> find_train_op(const GraphEditor& graph, const ClientProgram& program);

// Lets the optimizer take other tensors instead. Types that follow from the indices' type follow.
struct Replacement {
  std::string values, indices;
  DataType index_type = DataType::kInvalid;
};
void replace_gradient(GraphEditor& graph, const Gradient& gradient, const Replacement& with);

}  // namespace tarry
