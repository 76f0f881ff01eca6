// Devices and their lanes, each of which runs one kernel at a time: a CPU's inter-op threads, a GPU's compute stream,
// and each of its two copy engines where copies take time.
//
// The copies of GPUs below one PCIe root share it (pcie.hpp): there a copy takes longer while there are others.
//
// Where a GPU launches ahead, as TensorFlow does on a stream, the launch of a kernel overlaps the kernels before it:
// launches follow each other, and a kernel begins when its launch is over and the lane is free. So a busy GPU takes the
// longer of launch and work. A kernel that follows the last one without a pause was launched behind that one's launch,
// even where it needs what that one computed; after a pause the launch begins when the kernel is asked for.
//
// A kernel takes a free lane or waits; first come, first served. A CPU with 0 threads has unlimited lanes. A kernel
// counts as busy time for as long as it has run. While a task stands still, no time passes for its kernels: not for a
// GPU's either (a real GPU would end what it has been given, and the process would hear of it when it goes on).
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/heap.hpp"
#include "sim/pcie.hpp"
#include "sim/pool.hpp"

namespace tarry {

struct DeviceUse {
  TaskId task;
  std::string name;  // full
  int lanes = 0;     // 0 = unlimited
  Nanos busy = 0;    // summed over lanes
  Nanos shared = 0;  // of that, what other copies took of a PCIe root
  std::uint64_t kernels = 0;
  std::uint64_t peak_bytes = 0, memory_bytes = 0;  // of all processes of the task; 0 = not counted
  Nanos busy_before = 0;                           // of `busy`, and of `kernels`: before training began
  std::uint64_t kernels_before = 0;
};

class Devices {
 public:
  Devices(const ClusterSpec& cluster, EventHeap& heap);

  // The device with this full name. A device that the cluster lacks is a bug, since the placer uses this cluster's
  // devices.
  [[nodiscard]] DeviceId find(std::string_view name) const;
  // How long a kernel takes, >= 0, and how long it would without what slows its task down or speeds it up.
  struct Duration {
    Nanos now = 0, usual = 0;
    Nanos ahead = 0;  // so much of `now` is a launch that overlaps what runs before
  };
  // Occupies a lane for that long, or longer where it is a copy that shares a root; then continues.
  void run(DeviceId device, Duration duration, Continuation done);
  void run(DeviceId device, Nanos duration, Continuation done) { run(device, {duration, duration}, done); }
  // How long the kernel ran that continues now, without what it waited for its lane or stood still.
  [[nodiscard]] Nanos ran() const { return ran_; }
  // Called when the task's process has ended: waiting kernels continue now (their callers drop them), and every lane is
  // free.
  void clear(TaskId task);
  // All devices of the task stop, or go on where they stopped.
  void stand_still(TaskId task);
  void go_on(TaskId task);
  // Training begins.
  void begin_training();
  // Up to now: of a kernel that has not ended, what has passed of it.
  [[nodiscard]] std::vector<DeviceUse> use() const;

 private:
  struct Job {
    DeviceId device;
    Duration duration;
    Continuation done;
    std::uint32_t life = 0;   // Lanes::life when the job began
    Nanos began = -1;         // -1 = it waits, or is over
    Nanos stood = 0;          // Standing::stood_until when it began, or was last put off
    std::uint32_t asked = 0;  // the event that asked for it (workers/causes.hpp)
    Nanos asked_at = 0;
  };
  struct Standing {  // of a task
    bool now = false;
    Nanos since = 0, total = 0;       // the total is that of earlier times
    std::vector<std::uint32_t> held;  // jobs that would have ended meanwhile
    [[nodiscard]] Nanos stood_until(Nanos at) const { return total + (now ? at - since : 0); }
  };
  struct Lanes {
    int free = 0;
    std::uint32_t life = 0;             // number of clears so far
    Nanos launched = 0, freed = -1;     // the end of the last launch, and of the last kernel
    std::deque<std::uint32_t> waiting;  // jobs
  };

  DeviceId add(TaskId task, std::string name, int lanes);
  struct BelowRoots {  // of a host
    std::uint32_t gpus = 0;
    std::array<std::uint32_t, 2> roots{};  // the last ones, by CopyEngine
  };
  void add_copy_engines(const ClusterSpec& cluster, TaskId task, std::size_t gpu, BelowRoots& below);
  template <class F>
  void for_copies(TaskId task, F&& each) {  // its engines below roots
    for (std::size_t d = 0; d < use_.size(); ++d)
      if (use_[d].task == task && roots_.has(DeviceId{d})) each(DeviceId{d});
  }
  void begin(std::uint32_t job);
  void overlap_launch(Job& job);
  void count(Job& job);
  [[nodiscard]] Standing& standing(const Job& job) { return standing_[use_[job.device.index()].task.index()]; }
  [[nodiscard]] Nanos stood(const Job& job) const {
    return standing_[use_[job.device.index()].task.index()].stood_until(heap_.now()) - job.stood;
  }
  bool put_off(std::uint32_t job);
  void end_later(std::uint32_t job, Nanos due, const Wait& wait);
  void finish(std::uint32_t job);

  EventHeap& heap_;
  std::vector<DeviceUse> use_;
  std::vector<Lanes> lanes_;
  Pool<Job> jobs_;
  std::vector<Standing> standing_;  // by task
  PcieRoots roots_;
  Nanos ran_ = 0;
};

}  // namespace tarry
