#include "workers/worker/graph_manager.hpp"

#include <fmt/compile.h>

#include <algorithm>

#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"
#include "placer/partition/recv_schedule.hpp"
#include "placer/place/find_kernel.hpp"

namespace tarry {
namespace {

// Before anything is built: every node says on which device it is.
Status check_specifications(const GraphSpec& graph) {
  for (const NodeSpec& n : graph.nodes)
    if (!n.device.empty() && !parse_device_name(n.device))
      return invalid("Missing device name in: {{{{node {}}}}}", n.name);
  for (const NodeSpec& n : graph.nodes)
    if (n.device.empty()) return invalid("Node '{}' is missing a device specification", n.name);
  return {};
}

// Why a graph cannot run here: what TensorFlow would say if it has no kernel either, else `why`.
Status why_not_here(const Graph& g, const std::string& type, const Status& why) {
  for (const NodeId n : g.op_nodes()) {
    const auto kernels = kernels_of_tf215().of(g.op_name(n));
    if (std::ranges::any_of(kernels,
                            [&](const KernelDef& k) { return k.device_type == type || k.device_type == "DEFAULT"; }))
      continue;
    return error(Code::kNotFound,
                 "No registered '{}' OpKernel for '{}' devices compatible with node {{{{node {}}}}}\n\t.  "
                 "Registered:{}\n\t [[{}]]",
                 g.op_name(n), type, g.name(n), kernel_list_text(kernels), g.name(n));
  }
  return why;
}

// A part that was cut for another worker, as it would have been cut for this one.
GraphSpec own_part(const GraphSpec& part, const TaskChange& change) {
  GraphSpec own = changed(part, change);
  for (NodeSpec& n : own.nodes)
    for (const char* end : {"send_device", "recv_device"})
      if (const auto* device = n.attrs.get<std::string>(end); device != nullptr) n.attrs.set(end, change.of(*device));
  return own;
}

DeviceCut* find_cut(std::vector<DeviceCut>& cuts, const DeviceCut& asked) {
  const auto it = std::ranges::find_if(cuts, [&](const DeviceCut& c) { return c.serves(asked); });
  return it == cuts.end() ? nullptr : &*it;
}

}  // namespace

Status GraphManager::assign_devices(Graph& g) const {
  for (const NodeId n : g.op_nodes()) {
    const std::string_view device = g.requested_device(n);
    const DeviceId id = devices_.set.find(device);
    if (!id.valid()) return invalid("{} unknown device.", device);
    g.node(n).assigned = id;
  }
  return {};
}

StatusOr<std::unique_ptr<Executor>> GraphManager::make_executor(PlannedPart& part, const Renewal& renewed,
                                                                bool keeps_kernels) {
  const std::size_t device = part.device.index();
  StatusOr<ExecGraph> exec = make_exec_graph(part.plan, devices_.devices[device]->host, shared_[device], &renewed,
                                             keeps_kernels ? &part.kernels : nullptr);
  if (!exec.ok()) return why_not_here(part.plan->graph, *devices_.set[part.device].parsed.type, exec.status());
  return std::make_unique<Executor>(*std::move(exec), env_);
}

StatusOr<std::vector<Partition>> GraphManager::cut(const GraphSpec& graph, const GraphOptions& how) {
  TARRY_RETURN_IF_ERROR(check_specifications(graph));
  ImportOptions own = made_by_itself();
  own.suggests = false;
  TARRY_ASSIGN(Graph g, import_graph(graph, own));
  TARRY_RETURN_IF_ERROR(assign_devices(g));
  PartitionOptions options;
  options.new_name = [this](std::string_view prefix) { return fmt::format(FMT_COMPILE("{}_G{}"), prefix, counter_++); };
  options.incarnation = [this](std::string_view device) {
    const DeviceId id = devices_.set.find(device);
    return id.valid() ? devices_.set[id].incarnation : 0;
  };
  options.control_flow_added = true;
  options.scheduling_for_recvs = how.enable_recv_scheduling;
  TARRY_ASSIGN(std::vector<Partition> parts, partition(g, devices_.set, options));
  for (Partition& p : parts)
    if (how.enable_recv_scheduling) TARRY_RETURN_IF_ERROR(schedule_receives(p.graph, p.location, options.new_name));
  return parts;
}

// ---- cuts that are kept ----

bool DeviceCut::serves(const DeviceCut& asked) const {
  return counter == asked.counter && schedules_receives == asked.schedules_receives &&
         values_up_to == asked.values_up_to && devices == asked.devices;
}

DeviceCut GraphManager::empty_cut(const GraphOptions& how) const {
  DeviceCut cut;
  cut.counter = cut.next_counter = counter_;
  cut.schedules_receives = how.enable_recv_scheduling;
  cut.values_up_to = devices_.devices.front()->host.values_up_to;
  for (std::size_t i = 0; i < devices_.set.size(); ++i) {
    const std::string& name = devices_.set[DeviceId{i}].name;
    cut.devices.push_back(name.substr(name.rfind('/') + 1));
    cut.incarnations.push_back(devices_.set[DeviceId{i}].incarnation);
  }
  return cut;
}

std::vector<DeviceCut>* GraphManager::kept_cuts(const SentGraph& graph) const {
  if (options_.known == nullptr || options_.keeps_partitions) return nullptr;
  return options_.known->about<std::vector<DeviceCut>>(graph.spec.get());
}

Renewal GraphManager::renewal(const DeviceCut& cut, const Renewal* of_master) const {
  Renewal renewed = of_master == nullptr ? Renewal() : *of_master;
  renewed.task.from = cut.written_for;
  for (std::size_t i = 0; i < cut.incarnations.size(); ++i)
    renewed.incarnations.emplace(cut.incarnations[i], devices_.set[DeviceId{i}].incarnation);
  return renewed;
}

// ---- registering ----

StatusOr<std::shared_ptr<GraphItem>> GraphManager::make_item(const SentGraph& graph, const GraphOptions& how,
                                                             std::vector<DeviceCut>* kept) {
  DeviceCut made = empty_cut(how);
  const TaskChange change = graph.renewed ? graph.renewed->task : TaskChange();
  const bool is_own = is_of_task(devices_.set[DeviceId{0u}].name, change.to);
  made.written_for = is_own ? change.to : change.from;
  const std::optional<GraphSpec> own =
      is_own && change.changes() ? std::optional(own_part(*graph.spec, change)) : std::nullopt;
  TARRY_ASSIGN(std::vector<Partition> parts, cut(own ? *own : *graph.spec, how));
  const Renewal renewed = renewal(made, graph.renewed.get());
  auto item = std::make_shared<GraphItem>();
  for (const Partition& part : parts) {
    TARRY_ASSIGN(Graph g, import_graph(part.graph, made_by_itself()));
    made.parts.push_back({devices_.set.find(part.location), plan_exec_graph(std::move(g)), {}});
    TARRY_ASSIGN(std::unique_ptr<Executor> executor, make_executor(made.parts.back(), renewed, kept != nullptr));
    item->executors.push_back(std::move(executor));
  }
  made.next_counter = counter_;
  if (kept != nullptr) kept->push_back(std::move(made));
  if (options_.keeps_partitions) item->partitions = std::move(parts);
  return item;
}

StatusOr<std::shared_ptr<GraphItem>> GraphManager::make_item(DeviceCut& cut, const Renewal* of_master) {
  const Renewal renewed = renewal(cut, of_master);
  auto item = std::make_shared<GraphItem>();
  counter_ = cut.next_counter;
  for (PlannedPart& part : cut.parts) {
    TARRY_ASSIGN(std::unique_ptr<Executor> executor, make_executor(part, renewed, true));
    item->executors.push_back(std::move(executor));
  }
  return item;
}

StatusOr<std::string> GraphManager::register_graph(const SentGraph& graph, const GraphOptions& how) {
  std::vector<DeviceCut>* kept = kept_cuts(graph);
  DeviceCut* cut = kept == nullptr ? nullptr : find_cut(*kept, empty_cut(how));
  TARRY_ASSIGN(std::shared_ptr<GraphItem> item,
               cut == nullptr ? make_item(graph, how, kept) : make_item(*cut, graph.renewed.get()));
  item->builds_cost_model = how.build_cost_model > 0;
  const std::string handle = fmt::format("{:016x}", ++counter_);
  items_[handle] = std::move(item);
  return handle;
}

std::shared_ptr<GraphItem> GraphManager::find(const std::string& handle) {
  const auto it = items_.find(handle);
  return it == items_.end() ? nullptr : it->second;
}

Status GraphManager::deregister(const std::string& handle) {
  const auto it = items_.find(handle);
  if (it == items_.end())
    return error(Code::kAborted, "Graph handle is not found: {}. Possibly, this worker just restarted.", handle);
  items_.erase(it);
  return {};
}

}  // namespace tarry
