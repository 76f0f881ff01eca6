// The local step of a synchronous worker: a local variable on the worker that holds the value of its last token.
// Private to workers/train/build.
#pragma once

#include <string>

#include "workers/train/build/graph_editor.hpp"

namespace tarry {

struct LocalStep {
  std::string variable;
  std::string anchor;   // the no-op on the worker that it is colocated with
  std::string read;     // the tensor of a reference variable; "" = a handle, which each use reads again
  std::string init_op;  // sets it to the global step
  std::string init_assign;
};

// Reads and sets step variables: by reference, or by handle.
class StepAccess {
 public:
  StepAccess(GraphEditor& g, std::string global_step) : g_(g), global_step_(std::move(global_step)) {}

  [[nodiscard]] bool is_resource() const { return g_.at(global_step_).op == "VarHandleOp"; }
  [[nodiscard]] DataType type() const { return *g_.at(global_step_).attrs.get<DataType>("dtype"); }
  // The value of the global step as a tensor. A handle is read by an op under `scope`, with control dependencies on
  // `after`.
  std::string global_step(const std::string& scope, const std::vector<std::string>& after = {});
  std::string local_step(const LocalStep& step, const std::string& scope);
  LocalStep add_local_step(const std::string& worker);
  // Sets the local step; returns the op to run and the op that assigns. For a handle, the ops are made on `device`.
  std::pair<std::string, std::string> assign(const LocalStep& step, std::string value, const std::string& device);

 private:
  std::string read_handle(const std::string& scope, const std::string& variable, const std::string& device,
                          const std::vector<std::string>& after);
  void add_reference(LocalStep& step, const std::string& worker);
  void add_handle(LocalStep& step, const std::string& worker);

  GraphEditor& g_;
  std::string global_step_;
};

}  // namespace tarry
