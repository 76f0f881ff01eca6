// The connections between two tasks break once; both live on.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Disconnect {
  static constexpr std::string_view kKey = "disconnect", kExample = "[worker/0, ps/0]",
                                    kMeaning = "the connections between two tasks break once";
  TaskPair ends;

  static constexpr auto fields() { return std::tuple(field("between", &Disconnect::ends, "two tasks")); }
  void happen(FaultContext& c) const {
    c.say(fmt::format("the connections between {} and {} broke", c.name(ends.a), c.name(ends.b)), kKey, c.name(ends.a),
          c.name(ends.b));
    c.directory.disconnect(ends.a, ends.b);
  }
  friend bool operator==(const Disconnect&, const Disconnect&) = default;
};

}  // namespace tarry
