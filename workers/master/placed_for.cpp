#include "workers/master/placed_for.hpp"

#include <algorithm>
#include <vector>

#include "placer/device/name.hpp"

namespace tarry {
namespace {

// "" unless the name has a job and a task.
std::string named_task(std::string_view device) {
  auto name = parse_device_name(device);
  if (!name || !name->job || !name->task) return "";
  name->replica = name->replica.value_or(0);
  return task_of(*name);
}

bool names_devices(const FunctionSpec& f) {
  return std::ranges::any_of(f.nodes, [](const NodeSpec& n) { return !n.device.empty(); });
}

// A request for a task of any job: it may be the client's own, or another's.
bool leaves_job_open(std::string_view device) {
  const auto name = parse_device_name(device);
  return name && name->task && !name->job;
}

bool is_transfer(std::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv";
}

bool comes_before(const std::string& a, const std::string& b) { return a + "/" < b + "/"; }

std::string_view job_of(std::string_view task) { return task.substr(0, task.find("/replica:")); }

// The change leaves the order of `task` and its client's task as it is.
bool keeps_order(const std::string& task, const TaskChange& change) {
  return comes_before(task, change.from) == comes_before(task, change.to);
}

bool same(const DeviceSet& then, const DeviceSet& now, const TaskChange& change) {
  if (then.size() != now.size()) return false;
  for (std::size_t i = 0; i < then.size(); ++i)
    if (const DeviceId d{i}; change.of(then[d].name) != now[d].name || then[d].type != now[d].type) return false;
  return true;
}

// The devices of a task, without its name.
std::vector<std::pair<std::string, std::string>> devices_of(const DeviceSet& all, const std::string& task) {
  std::vector<std::pair<std::string, std::string>> own;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const Device& d = all[DeviceId{i}]; is_of_task(d.name, task))
      own.emplace_back(d.name.substr(task.size()), d.type);
  return own;
}

bool keeps_order_of_all(const DeviceSet& devices, const TaskChange& change) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string task = task_of(devices[DeviceId{i}].parsed);
    if (task != change.from && !keeps_order(task, change)) return false;
  }
  return true;
}

}  // namespace

PlacedFor::PlacedFor(const Graph& placed, const DeviceSet& devices, const std::string& task,
                     std::span<const NodeId> free_choices) {
  const auto got = [&](NodeId n) { return task_of(devices[placed.node(n).assigned].parsed); };
  is_for_one_ =
      std::ranges::any_of(placed.functions, names_devices) || std::ranges::any_of(placed.op_nodes(), [&](NodeId n) {
        return is_transfer(placed.op_name(n)) || leaves_job_open(placed.requested_device(n));
      });
  was_chosen_ = std::ranges::any_of(free_choices, [&](NodeId n) { return got(n) == task; });
  for (const NodeId n : placed.op_nodes())
    for (const std::string& other : {named_task(placed.requested_device(n)), got(n)})
      if (!other.empty() && other != task) tasks_.insert(other);
}

bool PlacedFor::holds_for(const TaskChange& change, const DeviceSet& then, const DeviceSet& now) const {
  if (is_for_one_ || tasks_.contains(change.to)) return false;
  if (!std::ranges::all_of(tasks_, [&](const std::string& t) { return keeps_order(t, change); })) return false;
  if (same(then, now, change)) return keeps_order_of_all(then, change);
  const bool is_local_for_both = !was_chosen_ || job_of(change.from) == job_of(change.to);
  return is_local_for_both && same(then, now, {}) && devices_of(then, change.from) == devices_of(then, change.to);
}

}  // namespace tarry
