// control_flow_ops.group: one NoOp with control inputs from several ops; when these are on several devices, one NoOp
// per device and one NoOp after these.
//
// Which of the two forms a group has depends on its ops' devices, so groups are made again when variables move.
#pragma once

#include <string>
#include <vector>

#include "workers/train/build/graph_editor.hpp"

namespace tarry {

struct Group {
  std::string name;
  std::string scope;               // the device scope in which it was made; "" = none
  std::vector<std::string> ops;    // names
  std::vector<std::string> after;  // the control dependencies in force there, which each of its NoOps gets
};

// Returns the group's name, which is made unique, unless a group was taken out under this name before. REQUIRES: its
// ops are in the graph.
std::string add_group(GraphEditor& graph, const Group& group);

// The group called `name`; without ops when `name` is not a group.
[[nodiscard]] Group group_at(const GraphEditor& graph, const std::string& name);
// The same, and removes the group from the graph.
[[nodiscard]] Group take_group(GraphEditor& graph, const std::string& name);
// Takes out the groups that may change when variables move: those with ops on parameter servers, and groups of such
// groups; in order of creation.
[[nodiscard]] std::vector<Group> take_groups(GraphEditor& graph);

}  // namespace tarry
