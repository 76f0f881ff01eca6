// How much there was of something, over time: elements in queues, gradients in accumulators, bytes on the way.
//
// A log tells changes; a level is what they add up to. A queue and an accumulator are empty again when the process that
// holds them ends. Bytes count from the moment when they are sent until they arrive; those of a message that never
// arrives, because a process or a connection ended, are in no log and do not count.
#pragma once

#include <string>
#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"

namespace tarry {

enum class LevelKind : std::uint8_t { elements, gradients, bytes };

struct Level {
  Nanos at = 0;  // by the log's clock
  TaskId task;   // that holds the queue or the accumulator, or that the bytes go to
  LevelKind kind = LevelKind::elements;
  NameId name;             // of the queue or the accumulator
  TaskId from;             // of bytes: who sent them
  std::int64_t value = 0;  // from `at` on
};

// Each change, in order of time; of several in one instant, the last.
[[nodiscard]] std::vector<Level> read_levels(const EventLog& log);

// "elements in", "gradients in", "bytes from": what stands before the name of where it is, or who sent it.
[[nodiscard]] std::string_view label_of(LevelKind kind);

}  // namespace tarry
