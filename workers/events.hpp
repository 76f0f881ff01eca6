// The events of a run: one small value type per kind.
//
// Workers and the simulated world note events; the log (results/log.hpp) hashes and keeps them; verdicts read them. An
// event holds ids and integers only. Names are NameIds into the run's name table (Env::name); times are simulated
// nanoseconds. `kFields` lists the members in the fixed order in which they are hashed, stored and compared.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "placer/core/ids.hpp"
#include "workers/nanos.hpp"

namespace tarry {

// A client's session.run began or ended at the master of `task`. `purpose` says what the client wanted.
enum class Purpose : std::uint8_t {
  init,
  ready_check,
  local_init,
  hook_init,
  init_tokens,
  train,
  sync,
  queue_runner,
  close_queue,
  other,
  save,
  restore
};
struct StepBegan {
  TaskId task;
  StepId step;
  Purpose purpose = Purpose::other;
  static constexpr auto kFields = std::tuple(&StepBegan::task, &StepBegan::step, &StepBegan::purpose);
};
struct StepEnded {
  TaskId task;
  StepId step;
  std::int32_t code = 0;  // of the status; 0 = OK
  static constexpr auto kFields = std::tuple(&StepEnded::task, &StepEnded::step, &StepEnded::code);
};

// A gradient reached a conditional accumulator on `task`.
struct GradientPushed {
  TaskId task;
  NameId accumulator;
  StepId step;  // the step that pushed it, as in StepBegan
  std::int64_t local_step = 0;
  std::int64_t accumulator_step = 0;
  bool accepted = false;
  static constexpr auto kFields =
      std::tuple(&GradientPushed::task, &GradientPushed::accumulator, &GradientPushed::step,
                 &GradientPushed::local_step, &GradientPushed::accumulator_step, &GradientPushed::accepted);
};
struct TakeIssued {
  TaskId task;
  NameId accumulator;
  StepId step;
  std::int64_t required = 0;
  static constexpr auto kFields =
      std::tuple(&TakeIssued::task, &TakeIssued::accumulator, &TakeIssued::step, &TakeIssued::required);
};
struct AggregateTaken {
  TaskId task;
  NameId accumulator;
  StepId step;
  std::int64_t averaged = 0;          // gradients in it; may exceed what was required
  std::int64_t accumulator_step = 0;  // after the take
  static constexpr auto kFields = std::tuple(&AggregateTaken::task, &AggregateTaken::accumulator, &AggregateTaken::step,
                                             &AggregateTaken::averaged, &AggregateTaken::accumulator_step);
};
struct AccumulatorStepSet {
  TaskId task;
  NameId accumulator;
  std::int64_t step = 0;
  static constexpr auto kFields =
      std::tuple(&AccumulatorStepSet::task, &AccumulatorStepSet::accumulator, &AccumulatorStepSet::step);
};

// Elements entered or left a queue; `value` is the first component when it is a known integer scalar, else -1.
struct Enqueued {
  TaskId task;
  NameId queue;
  StepId step;
  std::int64_t value = -1;
  static constexpr auto kFields = std::tuple(&Enqueued::task, &Enqueued::queue, &Enqueued::step, &Enqueued::value);
};
struct Dequeued {
  TaskId task;
  NameId queue;
  StepId step;
  std::int64_t value = -1;
  static constexpr auto kFields = std::tuple(&Dequeued::task, &Dequeued::queue, &Dequeued::step, &Dequeued::value);
};

// A known integer scalar was assigned to a variable (the global step moves here).
struct ScalarAssigned {
  TaskId task;
  NameId variable;
  StepId step;
  std::int64_t value = 0;
  static constexpr auto kFields =
      std::tuple(&ScalarAssigned::task, &ScalarAssigned::variable, &ScalarAssigned::step, &ScalarAssigned::value);
};

// A kernel occupied a device from `began` to the event's time. Kernels that take no time are not noted.
struct KernelRan {
  TaskId task;
  NameId device, node, op;
  StepId step;
  Nanos began = 0;
  static constexpr auto kFields = std::tuple(&KernelRan::task, &KernelRan::device, &KernelRan::node, &KernelRan::op,
                                             &KernelRan::step, &KernelRan::began);
};

// A message between tasks was delivered at the event's time.
struct MessageDelivered {
  TaskId from, to;
  NameId kind;  // "RecvTensor request", "RunGraph reply", ...
  std::uint64_t bytes = 0;
  Nanos sent = 0;
  NameId key;   // the rendezvous key of the tensor that it asks for or carries; "" = none
  StepId step;  // that it belongs to; 0 = none
  static constexpr auto kFields =
      std::tuple(&MessageDelivered::from, &MessageDelivered::to, &MessageDelivered::kind, &MessageDelivered::bytes,
                 &MessageDelivered::sent, &MessageDelivered::key, &MessageDelivered::step);
};

// A training session of `task` reached a stage.
enum class SessionStage : std::uint8_t { created, waiting, ready, looping, left_loop, closed, failed };
struct SessionMoved {
  TaskId task;
  SessionStage stage = SessionStage::created;
  NameId detail;  // an error's text, or ""
  static constexpr auto kFields = std::tuple(&SessionMoved::task, &SessionMoved::stage, &SessionMoved::detail);
};
// What the chief's hook found in its graph when it prepared synchronous training.
struct SyncPlanned {
  TaskId task;
  std::int64_t replicas_to_aggregate = 0, total_replicas = 0, initial_tokens = 0;
  static constexpr auto kFields = std::tuple(&SyncPlanned::task, &SyncPlanned::replicas_to_aggregate,
                                             &SyncPlanned::total_replicas, &SyncPlanned::initial_tokens);
};
struct LogLine {
  TaskId task;
  char level = 'I';  // I, W, E
  NameId text;
  static constexpr auto kFields = std::tuple(&LogLine::task, &LogLine::level, &LogLine::text);
};

// A task's process ended or began; or a condition of the cluster (a fault) changed, described in words.
struct ProcessEnded {
  TaskId task;
  static constexpr auto kFields = std::tuple(&ProcessEnded::task);
};
struct ProcessBegan {
  TaskId task;
  std::int64_t number = 0;  // how many processes the task had before
  static constexpr auto kFields = std::tuple(&ProcessBegan::task, &ProcessBegan::number);
};
struct ConditionChanged {
  NameId what;        // in words
  NameId kind;        // "part", "slow", ...: the key of the fault
  NameId a, b;        // the tasks or hosts that it is about; "" where there is no second one
  bool holds = true;  // false: it is over
  static constexpr auto kFields = std::tuple(&ConditionChanged::what, &ConditionChanged::kind, &ConditionChanged::a,
                                             &ConditionChanged::b, &ConditionChanged::holds);
};

// What the end of the run cut off: a kernel that was asked for and has not ended, a message that has not arrived. The
// end of a process cuts off its kernels, too, just before ProcessEnded.
struct KernelCutOff {
  TaskId task;
  NameId device, node, op;
  StepId step;
  Nanos asked = 0;  // when all its inputs were there
  static constexpr auto kFields = std::tuple(&KernelCutOff::task, &KernelCutOff::device, &KernelCutOff::node,
                                             &KernelCutOff::op, &KernelCutOff::step, &KernelCutOff::asked);
};
struct MessageCutOff {
  TaskId from, to;
  NameId kind;
  std::uint64_t bytes = 0;
  Nanos sent = 0;
  NameId key;
  StepId step;
  static constexpr auto kFields =
      std::tuple(&MessageCutOff::from, &MessageCutOff::to, &MessageCutOff::kind, &MessageCutOff::bytes,
                 &MessageCutOff::sent, &MessageCutOff::key, &MessageCutOff::step);
};
// The last event of every run. Training began at `started_at` (0 without a common start). `is_deadlocked`: nothing was
// left to happen, yet clients were waiting.
struct RunEnded {
  Nanos started_at = 0;
  bool is_deadlocked = false;
  static constexpr auto kFields = std::tuple(&RunEnded::started_at, &RunEnded::is_deadlocked);
};
// A client left training in good order, since a queue was closed to it, before what it was told to do. `last_step` (of
// its own) and `last_global_step`: up to which it was to train; 0 = no such limit.
struct CutShort {
  TaskId task;
  std::int64_t steps = 0, last_step = 0, last_global_step = 0;
  static constexpr auto kFields =
      std::tuple(&CutShort::task, &CutShort::steps, &CutShort::last_step, &CutShort::last_global_step);
};

using Event =
    std::variant<StepBegan, StepEnded, GradientPushed, TakeIssued, AggregateTaken, AccumulatorStepSet, Enqueued,
                 Dequeued, ScalarAssigned, KernelRan, MessageDelivered, SessionMoved, SyncPlanned, LogLine,
                 ProcessEnded, ProcessBegan, ConditionChanged, KernelCutOff, MessageCutOff, RunEnded, CutShort>;

}  // namespace tarry
