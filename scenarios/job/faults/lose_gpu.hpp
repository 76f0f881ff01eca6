// A GPU fails under a process: each of its kernels ends from then on with INTERNAL `GPU sync failed`, and the process
// lives.
//
// This is what TensorFlow says where it waits for a GPU's stream that is in error (seen in users' logs, not recorded;
// where it polls for a GPU's events in place of that, the real process ends: that is `kill`). INTERNAL is not one of
// the codes after which a client makes a new session (docs/rules/runtime.md#E.6.5): it leaves training with the error.
// CUDA's errors of this sort stay with the process, so the next process of the task finds the GPU again (specified in
// CUDA's manual; a GPU that has fallen off the bus would be missing until its machine starts anew).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct LoseGpu {
  static constexpr std::string_view kKey = "lose_gpu", kExample = "{task: worker/0, gpu: 0}",
                                    kMeaning = "every kernel on one GPU of a process fails";
  TaskId task;
  GpuIndex index;

  static constexpr auto fields() {
    return std::tuple(field("task", &LoseGpu::task, "whose GPU"), field("gpu", &LoseGpu::index, "which of them"));
  }
  [[nodiscard]] std::string problem(const ClusterSpec& cluster) const { return problem_of_gpu(cluster, task, index); }
  void happen(FaultContext& c) const {
    if (!c.directory.is_present(task)) return;
    const std::string gpu = fmt::format("GPU:{}", index.value);
    c.note(fmt::format("{} of {} is lost to its process", gpu, c.name(task)), kKey, c.name(task), gpu, true);
    c.world.gpus().lose(task, c.gpu(task, index.value));
  }
  friend bool operator==(const LoseGpu&, const LoseGpu&) = default;
};

}  // namespace tarry
