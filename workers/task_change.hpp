// One graph that several tasks' clients use.
//
// With between-graph replication every worker builds the same graph, but for its own task in the names of devices. What
// is made of one worker's graph (placed, cut, planned) is read as another's by changing that task's name.
#pragma once

#include <string>
#include <string_view>

#include "placer/graph/spec.hpp"

namespace tarry {

// Whether a device or task with this full name is, or is of, the task.
[[nodiscard]] bool is_of_task(std::string_view name, std::string_view task);

struct TaskChange {
  std::string from, to;  // full names of tasks, "/job:worker/replica:0/task:1"; equal = nothing changes

  [[nodiscard]] bool changes() const { return from != to; }
  // A device's or task's full name after the change.
  [[nodiscard]] std::string of(std::string_view name) const;

  friend bool operator==(const TaskChange&, const TaskChange&) = default;
};

// The graph with the devices of its nodes, those in functions too, after the change. Devices may lack parts; a name
// that is changed is written in its canonical form.
[[nodiscard]] GraphSpec changed(const GraphSpec& graph, const TaskChange& change);

}  // namespace tarry
