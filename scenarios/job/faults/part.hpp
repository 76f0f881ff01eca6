// A network partition: nothing passes between two hosts. No error is raised: waiting messages go on when the hosts are
// joined again.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Part {
  static constexpr std::string_view kKey = "part", kExample = "{between: [host0, server], lasts: 5s}",
                                    kMeaning = "nothing passes between two hosts, and nobody is told";
  HostPair ends;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("between", &Part::ends, "two hosts"),
                      field("lasts", &Part::lasts, "that long, then what waited goes on; else for good"));
  }
  void happen(FaultContext& c) const {
    c.note("nothing passes " + between(c), kKey, c.name(ends.a), c.name(ends.b), true);
    c.world.network().part(ends.a, ends.b);
    c.undo_after(lasts, kKey, c.name(ends.a), c.name(ends.b), [&c, part = *this] {
      c.note("messages pass again " + part.between(c), kKey, c.name(part.ends.a), c.name(part.ends.b), false);
      c.world.network().join(part.ends.a, part.ends.b);
    });
  }
  [[nodiscard]] std::string between(const FaultContext& c) const {
    return fmt::format("between {} and {}", c.name(ends.a), c.name(ends.b));
  }
  friend bool operator==(const Part&, const Part&) = default;
};

}  // namespace tarry
