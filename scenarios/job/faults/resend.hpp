// The connection of a caller to a server breaks once, and its channel sends the open calls again without telling the
// caller.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Resend {
  static constexpr std::string_view
      kKey = "resend",
      kExample = "[worker/0, ps/0]",
      kMeaning =
          "the connection of a caller and a server breaks once, and the caller's channel sends its open calls again";
  TaskPair ends;  // caller, server

  static constexpr auto fields() { return std::tuple(field("between", &Resend::ends, "a caller and a server")); }
  // Calls must keep their requests from the beginning of the run, so that they can be sent again.
  static void prepare(FaultContext& c) { c.directory.may_resend = true; }
  void happen(FaultContext& c) const {
    c.say(fmt::format("the connection from {} to {} broke, and its open calls were sent again", c.name(ends.a),
                      c.name(ends.b)),
          kKey, c.name(ends.a), c.name(ends.b));
    c.directory.resend(ends.a, ends.b);
  }
  friend bool operator==(const Resend&, const Resend&) = default;
};

}  // namespace tarry
