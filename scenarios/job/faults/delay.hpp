// Messages between two hosts, in both directions, take another latency.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Delay {
  static constexpr std::string_view kKey = "delay", kExample = "{between: [host0, server], latency: 200ms, lasts: 5s}",
                                    kMeaning = "messages between two hosts take another latency";
  HostPair ends;
  Nanos latency = 0;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("between", &Delay::ends, "two hosts, both directions"),
                      field("latency", &Delay::latency, "one way"),
                      field("lasts", &Delay::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    set(c, latency);
    c.undo_after(lasts, kKey, c.name(ends.a), c.name(ends.b), [&c, delay = *this] { delay.set(c, std::nullopt); });
  }
  // nullopt = the usual latency.
  void set(FaultContext& c, std::optional<Nanos> one_way) const {
    c.note(fmt::format("messages between {} and {} take {}", c.name(ends.a), c.name(ends.b),
                       one_way ? fmt::format("{:.6g} s", in_seconds(*one_way)) : "their usual time"),
           kKey, c.name(ends.a), c.name(ends.b), one_way.has_value());
    c.world.network().set_latency(ends.a, ends.b, one_way);
    c.world.network().set_latency(ends.b, ends.a, one_way);
  }
  friend bool operator==(const Delay&, const Delay&) = default;
};

}  // namespace tarry
