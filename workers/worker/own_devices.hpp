// The devices of a worker's process, as the graphs that run there see them.
#pragma once

#include <memory>
#include <string>

#include "workers/worker/cluster_names.hpp"
#include "workers/worker/graph_manager.hpp"

namespace tarry {

class OwnDevices {
 public:
  // `values_up_to`: elements of an output that is still computed.
  OwnDevices(Directory& directory, TaskId task, const ClusterNames& names, std::int64_t values_up_to)
      : directory_(directory), task_(task), names_(names), values_up_to_(values_up_to) {}

  // A fresh set, with resources of its own, under this task's name. A device's incarnation is chosen when its process
  // starts: all sets have the same, and another one after a restart (docs/rules/runtime.md#vocabulary).
  [[nodiscard]] std::unique_ptr<LocalDevices> make(const std::string& task) const;

 private:
  void add(LocalDevices& devices, const std::string& own_name, const std::string& name) const;

  Directory& directory_;
  TaskId task_;
  const ClusterNames& names_;
  std::int64_t values_up_to_;
  std::shared_ptr<NameCounters> counters_ = std::make_shared<NameCounters>();  // KernelHost's
};

}  // namespace tarry
