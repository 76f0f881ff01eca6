// A cluster as plain values: hosts, the tasks on them, their devices, and the network between.
//
// Ids are positions: HostId into `hosts`, TaskId into `tasks`. Times are nanoseconds, bandwidths bytes a second, 0 =
// unlimited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "workers/events.hpp"

namespace tarry {

struct HostSpec {
  std::string name;
  std::uint64_t nic_bandwidth = 0;  // of each direction
  friend bool operator==(const HostSpec&, const HostSpec&) = default;
};

// What a device can do at most, for rooflines; all zero = nothing is known, ops cost what the scenario says.
struct DeviceRates {
  std::uint64_t flops = 0;      // a second; 0 = unlimited
  std::uint64_t bandwidth = 0;  // of its memory, bytes a second
  Nanos launch = 0;             // until a kernel begins, however small
  [[nodiscard]] bool is_known() const { return flops > 0 || bandwidth > 0 || launch > 0; }
  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

struct GpuSpec {
  std::uint64_t memory_bytes = 0;  // 0 = not counted
  DeviceRates rates;
  std::uint64_t copy_bandwidth =
      0;  // of each of its two copy engines, to and from host memory; 0 = copies take no time
  friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

struct TaskSpec {
  std::string name;  // canonical: "/job:ps/replica:0/task:0"
  HostId host;
  int inter_op_threads = 0;  // of its CPU; 0 = unlimited
  std::vector<GpuSpec> gpus;
  DeviceRates cpu;  // of one kernel on its CPU
  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

struct PathSpec {
  Nanos latency = 0;
  std::uint64_t bandwidth = 0;
  friend bool operator==(const PathSpec&, const PathSpec&) = default;
};

struct LinkSpec {  // the path between two hosts, each direction its own; replaces the default
  HostId a, b;
  PathSpec path;
  friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};

struct NetworkSpec {
  PathSpec between_hosts;
  std::vector<LinkSpec> links;
  PathSpec same_host;                   // all zero = free
  std::uint64_t small_message = 16384;  // bytes below which a message never shares bandwidth
  int transfers_per_channel = 1;  // of one ordered pair of tasks at a time; the others wait, first come, first served
  friend bool operator==(const NetworkSpec&, const NetworkSpec&) = default;
};

struct ClusterSpec {
  std::vector<HostSpec> hosts;
  std::vector<TaskSpec> tasks;
  NetworkSpec network;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

// "/job:ps/task:0", "/job:ps/replica:0/task:0" and, for short, "ps/0" are the same task; the result has the replica.
// INVALID_ARGUMENT for anything else.
[[nodiscard]] StatusOr<std::string> canonical_task(std::string_view name);
// The task of that canonical name, or none.
[[nodiscard]] TaskId find_task(const ClusterSpec& cluster, std::string_view canonical_name);
[[nodiscard]] HostId find_host(const ClusterSpec& cluster, std::string_view name);
// The full names of a task's devices: its CPU first, then its GPUs.
[[nodiscard]] std::vector<std::string> device_names(const TaskSpec& task);
// The GPU of that full name, or null: a CPU.
[[nodiscard]] const GpuSpec* find_gpu(const TaskSpec& task, std::string_view device);
// The copy engine of a GPU that takes what is sent from it, or what arrives.
enum class CopyEngine : std::uint8_t { to_host, to_device };
[[nodiscard]] std::string copy_engine_name(std::string_view gpu, CopyEngine engine);

// Bytes over a bandwidth in whole nanoseconds, rounded up; 0 when it is unlimited.
[[nodiscard]] Nanos transfer_time(std::uint64_t bytes, std::uint64_t bandwidth);
// The link between two hosts (or of a host with itself), NICs apart.
[[nodiscard]] inline PathSpec link_between(const NetworkSpec& network, HostId from, HostId to) {
  if (from == to) return network.same_host;
  for (const LinkSpec& link : network.links)
    if ((link.a == from && link.b == to) || (link.a == to && link.b == from)) return link.path;
  return network.between_hosts;
}
// Whether any message may share bandwidth with others: some link or NIC has a limit.
[[nodiscard]] bool has_flows(const ClusterSpec& cluster);
// What a message between two hosts meets: latency, and the least bandwidth on the way.
[[nodiscard]] PathSpec path_between(const ClusterSpec& cluster, HostId from, HostId to);

}  // namespace tarry
