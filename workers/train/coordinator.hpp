// The state that the threads of one training client share: whether to stop, and the first error
// (docs/rules/runtime.md#E.6).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "placer/core/check.hpp"
#include "workers/callbacks.hpp"

namespace tarry {

class Coordinator {
 public:
  // Only the first request counts; it runs the callbacks given to when_stopping.
  void request_stop(Status why = {}) {
    if (std::exchange(stopping_, true)) return;
    status_ = std::move(why);
    for (Callback& w : std::exchange(waiting_, {})) std::move(w)();
  }
  [[nodiscard]] bool should_stop() const { return stopping_; }
  [[nodiscard]] const Status& status() const { return status_; }
  void when_stopping(Callback run) {
    if (stopping_) return std::move(run)();
    waiting_.push_back(std::move(run));
  }

  // Threads that the client joins before it closes its session, by their names.
  void thread_started(std::string name) { running_.push_back(std::move(name)); }
  void thread_ended(const std::string& name) {
    const auto at = std::ranges::find(running_, name);
    check(at != running_.end(), "a thread ends that has not started, or has ended");
    running_.erase(at);
    if (running_.empty())
      for (Callback& w : std::exchange(joining_, {})) std::move(w)();
  }
  [[nodiscard]] const std::vector<std::string>& running() const { return running_; }
  void when_joined(Callback run) {
    if (running_.empty()) return std::move(run)();
    joining_.push_back(std::move(run));
  }

 private:
  bool stopping_ = false;
  Status status_;
  std::vector<std::string> running_;
  std::vector<Callback> waiting_, joining_;
};

}  // namespace tarry
