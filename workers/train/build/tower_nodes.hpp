// The nodes that a worker's gradients are computed from: what each tower has of its own. Private to
// workers/train/build.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "placer/device/name.hpp"
#include "workers/train/build/train_op.hpp"

namespace tarry {

class TowerNodes {
 public:
  // REQUIRES: `g` and `train` outlive the constructor; `worker` names a task.
  TowerNodes(const GraphEditor& g, const TrainOp& train, const DeviceName& worker);

  [[nodiscard]] bool has(std::string_view name) const { return nodes_.contains(name); }
  [[nodiscard]] const std::vector<std::string>& in_order() const { return in_order_; }  // of creation
  // The ops that initialise variables of the worker among the nodes.
  [[nodiscard]] const std::vector<std::string>& initialisers() const { return initialisers_; }

 private:
  void need(const GraphEditor& g, const std::string& tensor);
  void need_variable(const GraphEditor& g, const std::string& name);
  // Variables that are trained, state of others, and what reads the reference of such a variable: one for all towers.
  [[nodiscard]] bool is_shared(const GraphEditor& g, const NodeSpec& n) const;

  DeviceName worker_;
  std::set<std::string> trained_;
  std::set<std::string, std::less<>> nodes_;
  std::vector<std::string> todo_, in_order_, initialisers_;
};

// Whether a device name is of this task.
[[nodiscard]] bool is_on_task(const std::string& device, const DeviceName& task);

}  // namespace tarry
