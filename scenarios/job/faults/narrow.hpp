// The path between two hosts has less bandwidth, in both directions: a link that fell back to a lower speed, or
// neighbours that fill it. Flows that are under way feel it at once, smaller messages when they are sent.
//
// Where neither the link nor the hosts' cards have a limit there is nothing to lower: a line in the log says so.
// TensorFlow has no notion of it (derived: the network is the world's).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Narrow {
  static constexpr std::string_view kKey = "narrow", kExample = "{between: [host0, server], percent: 10, lasts: 5s}",
                                    kMeaning = "the path between two hosts has less bandwidth";
  HostPair ends;
  PercentLeft percent;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("between", &Narrow::ends, "two hosts, both directions"),
                      field("percent", &Narrow::percent, "that is left of it"),
                      field("lasts", &Narrow::lasts, "that long; else for good"));
  }
  // Flows may need a link of their own for it from the beginning of the run.
  void prepare(FaultContext& c) const {
    for (const Way& way : both_ways(ends.a, ends.b)) c.world.network().may_narrow(way);
  }
  void happen(FaultContext& c) const {
    const std::string a = c.name(ends.a), b = c.name(ends.b);
    if (path_between(c.world.cluster(), ends.a, ends.b).bandwidth == 0)
      return c.say(fmt::format("the path between {} and {} has no shared bandwidth limit: it cannot be narrowed", a, b),
                   kKey, a, b);
    c.note(fmt::format("the path between {} and {} has {} % of its bandwidth", a, b, percent.value), kKey, a, b, true);
    for (const Way& way : both_ways(ends.a, ends.b)) c.world.network().narrow(way, percent.value);
    c.undo_after(lasts, kKey, a, b, [&c, a, b, narrowed = ends] {
      c.note(fmt::format("the path between {} and {} has its usual bandwidth", a, b), kKey, a, b, false);
      for (const Way& way : both_ways(narrowed.a, narrowed.b)) c.world.network().narrow(way, 100);
    });
  }
  friend bool operator==(const Narrow&, const Narrow&) = default;
};

}  // namespace tarry
