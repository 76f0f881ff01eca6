#include "workers/train/build/groups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "placer/device/name.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

bool is_no_op(const GraphEditor& g, const std::string& name) { return g.has(name) && g.at(name).op == "NoOp"; }

NodeSpec behind(std::string name, std::string device, const std::vector<std::string>& ops) {
  NodeSpec n{std::move(name), "NoOp", std::move(device), {}, {}};
  for (const std::string& op : ops) n.inputs.push_back("^" + op);
  std::ranges::sort(n.inputs);
  return n;
}

bool is_part(const GraphEditor& g, const std::string& name, const std::string& group) {
  return is_no_op(g, name) && is_under(name, group) && name.substr(group.size() + 1).starts_with("NoOp");
}

// The NoOps of a group's devices; what else it has, it was made behind.
std::vector<std::string> parts_of(const GraphEditor& g, const std::string& name) {
  std::vector<std::string> parts = control_inputs(g.at(name));
  std::erase_if(parts, [&](const std::string& input) { return !is_part(g, input, name); });
  return parts;
}

// What the device of a group adds to that of its ops: the scope that it was made in; none = it is not the device of a
// group.
std::optional<std::string> scope_beside(const std::string& device, const std::string& ops_device) {
  if (within(device, ops_device) != device) return std::nullopt;
  auto scope = parse_device_name(device);
  const auto of_ops = parse_device_name(ops_device);
  if (of_ops->job) scope->job.reset(), scope->replica.reset(), scope->task.reset();
  if (of_ops->type) scope->type.reset(), scope->id.reset();
  return to_string(*scope);
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

Group tree(const GraphEditor& g, const std::string& name, const std::vector<std::string>& parts) {
  Group group{name, g.at(name).device, {}, control_inputs(g.at(name))};
  std::erase_if(group.after, [&](const std::string& op) { return is_one_of(op, parts); });
  for (const std::string& part : parts)
    for (std::string& op : control_inputs(g.at(part)))
      if (!is_one_of(op, group.after)) group.ops.push_back(std::move(op));
  return group;
}

// A NoOp behind ops of one device; no ops when it is something else.
Group flat(const GraphEditor& g, const std::string& name) {
  Group group{name, "", control_inputs(g.at(name)), {}};
  if (group.ops.empty() || !std::ranges::all_of(group.ops, [&](const std::string& op) { return g.has(op); })) return {};
  const std::string device = g.at(group.ops[0]).device;
  const auto scope = scope_beside(g.at(name).device, device);
  if (!scope || !std::ranges::all_of(group.ops, [&](const std::string& op) { return g.at(op).device == device; }))
    return {};
  group.scope = *scope;
  return group;
}

void erase(GraphEditor& g, const std::string& group) {
  for (const std::string& part : parts_of(g, group)) g.erase(part);
  g.erase(group);
}

}  // namespace

std::string add_group(GraphEditor& g, const Group& group) {
  const std::string name = g.had(group.name) ? group.name : g.unique_name(group.name);
  std::map<std::string, std::vector<std::string>> by_device;
  for (const std::string& op : group.ops) by_device[g.at(op).device].push_back(op);
  for (auto& [device, ops] : by_device) ops.insert(ops.end(), group.after.begin(), group.after.end());
  if (by_device.size() == 1)
    return g.insert(behind(name, within(group.scope, by_device.begin()->first), by_device.begin()->second));
  std::vector<std::string> parts;
  for (const auto& [device, ops] : by_device)
    parts.push_back(g.add(behind(name + "/NoOp", within(group.scope, device), ops)));
  parts.insert(parts.end(), group.after.begin(), group.after.end());
  return g.insert(behind(name, group.scope, parts));
}

Group group_at(const GraphEditor& g, const std::string& name) {
  if (!is_no_op(g, name) || is_part(g, name, scope_of(name)) || !colocated_with(g.at(name)).empty()) return {};
  const auto parts = parts_of(g, name);
  return parts.empty() ? flat(g, name) : tree(g, name, parts);
}

Group take_group(GraphEditor& g, const std::string& name) {
  Group group = group_at(g, name);
  if (!group.ops.empty()) erase(g, name);
  return group;
}

std::vector<Group> take_groups(GraphEditor& g) {
  std::vector<Group> groups;
  std::set<std::string> taken;
  const auto moves = [&](const std::string& op) {
    return taken.contains(op) || (g.has(op) && ps_task_of(g.at(op).device));
  };
  for (const std::string& name : g.names())
    if (Group group = group_at(g, name); std::ranges::any_of(group.ops, moves))
      groups.push_back(std::move(group)), taken.insert(name);
  for (const std::string& name : taken) erase(g, name);
  return groups;
}

}  // namespace tarry
