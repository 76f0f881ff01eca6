// Calls between two tasks overtake each other: each message takes up to `within` longer, a time that is drawn for each
// from the job's seed.
//
// TensorFlow orders no two calls: each is a stream of its own that some thread serves, and who needs an order waits for
// an answer (derived from docs/rules/runtime.md#D.1.2 and #E.2.5: RunGraphs are sent at once, without an order; a
// RecvTensor that comes before its RunGraph is deferred, #D.6). What stays in order here: an answer comes after its
// request, a cancellation does not overtake its request, and the end of a connection overtakes nothing.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Reorder {
  static constexpr std::string_view kKey = "reorder", kExample = "{between: [worker/0, ps/0], within: 10ms, lasts: 5s}",
                                    kMeaning = "messages between two tasks may overtake each other";
  TaskPair ends;
  Nanos within = 0;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("between", &Reorder::ends, "two tasks, both directions"),
                      field("within", &Reorder::within, "the most that a message takes longer"),
                      field("lasts", &Reorder::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    const std::string a = c.name(ends.a), b = c.name(ends.b);
    c.note(fmt::format("messages between {} and {} take up to {:.6g} s longer, each another time", a, b,
                       in_seconds(within)),
           kKey, a, b, true);
    set(c, ends.a, ends.b, within);
    set(c, ends.b, ends.a, within);
    c.undo_after(lasts, kKey, a, b, [&c, a, b, usual = *this] {
      c.note(fmt::format("messages between {} and {} take their usual time", a, b), kKey, a, b, false);
      set(c, usual.ends.a, usual.ends.b, std::nullopt);
      set(c, usual.ends.b, usual.ends.a, std::nullopt);
    });
  }
  static void set(FaultContext& c, TaskId from, TaskId to, std::optional<Nanos> most) {
    std::optional<Transport::Jitter> jitter;
    if (most)
      jitter.emplace(
          Transport::Jitter{*most, Keyed(c.world.stream(fmt::format("reorder/{}/{}", c.name(from), c.name(to))))});
    c.world.network().set_jitter(from, to, jitter);
  }
  friend bool operator==(const Reorder&, const Reorder&) = default;
};

}  // namespace tarry
