// Where the workers' steps spend their time, and the load of each parameter server: read from the messages of a log.
//
// A worker's own part of a training step lasts from its beginning to its last push (in an asynchronous step, to its
// end); after that it waits for a token. The shortest time of any message between two tasks counts as the latency of
// their path, before, while and after a fault delays messages; the rest of a message's time is transfer, or waiting
// behind other messages. The time of overlapping messages counts once.
#pragma once

#include <map>
#include <vector>

#include "results/log.hpp"

namespace tarry {

struct StepTimes {                     // of one worker
  std::vector<Nanos> own;              // time of the own part of each finished step
  Nanos total = 0;                     // sum of `own`
  Nanos on_the_way = 0;                // time with at least one message from or to it in flight
  Nanos transferring = 0;              // time with a message in flight for longer than the latency
  [[nodiscard]] Nanos median() const;  // of `own`; 0 without steps
};

struct ServerLoad {  // what one task sent to others; `bytes_in`: what it received
  std::uint64_t bytes = 0, messages = 0;
  std::uint64_t bytes_in = 0;
  Nanos transferring = 0;  // time with a message of this task in flight for longer than the latency
  std::map<std::uint64_t, std::uint64_t> tensors;  // sizes of the tensors that it sent, and how often each
};

struct Loads {
  std::map<TaskId, StepTimes> workers;  // those that trained
  std::map<TaskId, ServerLoad> tasks;   // those that sent or received messages
};

[[nodiscard]] Loads read_loads(const EventLog& log);

}  // namespace tarry
