// The rows of a run's tables (run_tables.hpp), read from its log in one go.
//
// Times are nanoseconds since the start of training, the t = 0 of the report: what happened earlier has negative ones.
// Tasks are named as scenarios name them, "worker/1". Steps of all clients are numbered from 1 in the order in which
// they began; other rows refer to a step by this number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/levels.hpp"
#include "results/verdict.hpp"

namespace tarry {

using Number = std::optional<std::int64_t>;  // none: not known, or it never came

struct TaskRow {
  std::string_view task, full_name, host;
};
struct StepRow {
  std::int64_t step = 0;
  std::string id;  // as a log and a trace have it
  std::string_view task, purpose;
  Number number;  // of the task's training steps, from 1
  Nanos began = 0;
  Number ended, code;
};
struct KernelRow {
  std::string_view task, device, node, op;
  Number step;
  Nanos began = 0;  // of one that the end of the run or of its process cut off: when it was asked for
  Number ended;
};
struct MessageRow {
  std::string_view from, to, kind, tensor;
  Number step;
  std::int64_t bytes = 0;
  Nanos sent = 0;
  Number delivered;
};
struct GradientRow {
  Nanos at = 0;
  std::string_view worker, task, accumulator;
  Number step;
  std::int64_t local_step = 0, accumulator_step = 0, accepted = 0;
  Number aggregate;  // that it became a part of
};
struct AggregateRow {
  std::string_view task, accumulator;
  std::int64_t aggregate = 0;  // from 1, by accumulator
  Nanos at = 0;
  Number required;
  std::int64_t gradients = 0, accumulator_step = 0;
};
struct QueueRow {
  Nanos at = 0;
  std::string_view task, queue;
  Number step;
  std::int64_t change = 0;
  Number value;
};
struct LevelRow {
  Nanos at = 0;
  std::string_view task, kind, name;
  std::int64_t value = 0;
};
struct AssignedRow {
  Nanos at = 0;
  std::string_view task, variable;
  Number step;
  std::int64_t value = 0;
};
struct SessionRow {
  Nanos at = 0;
  std::string_view task, stage, detail;
};
struct LineRow {
  Nanos at = 0;
  std::string_view task;
  std::string level;
  std::string_view text;
};
struct FaultRow {
  Nanos at = 0;
  std::string_view kind, what, a, b;
  Number holds;
};
struct VerdictRow {
  std::int64_t number = 0;
  std::string_view kind, text;
};

struct RunRows {
  std::vector<std::string> names;  // of tasks, for the rows' views
  std::vector<TaskRow> tasks;
  std::vector<StepRow> steps;
  std::vector<KernelRow> kernels;
  std::vector<MessageRow> messages;
  std::vector<GradientRow> gradients;
  std::vector<AggregateRow> aggregates;
  std::vector<QueueRow> queue_moves;
  std::vector<LevelRow> levels;
  std::vector<AssignedRow> assigned;
  std::vector<SessionRow> sessions;
  std::vector<LineRow> log_lines;
  std::vector<FaultRow> faults;
  std::vector<VerdictRow> verdicts;
};

// REQUIRES: the log kept its kernels (EventLog(true)); all three outlive the rows, which are moved and never copied.
[[nodiscard]] RunRows read_rows(const EventLog& log, const TaskNames& tasks, const std::vector<Verdict>& verdicts);

}  // namespace tarry
