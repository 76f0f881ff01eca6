// The interface for faults: change the world and its processes, say so in the log, and undo it later.
//
// It lives as long as the run, so callbacks that undo a fault may keep a reference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

  // Once, and it is over: `what` in words, `kind` the fault's key, `a` and `b` the tasks or hosts that it is about.
  void say(std::string_view what, std::string_view kind, std::string_view a, std::string_view b = "") {
    note(what, kind, a, b, false);
  }
  // From now on, until it is said with `holds` = false.
  void note(std::string_view what, std::string_view kind, std::string_view a, std::string_view b, bool holds) {
    world.note(ConditionChanged{world.name(what), world.name(kind), world.name(a), world.name(b), holds});
  }
  void undo_after(std::optional<Nanos> lasts, Callback undo) {
    if (!lasts) return;
    ++to_undo;
    world.after(*lasts, [this, undo = std::move(undo)]() mutable {
      --to_undo;
      std::move(undo)();
    });
  }
  // A process begins at the task later, unless there is one by then.
  void begin_after(TaskId task, Nanos delay) {
    ++to_begin;
    world.after(delay, [this, task] {
      --to_begin;
      if (!directory.is_present(task)) processes.begin(task);
    });
  }
  [[nodiscard]] std::string name(TaskId task) const { return directory.tasks[task.index()].name; }
  [[nodiscard]] std::string name(HostId host) const { return world.cluster().hosts[host.index()].name; }
};

}  // namespace tarry
