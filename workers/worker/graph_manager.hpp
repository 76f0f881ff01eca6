// The graphs that a worker session has registered (docs/rules/runtime.md#D.3).
//
// Registering cuts a task's part by device and makes an executor for each. Handles are sixteen hexadecimal digits from
// the counter that also numbers the nodes added on the way (`_G<n>`), so they are unique within a session only.
// Stateful kernels, `_Send` and `_Recv` among them, are shared by all graphs of the session, by node name. When the
// master keeps a graph for other sessions (known_job.hpp), its cuts and plans are kept, too. A worker's part of a graph
// that several workers' clients use is cut by the first of them, and then serves all.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/partition/part.hpp"
#include "workers/executor/executor.hpp"
#include "workers/known_job.hpp"
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

struct GraphManagerOptions {
  bool keeps_partitions = false;  // for RunGraph with record_partition_graphs; costs the memory of the graphs
  KnownJob* known = nullptr;      // null = nothing is kept
};

struct GraphItem {
  std::vector<std::unique_ptr<Executor>> executors;  // one per device that has nodes
  std::vector<Partition> partitions;                 // when they are kept
  bool builds_cost_model = false;
};

// How a graph was cut and planned, kept for later registrations of the same graph under the same conditions (`serves`).
struct PlannedPart {
  DeviceId device;
  ExecPlanRef plan;
  KeptKernels kernels;
};
struct DeviceCut {
  std::vector<std::string> devices;             // the worker's, by DeviceId: "device:CPU:0"
  std::int64_t values_up_to = 0;                // KernelHost::values_up_to of the devices
  bool schedules_receives = false;              // as the session asked
  std::uint64_t counter = 0, next_counter = 0;  // the manager's counter before and after the cut
  std::vector<std::uint64_t> incarnations;  // of the devices when the graph was cut; a later registration replaces them
  std::string written_for;  // the task of whose client the parts' transfers speak; "" = the graph is for one client
  std::vector<PlannedPart> parts;

  [[nodiscard]] bool serves(const DeviceCut& asked) const;
};

class GraphManager {
 public:
  GraphManager(Env& env, LocalDevices& devices, GraphManagerOptions options = {})
      : env_(env), devices_(devices), options_(options), shared_(devices.devices.size()) {}

  // Fails with the texts of docs/rules/runtime.md#D.3: no device, unknown device, a missing input, a cycle;
  // INVALID_ARGUMENT for a loop over two devices without control loops (a real worker's process ends there, but a
  // master always adds them). A refused graph uses up no handle.
  [[nodiscard]] StatusOr<std::string> register_graph(const SentGraph& graph, const GraphOptions& how = {});
  [[nodiscard]] std::shared_ptr<GraphItem> find(const std::string& handle);  // nullptr when unknown
  // Fails: ABORTED `Graph handle is not found: H. Possibly, this worker just restarted.` Steps in progress go on.
  [[nodiscard]] Status deregister(const std::string& handle);

 private:
  [[nodiscard]] Status assign_devices(Graph& g) const;
  [[nodiscard]] StatusOr<std::vector<Partition>> cut(const GraphSpec& graph, const GraphOptions& how);
  [[nodiscard]] StatusOr<std::shared_ptr<GraphItem>> make_item(const SentGraph& graph, const GraphOptions& how,
                                                               std::vector<DeviceCut>* kept);
  [[nodiscard]] StatusOr<std::shared_ptr<GraphItem>> make_item(DeviceCut& cut, const Renewal* of_master);
  [[nodiscard]] StatusOr<std::unique_ptr<Executor>> make_executor(PlannedPart& part, const Renewal& renewed,
                                                                  bool keeps_kernels);
  [[nodiscard]] std::vector<DeviceCut>* kept_cuts(const SentGraph& graph) const;
  [[nodiscard]] DeviceCut empty_cut(const GraphOptions& how) const;
  [[nodiscard]] Renewal renewal(const DeviceCut& cut, const Renewal* of_master) const;

  Env& env_;
  LocalDevices& devices_;
  GraphManagerOptions options_;
  std::vector<SharedKernels> shared_;                                   // by DeviceId
  absl::flat_hash_map<std::string, std::shared_ptr<GraphItem>> items_;  // by handle; looked up, never iterated
  std::uint64_t counter_ = 0;
};

}  // namespace tarry
