// The network between two hosts jams: messages are held, and then all of them are there at once, in the order in which
// they were sent. A full buffer on the way does so, or a host whose network card was asleep.
//
// Nobody is told (recorded for partitions: docs/rules/runtime.md#E.3.8); that TensorFlow copes with many messages at
// one moment follows from its calls being independent of each other (derived).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Jam {
  static constexpr std::string_view kKey = "jam", kExample = "{between: [host0, server], lasts: 5s}",
                                    kMeaning = "messages between two hosts are held, then all are there at once";
  HostPair ends;
  Nanos lasts = 0;

  static constexpr auto fields() {
    return std::tuple(field("between", &Jam::ends, "two hosts, both directions"),
                      field("lasts", &Jam::lasts, "that long"));
  }
  void happen(FaultContext& c) const {
    const std::string a = c.name(ends.a), b = c.name(ends.b);
    c.note(fmt::format("messages between {} and {} are held", a, b), kKey, a, b, true);
    c.world.network().hold(both_ways(ends.a, ends.b), Hold::jam);
    c.undo_after(lasts, kKey, a, b, [&c, a, b, jammed = both_ways(ends.a, ends.b)] {
      c.note(fmt::format("all messages between {} and {} are there at once", a, b), kKey, a, b, false);
      c.world.network().release(jammed, Hold::jam, LetGo::at_once);
    });
  }
  friend bool operator==(const Jam&, const Jam&) = default;
};

}  // namespace tarry
