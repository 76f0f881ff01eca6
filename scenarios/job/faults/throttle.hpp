// A GPU runs slower: its clock is lowered, since it is hot or short of power. Only kernels on that GPU take longer; its
// copies to and from the host's memory do not. TensorFlow does not notice (derived: costs are the world's).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Throttle {
  static constexpr std::string_view kKey = "throttle", kExample = "{task: worker/0, gpu: 0, percent: 300, lasts: 5s}",
                                    kMeaning = "the kernels on one GPU of a task take longer, or less";
  TaskId task;
  GpuIndex index;
  Percent percent;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &Throttle::task, "whose GPU"), field("gpu", &Throttle::index, "which of them"),
                      field("percent", &Throttle::percent, "of their usual time"),
                      field("lasts", &Throttle::lasts, "that long; else for good"));
  }
  [[nodiscard]] std::string problem(const ClusterSpec& cluster) const { return problem_of_gpu(cluster, task, index); }
  void happen(FaultContext& c) const {
    const std::string gpu = fmt::format("GPU:{}", index.value);
    c.note(fmt::format("the kernels on {} of {} take {}", gpu, c.name(task), pace_in_words(percent, "their")), kKey,
           c.name(task), gpu, percent.value > 100);
    c.world.paces().set_device(c.device(task, index.value), percent.value);
    c.undo_after(lasts, kKey, c.name(task), gpu, [&c, gpu, slowed = *this] {
      c.note(fmt::format("the kernels on {} of {} take their usual time", gpu, c.name(slowed.task)), kKey,
             c.name(slowed.task), gpu, false);
      c.world.paces().set_device(c.device(slowed.task, slowed.index.value), 100);
    });
  }
  friend bool operator==(const Throttle&, const Throttle&) = default;
};

}  // namespace tarry
