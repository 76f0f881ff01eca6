// Who is there: the tasks of the cluster, their devices, and where to call them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/env.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

class Worker;

struct TaskInfo {
  std::string name;                    // "/job:ps/replica:0/task:0"
  std::vector<std::string> devices;    // full names, CPU first
  std::uint64_t incarnation = 0;       // of its process
};

struct RpcKinds {
  RpcKind get_status, create_worker_session, delete_worker_session, register_graph, run_graph, recv_tensor, cleanup_graph;
};

// Shared by all tasks of a run. `workers[i]` is null while task i has no process.
struct Directory {
  Directory(Env& env, std::vector<TaskInfo> tasks);
  ~Directory();

  [[nodiscard]] TaskId find(std::string_view task) const;              // none when unknown
  [[nodiscard]] TaskId task_of_device(std::string_view device) const;  // none when unknown

  Env& env;
  std::vector<TaskInfo> tasks;
  std::vector<std::unique_ptr<Worker>> workers;
  RpcKinds rpc;
};

}  // namespace tarry
