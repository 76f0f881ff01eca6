// The gate of `start: together`: no client takes its first step before all sessions are created and all graphs
// registered.
//
// A client whose process ends before the gate is open is waited for no longer; the client of the next process is, like
// the one before.
#pragma once

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "workers/env.hpp"

namespace tarry {

class StartGate {
 public:
  // `expected`: the tasks whose clients must arrive; one client a task.
  StartGate(Env& env, std::set<TaskId> expected) : env_(env), expected_(std::move(expected)) {}

  // The client of `task` runs `go` when the last expected client has arrived; at once when the gate is already open.
  void arrive(TaskId task, Callback go);
  void when_open(TaskId task, Callback run);  // does not count as an arrival
  // What the client of `task` waits for never runs, and it is not expected, unless expect() says so at the same
  // instant.
  void leave(TaskId task);
  // A client of `task` must arrive from now on. Without effect when the gate is open.
  void expect(TaskId task);
  [[nodiscard]] bool is_open() const { return open_; }

  std::function<void(Nanos at)> on_open;

 private:
  void open_if_complete();

  Env& env_;
  std::set<TaskId> expected_;  // and not there yet
  bool open_ = false;
  std::vector<std::pair<TaskId, Callback>> waiting_;
};

}  // namespace tarry
