// A machine is shut down, or its virtual machine is taken away: all its processes end, and come back together, if they
// do.
//
// The system closes their connections, as at a process's end: calls to them fail with UNAVAILABLE, and restarted tasks
// have new incarnations (recorded for single processes: docs/rules/runtime.md#E.7). A machine that loses its power
// closes nothing, and nobody is told until connections break: that is `part` or `part_breaking` with this fault.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct LoseHost {
  static constexpr std::string_view kKey = "lose_host", kExample = "{host: host0, back_after: 20s}",
                                    kMeaning = "all processes of a host end with their state";
  HostId host;
  std::optional<Nanos> back_after;

  static constexpr auto fields() {
    return std::tuple(field("host", &LoseHost::host, "whose processes"),
                      field("back_after", &LoseHost::back_after, "new ones begin that long after; else never"));
  }
  void happen(FaultContext& c) const {
    c.say(fmt::format("{} is lost with all its processes", c.name(host)), kKey, c.name(host));
    c.lose(host, back_after);
  }
  friend bool operator==(const LoseHost&, const LoseHost&) = default;
};

}  // namespace tarry
