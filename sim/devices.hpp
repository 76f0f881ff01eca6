// Devices that one kernel occupies at a time per lane: a CPU's inter-op threads, a GPU's compute stream, each of its
// two copy engines where copies take time.
//
// A kernel takes a free lane or waits; first come, first served. A CPU with 0 threads has as many lanes as it needs.
// Busy time is added up when a kernel begins.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/heap.hpp"
#include "sim/pool.hpp"

namespace tarry {

struct DeviceUse {
  TaskId task;
  std::string name;  // full
  int lanes = 0;     // 0 = unlimited
  Nanos busy = 0;    // summed over lanes
  std::uint64_t kernels = 0;
  std::uint64_t peak_bytes = 0, memory_bytes = 0;  // of its memory, over all processes of the task; 0 = not counted
};

class Devices {
 public:
  Devices(const ClusterSpec& cluster, EventHeap& heap);

  // By full name. A device that the cluster doesn't have is a bug: the placer placed on this cluster's devices.
  [[nodiscard]] DeviceId find(std::string_view name) const;
  // Occupies a lane for `duration` >= 0, then continues.
  void run(DeviceId device, Nanos duration, Continuation done);
  // The task's process is gone: what waits continues now (to be dropped), and every lane is free.
  void clear(TaskId task);
  [[nodiscard]] const std::vector<DeviceUse>& use() const { return use_; }

 private:
  struct Job {
    DeviceId device;
    Nanos duration = 0;
    Continuation done;
    std::uint32_t life = 0;  // of the lanes
  };
  struct Lanes {
    int free = 0;
    std::uint32_t life = 0;             // clears so far
    std::deque<std::uint32_t> waiting;  // jobs
  };

  void add(TaskId task, std::string name, int lanes);
  void begin(std::uint32_t job);
  void finish(std::uint32_t job);

  EventHeap& heap_;
  std::vector<DeviceUse> use_;
  std::vector<Lanes> lanes_;
  Pool<Job> jobs_;
};

}  // namespace tarry
