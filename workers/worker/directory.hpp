// The tasks of the cluster, their devices, and the processes that serve them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/planted_cluster.hpp"
#include "placer/device/device_set.hpp"
#include "workers/auditor.hpp"
#include "workers/env.hpp"
#include "workers/state/checkpoint_files.hpp"
#include "workers/state/input_files.hpp"
#include "workers/worker/service.hpp"

namespace tarry {

class KnownJob;

struct TaskInfo {
  std::string name;                  // "/job:ps/replica:0/task:0"
  std::vector<std::string> devices;  // full names, CPU first
  std::uint64_t incarnation = 0;     // of the task's process
  std::string address = "";          // "host:port"; used only by clients that bring a cluster definition of their own
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
  // The process of the task ends. Answers to its calls are dropped. Its peers learn of the broken connection after the
  // network's delay: calls to it end with UNAVAILABLE `Socket closed`, and its own calls are cancelled at their
  // servers.
  void end(TaskId task);
  // The connections between two living processes break: calls between them, in both directions, end with UNAVAILABLE
  // `Socket closed` and are cancelled at their servers. A process that stands still learns of it when it goes on.
  void disconnect(TaskId a, TaskId b);
  // The connection from one living process to another breaks, and its channel sends the open calls again. The server
  // sees each call cancelled and, later, the same request once more; the callers notice nothing. REQUIRES: may_resend
  // was set when the calls began.
  void resend(TaskId caller, TaskId server);
  [[nodiscard]] bool is_present(TaskId task) const { return workers[task.index()] != nullptr; }
  // How many processes have ended at the task.
  [[nodiscard]] std::uint32_t life(TaskId task) const { return lives_[task.index()]; }
  void opened(ConnectedCall& call) { calls_.push_back(call); }
  // Runs `then` when a process starts at the task. REQUIRES: the task has no process.
  void when_present(TaskId task, Callback then) { waiting_[task.index()].push_back(std::move(then)); }

  void log(TaskId task, char level, std::string_view text) const { env.note(LogLine{task, level, env.name(text)}); }

  // An id for a call, or 0 where calls are not numbered. `salt` differs among the calls of a step from one task.
  [[nodiscard]] std::uint64_t request_id(StepId step, TaskId from, std::uint64_t salt) const;

  Env& env;
  CheckpointFiles files;  // shared by all, and not lost with a process
  InputFiles inputs;      // what readers read
  std::vector<TaskInfo> tasks;
  std::vector<std::optional<DeviceName>> parsed_names;  // by task; none = its name is no device name
  // True: calls carry request ids, and registered graphs have exactly TensorFlow's attributes. False, for speed: all
  // calls carry request id 0, which servers accept without remembering (no message of a simulated job is sent twice,
  // unless may_resend is set), and registered graphs keep attributes that have their default value and lack those that
  // tarry does not read.
  bool is_exact = false;
  bool fails_fast = true;      // off: every call to a task without a process waits for one, as those of GetStatus and
                               // CleanupGraph do anyway
  bool may_resend = false;     // calls carry request ids, and keep their requests
  Auditor* auditor = nullptr;  // null = nobody audits
  PlantedClusterBug planted = PlantedClusterBug::none;  // set by properties only
  KnownJob* known = nullptr;                            // what the runs of the job share; null = nothing is kept
  std::vector<std::unique_ptr<WorkerService>> workers;

 private:
  using Calls = std::vector<std::shared_ptr<ConnectedCall>>;
  [[nodiscard]] Calls calls_between(TaskId caller, TaskId server);
  void break_connection(TaskId gone, TaskId peer, Calls to_gone, Calls from_gone);

  std::array<RpcKind, kMethods> kinds_;
  mutable absl::flat_hash_map<std::string, TaskId> tasks_of_devices_;  // a cache; looked up, never iterated
  std::vector<std::uint32_t> lives_;                                   // by task
  boost::intrusive::list<ConnectedCall, boost::intrusive::constant_time_size<false>>
      calls_;                                         // in the order in which they began
  std::vector<std::unique_ptr<WorkerService>> gone_;  // ended processes: late answers may still refer to them
  std::vector<std::vector<Callback>> waiting_;        // by task
};

}  // namespace tarry
