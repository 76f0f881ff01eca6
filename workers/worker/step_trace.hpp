// The statistics of a traced or measured step: the nodes that ran (docs/rules/runtime.md#E.4). Private to
// workers/worker.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/executor/executor.hpp"
#include "workers/worker/graph_manager.hpp"

namespace tarry {

// Collects the nodes that a step's executors run; the source counts as a node.
class StepTrace {
 public:
  explicit StepTrace(std::shared_ptr<GraphItem> item);
  void ran(std::string_view node, std::span<const Value> outputs);
  [[nodiscard]] StepStats stats() const;
  // The nodes of the executors' graphs, with what was measured. Empty unless the graph was registered to build a cost
  // model.
  [[nodiscard]] std::vector<CostNode> costs() const;

 private:
  struct Ran {
    std::string device;
    NodeStats stats;
  };
  [[nodiscard]] CostNode cost_of(const Graph& g, NodeId n, std::int32_t offset, const std::string& device) const;

  std::shared_ptr<GraphItem> item_;
  std::vector<Ran> ran_;  // in the order of running
};

}  // namespace tarry
