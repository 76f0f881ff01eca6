// Waits for the executors of a step, or for the outputs of a part of one, and says how they ended
// (docs/rules/runtime.md#C.8).
//
// The first error aborts the others. `done` runs once, after the last executor: with OK when all succeeded, with the
// root error when there is just one, else with a text that lists them. Derived errors follow from others and are only
// counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workers/callbacks.hpp"

namespace tarry {

// One status for many, as TensorFlow sums them up: equal ones once, in descending order of their texts.
[[nodiscard]] Status summarize(const std::vector<Status>& failures, std::size_t succeeded);

class ExecutorBarrier {
 public:
  // REQUIRES: executors > 0.
  ExecutorBarrier(std::size_t executors, std::function<void(const Status&)> on_first_error, StatusCallback&& done)
      : pending_(executors), on_first_error_(std::move(on_first_error)), done_(std::move(done)) {}

  void when_done(Status s);

 private:
  std::size_t pending_;
  bool failed_ = false;
  std::function<void(const Status&)> on_first_error_;
  StatusCallback done_;
  std::vector<Status> failures_;
  std::size_t succeeded_ = 0;
};

}  // namespace tarry
