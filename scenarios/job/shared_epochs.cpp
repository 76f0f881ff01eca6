#include "scenarios/job/shared_epochs.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "placer/device/name.hpp"

namespace tarry {
namespace {

bool counts_up(const NodeSpec& n) { return n.op == "CountUpTo" || n.op == "ResourceCountUpTo"; }

// Nothing for one that a client has on its own task, or that any task may have.
std::optional<SharedEpochs> count_of(const ClientProgram& p, const NodeSpec& n) {
  const auto* limit = n.attrs.get<std::int64_t>("limit");
  const std::string counter(node_of(n.inputs.empty() ? "" : n.inputs[0]));
  const auto variable = std::ranges::find(p.graph->nodes, counter, &NodeSpec::name);
  if (limit == nullptr || variable == p.graph->nodes.end()) return std::nullopt;
  const std::optional<DeviceName> at = parse_device_name(variable->device),
                                  own = parse_device_name(p.written_for.empty() ? p.task : p.written_for);
  if (!at || !own || !at->job || !at->task || (at->job == own->job && at->task == own->task)) return std::nullopt;
  return SharedEpochs{counter, *at->job, *at->task, *limit};
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
