#include "scenarios/job/shared_epochs.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "placer/device/name.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

bool counts_up(const NodeSpec& n) { return n.op == "CountUpTo" || n.op == "ResourceCountUpTo"; }

// The task that a client of the program has on that device; nothing where it may be on any.
std::optional<DeviceName> task_on(const ClientProgram& p, const std::string& device) {
  const std::optional<DeviceName> at = parse_device_name(device), written = parse_device_name(p.written_for);
  if (!at || !at->job || !at->task) return std::nullopt;
  const bool is_own = written && at->job == written->job && at->task == written->task;
  return is_own ? parse_device_name(p.task) : at;
}

std::optional<SharedEpochs> count_of(const ClientProgram& p, const NodeSpec& n) {
  const auto* limit = n.attrs.get<std::int64_t>("limit");
  const std::string counter(node_of(n.inputs.empty() ? "" : n.inputs[0]));
  const auto variable = std::ranges::find(p.graph->nodes, counter, &NodeSpec::name);
  if (limit == nullptr || variable == p.graph->nodes.end()) return std::nullopt;
  const std::optional<DeviceName> at = task_on(p, variable->device);
  if (!at) return std::nullopt;
  return SharedEpochs{counter, at->job.value(), at->task.value(), *limit};
}

}  // namespace

SharedEpochs shared_epochs(std::span<const ClientJob> clients) {
  const auto place = [](const SharedEpochs& s) { return std::tie(s.counter, s.job, s.task); };
  std::vector<SharedEpochs> of_others;
  for (const ClientJob& c : clients) {
    std::vector<SharedEpochs> own;
    for (const NodeSpec& n : c.program.graph->nodes) {
      const std::optional<SharedEpochs> count = counts_up(n) ? count_of(c.program, n) : std::nullopt;
      if (!count) continue;
      const auto is_same = [&](const SharedEpochs& other) { return place(other) == place(*count); };
      if (std::ranges::any_of(of_others, is_same)) return *count;
      own.push_back(*count);
    }
    of_others.insert(of_others.end(), own.begin(), own.end());
  }
  return {};
}

}  // namespace tarry
