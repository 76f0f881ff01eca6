#include "properties/cli/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "properties/cli/conform.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

// Every task that the graph names, with a CPU, and GPUs up to the highest number that some node asks for.
StatusOr<DeviceSet> devices_from_graph(const GraphSpec& graph) {
  std::map<std::string, int> gpus;  // task -> highest GPU number, -1 = none
  for (const NodeSpec& n : graph.nodes) {
    auto name = parse_device_name(n.device);
    if (!name || n.device.empty()) continue;
    if (!name->job) name->job = "localhost";
    const std::string task =
        fmt::format("/job:{}/replica:{}/task:{}", *name->job, name->replica.value_or(0), name->task.value_or(0));
    int& highest = gpus.try_emplace(task, -1).first->second;
    if (name->type == "GPU") highest = std::max(highest, name->id.value_or(0));
  }
  if (gpus.empty()) gpus["/job:localhost/replica:0/task:0"] = -1;
  DeviceSet set;
  for (const auto& [task, highest] : gpus) {
    TARRY_RETURN_IF_ERROR(set.add(task + "/device:CPU:0").status());
    for (int i = 0; i <= highest && i < 64; ++i)
      TARRY_RETURN_IF_ERROR(set.add(fmt::format("{}/device:GPU:{}", task, i)).status());
  }
  return set;
}

StatusOr<DeviceSet> devices_of_cluster(const ClusterSpec& cluster) {
  DeviceSet set;
  for (const TaskSpec& t : cluster.tasks)
    for (const std::string& d : device_names(t)) TARRY_RETURN_IF_ERROR(set.add(d).status());
  return set;
}

StatusOr<DeviceSet> devices_from_list(const std::string& list) {
  DeviceSet set;
  for (const std::string_view part : split(list, ',')) {
    auto name = parse_device_name(part);
    if (!name) return invalid("'{}' is not a device name; expected one such as /job:ps/task:0/cpu:0", part);
    if (!name->job) name->job = "localhost";
    if (!name->type || !name->id)
      return invalid("'{}' names no single device; expected a type and a number, such as /job:ps/task:0/device:GPU:1",
                     part);
    if (!name->replica) name->replica = 0;
    if (!name->task) name->task = 0;
    TARRY_RETURN_IF_ERROR(set.add(to_string(*name)).status());
  }
  return set;
}

bool is_recorded_run(const std::string& name) {
  return (name.ends_with(".json") || name.ends_with(".json.zst")) && !name.starts_with("unit_facts");
}

std::vector<std::string> recorded_runs_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (is_recorded_run(entry.path().filename())) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

StatusOr<std::vector<std::string>> recorded_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code none;
    if (!fs::exists(path, none)) return error(Code::kNotFound, "{}: no such file or folder", path);
    const std::vector<std::string> found = fs::is_directory(path, none) ? recorded_runs_in(path) : std::vector{path};
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

StatusOr<GraphSpec> open_graph(const std::string& graph, const Home& home) {
  std::error_code none;
  if (fs::exists(graph, none) || graph.find('/') != std::string::npos) return read_graph(graph);
  const std::string shipped = home.graphs() + "/" + graph + ".pb.zst";
  if (fs::exists(shipped, none)) return read_graph(shipped);
  return error(Code::kNotFound, "{}: no such file, nor a graph that ships with tarry{}", graph,
               did_you_mean(graph, list_graphs(home.graphs())));
}

std::vector<std::string> node_names(const Graph& g) {
  std::vector<std::string> names;
  for (const NodeId n : g.op_nodes()) names.emplace_back(g.name(n));
  return names;
}

StatusOr<DeviceSet> open_devices(const std::string& devices, const GraphSpec& graph, const Home& home) {
  if (devices == "from-graph") return devices_from_graph(graph);
  std::error_code none;
  if (devices.starts_with("/job:") || devices.starts_with("/device:") || devices.find(",/") != std::string::npos)
    return devices_from_list(devices);
  const auto path = fs::exists(devices, none) ? devices : find_case(devices, home.cases());
  if (!path.ok())
    return invalid(
        "--devices '{}': expected from-graph, a list of device names (/job:ps/task:0/cpu:0,...), or a scenario",
        devices);
  TARRY_ASSIGN(const Scenario scenario, load_scenario(*path));
  return devices_of_cluster(scenario.cluster);
}

}  // namespace tarry
