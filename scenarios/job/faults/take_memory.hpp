// A neighbour on the same GPU takes memory: a step that needs more than is left ends with RESOURCE_EXHAUSTED `OOM when
// allocating tensor with shape... and type ... on ... by allocator GPU_0_bfc`, TensorFlow's text.
//
// TensorFlow takes nearly all of a GPU's memory when it begins, so that this happens to processes that grow
// (gpu_options.allow_growth) and to the next process of a task (specified in TensorFlow's guide to GPUs).
// RESOURCE_EXHAUSTED is not one of the codes after which a client makes a new session (docs/rules/runtime.md#E.6.5).
// What a process has in use already stays its own. Where the cluster does not count memory, nothing happens but a line
// in the log.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct TakeMemory {
  static constexpr std::string_view kKey = "take_memory", kExample = "{task: worker/0, gpu: 0, bytes: 1GB, lasts: 5s}",
                                    kMeaning = "others take a part of the memory of one GPU of a task";
  TaskId task;
  GpuIndex index;
  Bytes bytes;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &TakeMemory::task, "whose GPU"), field("gpu", &TakeMemory::index, "which of them"),
                      field("bytes", &TakeMemory::bytes, "that others hold"),
                      field("lasts", &TakeMemory::lasts, "that long; else for good"));
  }
  [[nodiscard]] std::string problem(const ClusterSpec& cluster) const { return problem_of_gpu(cluster, task, index); }
  void happen(FaultContext& c) const {
    const std::string gpu = fmt::format("GPU:{}", index.value), who = c.name(task);
    if (c.world.cluster().tasks[task.index()].gpus[static_cast<std::size_t>(index.value)].memory_bytes == 0)
      return c.say(fmt::format("the memory of {} of {} is not counted: nobody can take it", gpu, who), kKey, who, gpu);
    c.note(fmt::format("others hold {} bytes of {} of {}", bytes.value, gpu, who), kKey, who, gpu, true);
    c.world.gpus().set_others(task, c.gpu(task, index.value), bytes.value);
    c.undo_after(lasts, kKey, who, gpu, [&c, gpu, taken = *this] {
      c.note(fmt::format("others hold nothing of {} of {}", gpu, c.name(taken.task)), kKey, c.name(taken.task), gpu,
             false);
      c.world.gpus().set_others(taken.task, c.gpu(taken.task, taken.index.value), 0);
    });
  }
  friend bool operator==(const TakeMemory&, const TakeMemory&) = default;
};

}  // namespace tarry
