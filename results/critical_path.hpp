// The critical path of a run: what the time up to an entry of its log was spent on.
//
// From the event that noted the entry one goes back to what it waited for last, from there to what that one waited for,
// and so on. The waits on the way follow each other without a gap: their parts add up to the time exactly, in whole
// nanoseconds. What else the run waited for was there earlier, so without it nothing on the path would be sooner.
// What waits in a queue goes on when somebody puts an element into it, so a path leads from a worker that waits for its
// token over the thread that hands out tokens to the worker whose gradient completed the aggregate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"
#include "workers/causes.hpp"

namespace tarry {

enum class PathKind : std::uint8_t {
  computing,
  message_cost,
  device,
  latency,
  transfer,
  turn,
  sharing,
  thread,
  transport,
  storage,
  timer,
  world
};
struct PathKindRow {
  PathKind kind;
  std::string_view name, meaning;
};
[[nodiscard]] const PathKindRow& row_of(PathKind kind);

inline constexpr std::size_t kNoEntry = static_cast<std::size_t>(-1);

struct PathPart {
  PathKind kind = PathKind::world;
  Nanos from = 0, to = 0;         // by the log's clock; from < to
  std::size_t entry = kNoEntry;   // of the log: the kernel or message that this is a part of
  std::size_t holder = kNoEntry;  // of the log: the kernel or message that made room for it
  TaskId task;                    // whose timer, storage or thread it was
};

// An aggregate that the path leads through, and the worker whose gradient completed it.
struct LastPush {
  NameId accumulator;
  std::int64_t aggregate = 0;  // from 1
  TaskId task;
  std::vector<TaskId> tied;  // others, whose gradients came in the same nanosecond
};

struct CriticalPath {
  Nanos from = 0, to = 0;        // by the log's clock
  std::vector<PathPart> parts;   // in order; their times add up to `to - from`
  std::vector<LastPush> pushes;  // in order
};

// What a path leads to, and how far back.
struct PathEnds {
  std::size_t entry = 0;  // of the log
  Nanos since = 0;        // by the log's clock
};
// From the start of training to its last aggregate, of which all accumulators have had theirs taken (where none has: to
// the end of the last step). Nothing where there is none.
[[nodiscard]] std::optional<PathEnds> ends_of_run(const EventLog& log);
// From the aggregate before (the first one: from the start of training) to the n-th of all accumulators, n >= 1.
[[nodiscard]] std::optional<PathEnds> ends_of_aggregate(const EventLog& log, std::int64_t n);
// The n-th training step of a task, n >= 1.
[[nodiscard]] std::optional<PathEnds> ends_of_step(const EventLog& log, TaskId task, std::int64_t n);

// REQUIRES: the log has its kernels, and `causes` are of the same run; the entry was noted by an event.
[[nodiscard]] CriticalPath critical_path(const EventLog& log, const Causes& causes, const PathEnds& ends);

// "SparseSoftmaxCrossEntropyWithLogits on worker 2", "ps 0 to worker 1", "worker 0": whose time it is. "" = nobody's.
[[nodiscard]] std::string who(const PathPart& part, const EventLog& log, const TaskNames& tasks);

struct PathSum {
  PathKind kind;
  std::string who;
  Nanos time = 0;
};
// The path's time by kind and by whose it is, most first; what is equal, in the order of kinds and names.
[[nodiscard]] std::vector<PathSum> sums(const CriticalPath& path, const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
