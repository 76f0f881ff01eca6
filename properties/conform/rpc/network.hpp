// What the recorder's harness did to its fakes: restarts and cut connections.
#pragma once

#include "properties/conform/rpc/replay.hpp"

namespace tarry::rpc {

class Network {
 public:
  explicit Network(Cluster& c) : c_(c) {}
  // {"harness": restart | cut | mend, ...}. When gRPC reconnects to a task depends on its timers, not on the master, so
  // the recorded time is used.
  void act(const Json& deed, const Json& step);

 private:
  void cut(const std::string& task, const std::string& how);
  void mend(const std::string& task, bool is_new);
  [[nodiscard]] TaskId id(const std::string& task) const { return c_.directory->find(task_name(task)); }
  void put(const std::string& task, std::unique_ptr<WorkerService> service);

  Cluster& c_;
  std::map<std::string, std::unique_ptr<WorkerService>> away_;  // fakes that are cut off
};

}  // namespace tarry::rpc
