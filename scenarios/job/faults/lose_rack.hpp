// A switch or the power of several hosts is taken away: all their processes end at one moment, and come back together,
// if they do. What TensorFlow does is what it does for one host (lose_host.hpp; derived from
// docs/rules/runtime.md#E.7).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct LoseRack {
  static constexpr std::string_view kKey = "lose_rack", kExample = "{hosts: [server, host0], back_after: 20s}",
                                    kMeaning = "all processes of several hosts end with their state";
  HostList rack;
  std::optional<Nanos> back_after;

  static constexpr auto fields() {
    return std::tuple(field("hosts", &LoseRack::rack, "whose processes"),
                      field("back_after", &LoseRack::back_after, "new ones begin that long after; else never"));
  }
  void happen(FaultContext& c) const {
    const bool is_one = rack.hosts.size() == 1;
    c.say(fmt::format("{} {}", c.names(rack.hosts),
                      is_one ? "is lost with all its processes" : "are lost with all their processes"),
          kKey, c.names(rack.hosts));
    for (const HostId host : rack.hosts) c.lose(host, back_after);
  }
  friend bool operator==(const LoseRack&, const LoseRack&) = default;
};

}  // namespace tarry
