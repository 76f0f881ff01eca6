// control_flow_ops.group: one NoOp behind several ops; behind ops of several devices, a NoOp for each device and one
// behind these.
//
// Which of the two shapes a group has follows from its ops' devices, so a graph whose variables move is given its
// groups anew.
#pragma once

#include <string>
#include <vector>

#include "workers/train/build/graph_editor.hpp"

namespace tarry {

struct Group {
  std::string name;
  std::string scope;               // the device in force where it was asked for; "" = none
  std::vector<std::string> ops;    // names
  std::vector<std::string> after;  // control dependencies in force there, which each of its NoOps has
};

// Returns its name, which is made unique unless the group was taken out under it. REQUIRES: its ops are in the graph.
std::string add_group(GraphEditor& graph, const Group& group);

// The group at `name`; no ops when that is not a group.
[[nodiscard]] Group group_at(const GraphEditor& graph, const std::string& name);
// The same, taken out.
[[nodiscard]] Group take_group(GraphEditor& graph, const std::string& name);
// Takes out the groups that a move of variables may change: those with ops on parameter servers, and those of such
// groups; in order of creation.
[[nodiscard]] std::vector<Group> take_groups(GraphEditor& graph);

}  // namespace tarry
