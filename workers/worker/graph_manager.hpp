// The graphs that a worker session has registered (runtime.md D.3).
//
// Registering cuts a task's part by device and makes an executor for each. Handles are sixteen hexadecimal digits from the counter that also
// numbers the nodes made on the way (`_G<n>`), so they are unique within a session only. Stateful kernels are shared by all graphs of the session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/executor/executor.hpp"
#include "workers/worker/messages.hpp"

namespace tarry {

struct LocalDevice {
  KernelHost host;
  ResourceManager resources;
};
struct LocalDevices {
  DeviceSet set;
  std::vector<std::unique_ptr<LocalDevice>> devices;  // by DeviceId
};

struct GraphItem {
  std::vector<std::unique_ptr<Executor>> executors;  // one per device that has nodes
};

class GraphManager {
 public:
  GraphManager(Env& env, LocalDevices& devices) : env_(env), devices_(devices), shared_(devices.devices.size()) {}

  // Fails with the texts of runtime.md D.3 (as corrected): no device, unknown device, an input that is not there, a cycle; a refused graph
  // uses up no handle.
  [[nodiscard]] StatusOr<std::string> register_graph(const GraphSpec& graph);
  [[nodiscard]] GraphItem* find(std::string_view handle);  // nullptr when unknown

 private:
  [[nodiscard]] Status assign_devices(Graph& g) const;
  [[nodiscard]] StatusOr<std::unique_ptr<GraphItem>> make_item(const GraphSpec& graph);
  [[nodiscard]] StatusOr<std::unique_ptr<Executor>> make_executor(const GraphSpec& part, DeviceId device);

  Env& env_;
  LocalDevices& devices_;
  std::vector<SharedKernels> shared_;  // by DeviceId
  std::map<std::string, std::unique_ptr<GraphItem>, std::less<>> items_;
  std::uint64_t counter_ = 0;
};

}  // namespace tarry
