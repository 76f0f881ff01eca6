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
  struct Processes {  // the effect of a kill and a restart on clients and workers, which the job owns
    std::function<void(TaskId)> end, begin;
  };

  World& world;
  Directory& directory;
  Processes processes;
  std::size_t to_undo = 0;  // conditions that will end by themselves

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
  [[nodiscard]] std::string name(TaskId task) const { return directory.tasks[task.index()].name; }
  [[nodiscard]] std::string name(HostId host) const { return world.cluster().hosts[host.index()].name; }
};

}  // namespace tarry
