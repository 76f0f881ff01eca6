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

  void say(std::string_view what) { world.note(ConditionChanged{world.name(what)}); }
  void undo_after(std::optional<Nanos> lasts, Callback undo) {
    if (lasts) world.after(*lasts, std::move(undo));
  }
  [[nodiscard]] std::string name(TaskId task) const { return directory.tasks[task.index()].name; }
  [[nodiscard]] std::string name(HostId host) const { return world.cluster().hosts[host.index()].name; }
};

}  // namespace tarry
