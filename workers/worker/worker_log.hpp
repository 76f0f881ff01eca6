// The lines that a worker logs, and the newest of them that go with its steps' errors to the client.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "workers/env.hpp"

namespace tarry {

class WorkerLog {
 public:
  // `forwarded`: TF_WORKER_NUM_FORWARDED_LOG_MESSAGES, how many lines go with an error.
  WorkerLog(Env& env, TaskId task, std::size_t forwarded) : env_(env), task_(task), forwarded_(forwarded) {}

  void add(char level, std::string_view text);  // level: I, W or E, as TensorFlow prints it
  // A step's error, with the warnings that were logged last, its own included (seen in 2.15.1).
  [[nodiscard]] Status with_recent_warnings(Status s);

 private:
  Env& env_;
  TaskId task_;
  std::size_t forwarded_;
  std::deque<std::string> recent_;  // warnings and errors, at most `forwarded_`
};

}  // namespace tarry
