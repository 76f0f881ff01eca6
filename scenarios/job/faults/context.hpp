// What a fault may do: change the world and its processes, say so in the log, and undo it later.
//
// Lives as long as the run: what is undone later may keep a reference.
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
  struct Processes {  // what a kill and a restart do beside the world: clients and workers are the job's
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
