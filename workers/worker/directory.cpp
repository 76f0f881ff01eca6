#include "workers/worker/directory.hpp"

#include <algorithm>

#include "workers/worker/worker.hpp"

namespace tarry {

Directory::Directory(Env& e, std::vector<TaskInfo> t) : env(e), tasks(std::move(t)), workers(tasks.size()) {
  const auto kind = [&](std::string name) { return RpcKind{env.name(name + " request"), env.name(name + " reply")}; };
  rpc = {kind("GetStatus"), kind("CreateWorkerSession"), kind("DeleteWorkerSession"), kind("RegisterGraph"), kind("RunGraph"), kind("RecvTensor"), kind("CleanupGraph")};
}

Directory::~Directory() = default;

TaskId Directory::find(std::string_view task) const {
  const auto it = std::ranges::find(tasks, task, &TaskInfo::name);
  return it == tasks.end() ? TaskId::none() : TaskId{static_cast<std::size_t>(it - tasks.begin())};
}

TaskId Directory::task_of_device(std::string_view device) const {
  const auto name = parse_device_name(device);
  return name ? find(tarry::task_of(*name)) : TaskId::none();
}

}  // namespace tarry
