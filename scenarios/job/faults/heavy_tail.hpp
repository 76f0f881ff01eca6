// One of every so many executions of an op takes much longer, as when threads, garbage or input get in its way: the
// mean hardly changes, and the slowest of many workers does.
//
// Which executions these are is drawn from the job's seed, in a stream of each node: nothing else draws differently for
// it, and a node's draws do not depend on other nodes. TensorFlow has no notion of it (derived: costs are the world's).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct HeavyTail {
  static constexpr std::string_view kKey = "heavy_tail",
                                    kExample = "{task: worker/0, op: MatMul, one_in: 10, percent: 1000, lasts: 5s}",
                                    kMeaning = "one of so many executions of an op takes longer, or less";
  TaskId task;
  OpPattern op;
  Count one_in;
  Percent percent;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &HeavyTail::task, "whose kernels"),
                      field("op", &HeavyTail::op, "of this op; * stands for any text"),
                      field("one_in", &HeavyTail::one_in, "one of so many, drawn"),
                      field("percent", &HeavyTail::percent, "of its usual time"),
                      field("lasts", &HeavyTail::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    const std::string which =
        one_in.value == 1 ? "every execution of" : fmt::format("one in {} executions of", one_in.value);
    c.note(fmt::format("{} {} at {} takes {}", which, in_words(op), c.name(task), pace_in_words(percent, "its")), kKey,
           c.name(task), op.text, percent.value > 100);
    c.world.paces().set_tail(task, op.text, Tail{one_in.value, percent.value});
    c.undo_after(lasts, kKey, c.name(task), op.text, [&c, tail = *this] {
      c.note(fmt::format("all executions of {} at {} take their usual time", in_words(tail.op), c.name(tail.task)),
             kKey, c.name(tail.task), tail.op.text, false);
      c.world.paces().set_tail(tail.task, tail.op.text, std::nullopt);
    });
  }
  static std::string in_words(const OpPattern& pattern) { return pattern.text == "*" ? "any op" : pattern.text; }
  friend bool operator==(const HeavyTail&, const HeavyTail&) = default;
};

}  // namespace tarry
