// What a run says about itself: one small value type per event.
//
// Workers and the simulated world make events; the log (results/log.hpp) hashes and keeps them; judges read them. An event holds ids
// and integers only. Names are NameIds into the run's name table (Env::name); times are simulated nanoseconds. `fields()` lists the
// members in a fixed order: what is hashed, stored and compared.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "placer/core/ids.hpp"

namespace tarry {

using Nanos = std::int64_t;

// A client's session.run began or ended at the master of `task`. `purpose` says what the client wanted.
enum class Purpose : std::uint8_t { init, ready_check, local_init, hook_init, init_tokens, train, sync, queue_runner, close_queue, other };
struct StepBegan {
  TaskId task;
  StepId step;
  Purpose purpose = Purpose::other;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, step.value, purpose); }
};
struct StepEnded {
  TaskId task;
  StepId step;
  std::int32_t code = 0;  // of the status; 0 = OK
  [[nodiscard]] auto fields() const { return std::tuple(task.value, step.value, code); }
};

// A gradient reached a conditional accumulator on `task`.
struct GradientPushed {
  TaskId task;
  NameId accumulator;
  StepId step;                    // whose step: joins with StepBegan
  std::int64_t local_step = 0;
  std::int64_t accumulator_step = 0;
  bool accepted = false;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, accumulator.value, step.value, local_step, accumulator_step, accepted); }
};
struct TakeIssued {
  TaskId task;
  NameId accumulator;
  StepId step;
  std::int64_t required = 0;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, accumulator.value, step.value, required); }
};
struct AggregateTaken {
  TaskId task;
  NameId accumulator;
  StepId step;
  std::int64_t averaged = 0;      // gradients in it; may exceed what was required
  std::int64_t accumulator_step = 0;  // after the take
  [[nodiscard]] auto fields() const { return std::tuple(task.value, accumulator.value, step.value, averaged, accumulator_step); }
};
struct AccumulatorStepSet {
  TaskId task;
  NameId accumulator;
  std::int64_t step = 0;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, accumulator.value, step); }
};

// Elements entered or left a queue; `value` is the first component when it is a known integer scalar, else -1.
struct Enqueued {
  TaskId task;
  NameId queue;
  StepId step;
  std::int64_t value = -1;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, queue.value, step.value, value); }
};
struct Dequeued {
  TaskId task;
  NameId queue;
  StepId step;
  std::int64_t value = -1;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, queue.value, step.value, value); }
};

// A known integer scalar was assigned to a variable (the global step moves here).
struct ScalarAssigned {
  TaskId task;
  NameId variable;
  StepId step;
  std::int64_t value = 0;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, variable.value, step.value, value); }
};

// A kernel occupied a device from `began` to the event's time. Free kernels are not noted.
struct KernelRan {
  TaskId task;
  NameId device, node, op;
  StepId step;
  Nanos began = 0;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, device.value, node.value, op.value, step.value, began); }
};

// A message between tasks was delivered at the event's time.
struct MessageDelivered {
  TaskId from, to;
  NameId kind;  // "RecvTensor request", "RunGraph reply", ...
  std::uint64_t bytes = 0;
  Nanos sent = 0;
  [[nodiscard]] auto fields() const { return std::tuple(from.value, to.value, kind.value, bytes, sent); }
};

// A training session of `task` reached a stage, or a line of a log.
enum class SessionStage : std::uint8_t { created, waiting, ready, looping, left_loop, closed, failed };
struct SessionMoved {
  TaskId task;
  SessionStage stage = SessionStage::created;
  NameId detail;  // an error's text, or ""
  [[nodiscard]] auto fields() const { return std::tuple(task.value, stage, detail.value); }
};
struct LogLine {
  TaskId task;
  char level = 'I';  // I, W, E
  NameId text;
  [[nodiscard]] auto fields() const { return std::tuple(task.value, level, text.value); }
};

using Event = std::variant<StepBegan, StepEnded, GradientPushed, TakeIssued, AggregateTaken, AccumulatorStepSet, Enqueued, Dequeued,
                           ScalarAssigned, KernelRan, MessageDelivered, SessionMoved, LogLine>;

}  // namespace tarry
