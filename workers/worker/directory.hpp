// Who is there: the tasks of the cluster, their devices, and where to call them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/env.hpp"
#include "workers/state/checkpoint_files.hpp"
#include "workers/worker/service.hpp"

namespace tarry {

class KnownJob;

struct TaskInfo {
  std::string name;                  // "/job:ps/replica:0/task:0"
  std::vector<std::string> devices;  // full names, CPU first
  std::uint64_t incarnation = 0;     // of its process
  std::string address = "";          // "host:port"; only clients that name tasks themselves ask for it
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

  // A process begins at the task, with an incarnation of its own; calls that wait for it go there.
  void start(TaskId task, std::unique_ptr<WorkerService> process);
  // The process of the task ends. Its calls are heard by nobody; those who talk with it learn of the broken connection
  // as soon as the news travels: calls to it end with UNAVAILABLE `Socket closed`, its own are cancelled where they are
  // served.
  void end(TaskId task);
  // The connections between two living processes break: the same for the calls between them, in both directions.
  void disconnect(TaskId a, TaskId b);
  // The connection from one living process to another breaks, and its channel sends the calls that are open there
  // again: the server sees each caller go and, later, the same request anew; the callers see nothing. REQUIRES:
  // may_resend since the calls began.
  void resend(TaskId caller, TaskId server);
  [[nodiscard]] bool is_present(TaskId task) const { return workers[task.index()] != nullptr; }
  // Processes that have ended at the task.
  [[nodiscard]] std::uint32_t life(TaskId task) const { return lives_[task.index()]; }
  void opened(ConnectedCall& call) { calls_.push_back(call); }
  // Runs `then` when a process begins at the task. REQUIRES: none is there.
  void when_present(TaskId task, Callback then) { waiting_[task.index()].push_back(std::move(then)); }

  void log(TaskId task, char level, std::string_view text) const { env.note(LogLine{task, level, env.name(text)}); }

  // An id for a call, or 0 where calls are not numbered. `salt` differs among the calls of a step from one task.
  [[nodiscard]] std::uint64_t request_id(StepId step, TaskId from, std::uint64_t salt) const;

  Env& env;
  CheckpointFiles files;  // shared by all, and not lost with a process
  std::vector<TaskInfo> tasks;
  // On: calls carry request ids, and graphs are registered to the letter as TensorFlow does it. Off, for speed: all
  // calls carry request id 0, which servers accept without remembering (nothing in a simulated job sends a message
  // twice, unless it may_resend), and registered graphs keep attributes that are at their default and lack those that
  // nothing reads.
  bool is_exact = false;
  bool fails_fast = true;     // off: every call to a task without a process waits for one, as those of GetStatus and
                              // CleanupGraph do anyway
  bool may_resend = false;    // calls carry request ids, and keep their requests
  KnownJob* known = nullptr;  // what other runs of the job found out, and what this one does; null = nothing is kept
  std::vector<std::unique_ptr<WorkerService>> workers;

 private:
  using Calls = std::vector<std::shared_ptr<ConnectedCall>>;
  [[nodiscard]] Calls calls_between(TaskId caller, TaskId server);
  void break_connection(TaskId gone, TaskId peer);

  std::array<RpcKind, kMethods> kinds_;
  mutable absl::flat_hash_map<std::string, TaskId> tasks_of_devices_;  // that were asked for; looked up, never iterated
  std::vector<std::uint32_t> lives_;                                   // by task
  boost::intrusive::list<ConnectedCall, boost::intrusive::constant_time_size<false>>
      calls_;                                         // in the order of their beginning
  std::vector<std::unique_ptr<WorkerService>> gone_;  // late answers may still name them
  std::vector<std::vector<Callback>> waiting_;        // by task
};

}  // namespace tarry
