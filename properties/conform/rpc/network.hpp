// What the harness of a recorder did to its fakes: restarts, cut connections.
#pragma once

#include "properties/conform/rpc/replay.hpp"

namespace tarry::rpc {

class Network {
 public:
  explicit Network(Cluster& c) : c_(c) {}
  // {"harness": restart | cut | mend, ...}. When gRPC finds a task that is back is a matter of its timers, not of the
  // master: the recording's time is taken.
  void act(const Json& deed, const Json& step);

 private:
  void cut(const std::string& task, const std::string& how);
  void mend(const std::string& task, bool is_new);
  [[nodiscard]] TaskId id(const std::string& task) const { return c_.directory->find(task_name(task)); }
  void put(const std::string& task, std::unique_ptr<WorkerService> service);

  Cluster& c_;
  std::map<std::string, std::unique_ptr<WorkerService>> away_;  // fakes that nobody reaches
};

}  // namespace tarry::rpc
