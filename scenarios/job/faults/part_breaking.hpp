// A network partition that breaks connections: nothing passes between two hosts, and after a while the systems of both
// give up. Open calls fail then with UNAVAILABLE `Socket closed` and are cancelled at their servers, as by
// `disconnect`; calls that are made while it lasts fail so long after they were sent, but for those that wait for a
// connection (GetStatus, CleanupGraph: docs/rules/runtime.md#E.3.7). A client then makes sessions until the hosts are
// joined again.
//
// The errors are recorded for connections that break at once; that a partition leads to them after the system's
// time-out is derived. With TensorFlow's defaults it is minutes: Linux sends again for about 15 minutes.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct PartBreaking {
  static constexpr std::string_view kKey = "part_breaking",
                                    kExample = "{between: [host0, server], breaks_after: 2s, lasts: 5s}",
                                    kMeaning = "nothing passes between two hosts, and their connections break";
  HostPair ends;
  Nanos breaks_after = 0;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("between", &PartBreaking::ends, "two hosts"),
                      field("breaks_after", &PartBreaking::breaks_after, "when the connections break"),
                      field("lasts", &PartBreaking::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    const std::string a = c.name(ends.a), b = c.name(ends.b);
    c.note(fmt::format("nothing passes between {} and {}", a, b), kKey, a, b, true);
    c.world.network().hold(both_ways(ends.a, ends.b), Hold::breaking);
    c.world.network().lose_held_after(both_ways(ends.a, ends.b), breaks_after);
    c.undo_after(breaks_after, kKey, a, b, [&c, broken = *this] { broken.break_connections(c); });
    c.undo_after(lasts, kKey, a, b, [&c, a, b, joined = both_ways(ends.a, ends.b)] {
      c.note(fmt::format("messages pass again between {} and {}", a, b), kKey, a, b, false);
      c.world.network().lose_held_after(joined, std::nullopt);
      c.world.network().release(joined, Hold::breaking);
    });
  }
  void break_connections(FaultContext& c) const {
    c.say(fmt::format("the connections between {} and {} broke", c.name(ends.a), c.name(ends.b)), "disconnect",
          c.name(ends.a), c.name(ends.b));
    const std::vector<Continuation> lost = c.world.network().take_held(both_ways(ends.a, ends.b));
    for (const TaskId a : c.tasks_on(ends.a))
      for (const TaskId b : c.tasks_on(ends.b)) c.directory.disconnect(a, b);
    for (const Continuation& message : lost) c.world.network().on_broken(message);
  }
  friend bool operator==(const PartBreaking&, const PartBreaking&) = default;
};

}  // namespace tarry
