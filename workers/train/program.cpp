#include "workers/train/program.hpp"

#include <algorithm>

#include "placer/device/name.hpp"

namespace tarry {
namespace {

// "" where the name lacks a job or a task: one client for all tasks.
std::string full_name(const std::string& task) {
  auto name = parse_device_name(task);
  if (!name || !name->job || !name->task) return "";
  name->replica = name->replica.value_or(0);
  return to_string(*name);
}

}  // namespace

TaskChange change_of(const ClientProgram& program) {
  return {full_name(program.written_for.empty() ? program.task : program.written_for), full_name(program.task)};
}

GraphSpec own_graph(const ClientProgram& program) { return changed(*program.graph, change_of(program)); }

std::string global_step_tensor(const ClientProgram& program) {
  const std::string& name = program.global_step;
  if (name.empty()) return "";
  const auto node = std::ranges::find(program.graph->nodes, name, &NodeSpec::name);
  const bool is_resource = node != program.graph->nodes.end() && node->op == "VarHandleOp";
  return name + (is_resource ? "/Read/ReadVariableOp:0" : ":0");
}

}  // namespace tarry
