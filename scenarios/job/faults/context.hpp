// The interface for faults: change the world and its processes, say so in the log, and undo it later.
//
// It lives as long as the run, so callbacks that undo a fault may keep a reference.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/world.hpp"
#include "workers/worker/directory.hpp"

namespace tarry {

struct FaultContext {
  struct Processes {  // what ends and begins processes and clients, which the job owns
    std::function<void(TaskId)> end, begin;
    std::function<void(TaskId)> leave;  // the task's client, if there is one, makes no further step
  };

  World& world;
  Directory& directory;
  Processes processes;
  std::size_t to_undo = 0;   // conditions that will end by themselves
  std::size_t to_begin = 0;  // processes that will begin by themselves
  bool is_frozen = false;    // what is to end, or to begin, by itself does not any more

  // Once, and it is over: `what` in words, `kind` the fault's key, `a` and `b` the tasks or hosts that it is about.
  void say(std::string_view what, std::string_view kind, std::string_view a, std::string_view b = "") {
    note(what, kind, a, b, false);
  }
  // From now on, until it is said with `holds` = false. A condition that is set again replaces the one before.
  void note(std::string_view what, std::string_view kind, std::string_view a, std::string_view b, bool holds) {
    ++times_noted_[{std::string(kind), std::string(a), std::string(b)}];
    world.note(ConditionChanged{world.name(what), world.name(kind), world.name(a), world.name(b), holds});
  }
  // `undo` runs later, unless the condition was set again or is over by then. REQUIRES: the condition was just noted.
  void undo_after(std::optional<Nanos> lasts, std::string_view kind, std::string_view a, std::string_view b,
                  Callback undo) {
    if (!lasts) return;
    ++to_undo;
    const std::uint64_t* noted = &times_noted_[{std::string(kind), std::string(a), std::string(b)}];
    world.after(*lasts, [this, noted, then = *noted, undo = std::move(undo)]() mutable {
      --to_undo;
      if (!is_frozen && *noted == then) std::move(undo)();
    });
  }
  // A process begins at the task later, unless there is one by then.
  void begin_after(TaskId task, Nanos delay) {
    ++to_begin;
    world.after(delay, [this, task] {
      --to_begin;
      if (!is_frozen && !directory.is_present(task)) processes.begin(task);
    });
  }
  // All its processes end; with a time, new ones begin together so much later.
  void lose(HostId host, std::optional<Nanos> back_after) {
    for (const TaskId task : tasks_on(host)) {
      if (directory.is_present(task)) processes.end(task);
      if (back_after) begin_after(task, *back_after);
    }
  }
  [[nodiscard]] std::vector<TaskId> tasks_on(HostId host) const {
    std::vector<TaskId> tasks;
    for (std::size_t t = 0; t < world.cluster().tasks.size(); ++t)
      if (world.cluster().tasks[t].host == host) tasks.emplace_back(t);
    return tasks;
  }
  // "/job:worker/replica:0/task:0/device:GPU:1".
  [[nodiscard]] std::string gpu(TaskId task, std::int64_t index) const {
    return device_names(world.cluster().tasks[task.index()])[1 + static_cast<std::size_t>(index)];
  }
  [[nodiscard]] DeviceId device(TaskId task, std::int64_t index) const { return world.device(gpu(task, index)); }
  // "host0 and host1".
  [[nodiscard]] std::string names(const std::vector<HostId>& hosts) const {
    std::string all;
    for (std::size_t i = 0; i < hosts.size(); ++i)
      all += (i == 0 ? "" : i + 1 == hosts.size() ? " and " : ", ") + name(hosts[i]);
    return all;
  }
  [[nodiscard]] std::string name(TaskId task) const { return directory.tasks[task.index()].name; }
  [[nodiscard]] std::string name(HostId host) const { return world.cluster().hosts[host.index()].name; }

  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> times_noted_ = {};  // by kind, a, b
};

}  // namespace tarry
