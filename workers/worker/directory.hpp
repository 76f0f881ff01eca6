// Who is there: the tasks of the cluster, their devices, and where to call them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/env.hpp"
#include "workers/worker/service.hpp"

namespace tarry {

struct TaskInfo {
  std::string name;                    // "/job:ps/replica:0/task:0"
  std::vector<std::string> devices;    // full names, CPU first
  std::uint64_t incarnation = 0;       // of its process
  std::string address = "";            // "host:port"; only clients that name tasks themselves ask for it
};

struct RpcKind {  // the names of a method's messages, interned once
  NameId request, reply;
};

// Shared by all tasks of a run. `workers[i]` is null while task i has no process.
struct Directory {
  Directory(Env& env, std::vector<TaskInfo> tasks);
  ~Directory();

  [[nodiscard]] TaskId find(std::string_view task) const;              // none when unknown
  [[nodiscard]] TaskId task_of_device(std::string_view device) const;  // none when unknown
  [[nodiscard]] TaskId at_address(std::string_view address) const;     // none when unknown
  [[nodiscard]] RpcKind kind(Method m) const { return kinds_[static_cast<std::size_t>(m)]; }

  // A process begins at the task; calls that wait for it go there.
  void start(TaskId task, std::unique_ptr<WorkerService> process);
  // Runs `then` when a process begins at the task. REQUIRES: none is there.
  void when_present(TaskId task, Callback then) { waiting_[task.index()].push_back(std::move(then)); }

  void log(TaskId task, char level, std::string_view text) const { env.note(LogLine{task, level, env.name(text)}); }

  // An id for a call, or 0 where calls are not numbered. `salt` differs among the calls of a step from one task.
  [[nodiscard]] std::uint64_t request_id(StepId step, TaskId from, std::uint64_t salt) const;

  Env& env;
  std::vector<TaskInfo> tasks;
  // On: calls carry request ids, and graphs are registered to the letter as TensorFlow does it. Off, for speed: all calls carry request id 0, which
  // servers accept without remembering (nothing in a simulated job sends a message twice), and registered graphs keep attributes that are at
  // their default and lack those that nothing reads.
  bool is_exact = false;
  std::vector<std::unique_ptr<WorkerService>> workers;

 private:
  std::array<RpcKind, kMethods> kinds_;
  std::vector<std::vector<Callback>> waiting_;  // by task
};

}  // namespace tarry
