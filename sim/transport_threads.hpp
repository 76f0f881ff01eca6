// The threads of tasks that send and receive messages (TransportSpec): they serialise and copy what the wire carries.
//
// A task has a number of them, for both directions. Each does one message at a time, first come, first served. What
// keeps its place behind all others (Manner::in_order) is the end of a call or of a connection: it takes no time, and
// goes on when all that came before it is done.
#pragma once

#include <vector>

#include "sim/cluster.hpp"
#include "workers/env.hpp"

namespace tarry {

class TransportThreads {
 public:
  // REQUIRES: the cluster outlives it.
  explicit TransportThreads(const ClusterSpec& cluster);

  // Whether messages take some thread's time at all.
  [[nodiscard]] bool are_needed() const { return are_needed_; }
  struct Turn {
    Nanos begins = 0, ends = 0;
  };
  // When a thread of the task sends a message, or receives one, that comes now. REQUIRES: `now` never goes back.
  Turn send(TaskId task, Nanos now, std::uint64_t bytes, Manner manner) {
    return take(task, now, spec_.send, bytes, manner);
  }
  Turn receive(TaskId task, Nanos now, std::uint64_t bytes, Manner manner) {
    return take(task, now, spec_.receive, bytes, manner);
  }
  // The threads of the task's next process have nothing to do.
  void renew(TaskId task);

 private:
  struct Threads {               // of a task
    std::vector<Nanos> free_at;  // a heap, the one that is free first in front; empty = as many as are needed
    Nanos latest = 0;            // when the last of what came so far is done
  };

  Turn take(TaskId task, Nanos now, const MessageCost& cost, std::uint64_t bytes, Manner manner);
  [[nodiscard]] static Nanos begin(Threads& threads, Nanos now, Nanos time);

  const TransportSpec& spec_;
  const bool are_needed_;
  std::vector<Threads> threads_;  // by task
};

}  // namespace tarry
