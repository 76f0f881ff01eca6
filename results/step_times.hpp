// Where the workers' steps spend their time, and what each parameter server carries: read from the messages of a log.
//
// A worker's own part of a training step is from its begin to its last push (of an asynchronous step: to its end); what
// follows is waiting for a token. The least time that any message between two tasks took is the latency of their path;
// what a message took beyond that it spent being transferred, or behind others. Messages that overlap count once.
#pragma once

#include <map>
#include <vector>

#include "results/log.hpp"

namespace tarry {

struct StepTimes {                     // of one worker
  std::vector<Nanos> own;              // of each of its finished steps
  Nanos total = 0;                     // of them all
  Nanos on_the_way = 0;                // with some message from or to it under way
  Nanos transferring = 0;              // with one that takes longer than the latency
  [[nodiscard]] Nanos median() const;  // of `own`; 0 without steps
};

struct ServerLoad {  // what one task sent to others
  std::uint64_t bytes = 0, messages = 0;
  std::uint64_t bytes_in = 0;
  Nanos transferring = 0;                          // with some message of its under way longer than the latency
  std::map<std::uint64_t, std::uint64_t> tensors;  // sizes of the tensors that it sent, and how often each
};

struct Loads {
  std::map<TaskId, StepTimes> workers;  // that trained
  std::map<TaskId, ServerLoad> tasks;   // that sent or got something
};

[[nodiscard]] Loads read_loads(const EventLog& log);

// The most that one of `servers` would have to send when each tensor went to the server with the fewest bytes so far,
// largest first.
[[nodiscard]] std::uint64_t busiest_if_greedy(std::vector<std::uint64_t> tensors, std::size_t servers);

}  // namespace tarry
