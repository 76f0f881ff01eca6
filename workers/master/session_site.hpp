// What all parts of a master's session know of it: its master and handle, its client's device, and the tasks and
// devices that take part.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "placer/device/device_set.hpp"
#include "workers/master/client_graph.hpp"
#include "workers/worker/directory.hpp"

namespace tarry {

// Shared by reference with the parts of the session.
struct SessionSite {
  Directory& directory;
  TaskId master;
  SharedText handle;
  std::shared_ptr<const SessionConfig> config;  // as the workers get it; null = they get none
  DeviceSet devices;
  ClientDevice client;
  std::map<std::string, TaskId, std::less<>> renamed = {};  // the session's own names of tasks; empty = the server's
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);

  [[nodiscard]] GraphOptions graph_options() const { return config ? config->graph : GraphOptions{}; }
  [[nodiscard]] TaskId task(std::string_view name) const;  // none when unknown
  [[nodiscard]] std::string name_of(TaskId task) const;
};

}  // namespace tarry
