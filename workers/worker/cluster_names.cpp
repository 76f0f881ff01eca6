#include "workers/worker/cluster_names.hpp"

namespace tarry {

void ClusterNames::learn(const ServerDef& server) {
  for (const auto& [job, tasks] : server.cluster->jobs)
    for (const auto& [task, address] : tasks)
      if (const TaskId id = directory_.at_address(address); id.valid())
        learned_[fmt::format("/job:{}/replica:0/task:{}", job, task)] = id;
}

TaskId ClusterNames::task_of(std::string_view device) const {
  if (learned_.empty()) return directory_.task_of_device(device);
  const auto name = parse_device_name(device);
  const auto it =
      name && name->job && name->replica && name->task ? learned_.find(tarry::task_of(*name)) : learned_.end();
  return it == learned_.end() ? directory_.task_of_device(device) : it->second;
}

bool ClusterNames::is_own(std::string_view device) const {
  return device.starts_with(own()) || (!learned_.empty() && task_of(device) == own_);
}

}  // namespace tarry
