#include "workers/task_change.hpp"

#include "placer/device/name.hpp"

namespace tarry {
namespace {

void change_device(std::string& device, const DeviceName& from, const DeviceName& to) {
  auto name = parse_device_name(device);
  if (!name || name->job != from.job || name->task != from.task) return;
  name->job = to.job;
  name->task = to.task;
  device = to_string(*name);
}

}  // namespace

bool is_of_task(std::string_view name, std::string_view task) {
  return name.starts_with(task) && (name.size() == task.size() || name[task.size()] == '/');
}

std::string TaskChange::of(std::string_view name) const {
  if (!changes() || !is_of_task(name, from)) return std::string(name);
  return to + std::string(name.substr(from.size()));
}

GraphSpec changed(const GraphSpec& graph, const TaskChange& change) {
  GraphSpec out = graph;
  const auto from = parse_device_name(change.from), to = parse_device_name(change.to);
  if (!change.changes() || !from || !to) return out;
  for (NodeSpec& n : out.nodes) change_device(n.device, *from, *to);
  for (FunctionSpec& f : out.functions)
    for (NodeSpec& n : f.nodes) change_device(n.device, *from, *to);
  return out;
}

}  // namespace tarry
