// The kernels of all tasks of a host take a percentage of their usual time, those of its GPUs too: a neighbour, a clock
// that is lowered, a memory that fails. TensorFlow has no notion of it (derived: costs are the world's, not
// TensorFlow's).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct SlowHost {
  static constexpr std::string_view kKey = "slow_host", kExample = "{host: host0, percent: 300, lasts: 5s}",
                                    kMeaning = "the kernels of all tasks of a host take longer, or less";
  HostId host;
  Percent percent;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("host", &SlowHost::host, "whose tasks"),
                      field("percent", &SlowHost::percent, "of their usual time"),
                      field("lasts", &SlowHost::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    c.note(fmt::format("the kernels on {} take {}", c.name(host), pace_in_words(percent, "their")), kKey, c.name(host),
           "", percent.value > 100);
    c.world.paces().set_host(host, percent.value);
    c.undo_after(lasts, kKey, c.name(host), "", [&c, slowed = host] {
      c.note(fmt::format("the kernels on {} take their usual time", c.name(slowed)), kKey, c.name(slowed), "", false);
      c.world.paces().set_host(slowed, 100);
    });
  }
  friend bool operator==(const SlowHost&, const SlowHost&) = default;
};

}  // namespace tarry
