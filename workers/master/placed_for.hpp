// Whether a graph that was placed for one task's client is what the placer would give to another task's.
//
// The placer follows requests, takes a local device before others where several are as good, and compares devices by
// name (docs/rules/placer.md#A.8, #C.4). The answer for another task differs in the task's number alone
// * when each client sees its own task and the same others (device filters), and its task stands in the same order
//   among them; or
// * when both see the same devices, and have alike devices of their own: what was free and fell on the client's task
//   falls on the other's, if both are of one job, since no request that names no job names a task.
#pragma once

#include <set>
#include <span>
#include <string>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "workers/task_change.hpp"

namespace tarry {

class PlacedFor {
 public:
  // REQUIRES: `placed` is placed on `devices`, with these free choices (PlaceOptions); `task` is a full name.
  PlacedFor(const Graph& placed, const DeviceSet& devices, const std::string& task,
            std::span<const NodeId> free_choices);

  // REQUIRES: `change` is from this task; `then` are the devices on which the graph was placed.
  [[nodiscard]] bool holds_for(const TaskChange& change, const DeviceSet& then, const DeviceSet& now) const;

 private:
  bool is_for_one_ = false;      // something in the graph is for its own task only
  bool was_chosen_ = false;      // a free choice fell on the client's task
  std::set<std::string> tasks_;  // other tasks that nodes ask for or got
};

}  // namespace tarry
