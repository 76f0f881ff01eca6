// The memory and the health of the tasks' GPUs.
//
// Both are a process's own: the next process of a task starts with an empty memory, and finds a GPU again that the one
// before had lost. What others hold of a GPU's memory outlasts the processes.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/devices.hpp"
#include "workers/device_memory.hpp"

namespace tarry {

class Gpus {
 public:
  // REQUIRES: `cluster` outlives it.
  explicit Gpus(const ClusterSpec& cluster) : cluster_(cluster), lives_(cluster.tasks.size()) {}

  // Of the task's present process; null where memory is not counted, or the device is no GPU. `device` is a full name.
  [[nodiscard]] DeviceMemoryRef memory_of(TaskId task, std::string_view device);
  [[nodiscard]] const DeviceHealth* health_of(TaskId task, std::string_view device);

  // The task's process has ended.
  void renew(TaskId task) { ++lives_[task.index()]; }
  // The present process of the task cannot use the GPU any more.
  void lose(TaskId task, std::string_view device) { own(task, device).is_lost = true; }
  [[nodiscard]] bool is_lost(TaskId task, std::string_view device) { return own(task, device).is_lost; }
  // Others hold that much of its memory from now on; 0 = none.
  void set_others(TaskId task, std::string_view device, std::uint64_t bytes);

  // Adds the peak and the size of each memory.
  void add_use(std::vector<DeviceUse>& devices) const;

 private:
  struct Memory {
    TaskId task;
    std::uint32_t life = 0;
    DeviceMemoryRef memory;
  };
  struct Health {
    TaskId task;
    std::uint32_t life = 0;
    std::string device;
    DeviceHealth health;
  };
  DeviceHealth& own(TaskId task, std::string_view device);

  const ClusterSpec& cluster_;
  std::vector<std::uint32_t> lives_;                          // by task: how many of its processes have ended
  std::vector<Memory> memories_;                              // of every process that asked for one
  std::deque<Health> healths_;                                // likewise; a deque, since they keep their addresses
  std::map<std::string, std::uint64_t, std::less<>> others_;  // bytes, by device
};

}  // namespace tarry
