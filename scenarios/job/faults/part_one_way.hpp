// A network partition in one direction: nothing passes from one host to another, and the way back is free.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct PartOneWay {
  static constexpr std::string_view kKey = "part_one_way", kExample = "{from_to: [host0, server], lasts: 5s}",
                                    kMeaning = "nothing passes from one host to another, and nobody is told";
  HostPair ends;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("from_to", &PartOneWay::ends, "the sender's host and the receiver's"),
                      field("lasts", &PartOneWay::lasts, "that long, then what waited goes on; else for good"));
  }
  void happen(FaultContext& c) const {
    c.note("nothing passes " + from_to(c), kKey, c.name(ends.a), c.name(ends.b), true);
    c.world.network().part_one_way(ends.a, ends.b);
    c.undo_after(lasts, kKey, c.name(ends.a), c.name(ends.b), [&c, part = *this] {
      c.note("messages pass again " + part.from_to(c), kKey, c.name(part.ends.a), c.name(part.ends.b), false);
      c.world.network().join_one_way(part.ends.a, part.ends.b);
    });
  }
  [[nodiscard]] std::string from_to(const FaultContext& c) const {
    return fmt::format("from {} to {}", c.name(ends.a), c.name(ends.b));
  }
  friend bool operator==(const PartOneWay&, const PartOneWay&) = default;
};

}  // namespace tarry
