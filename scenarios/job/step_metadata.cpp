#include "scenarios/job/step_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/event_names.hpp"

namespace tarry {
namespace {

// The id of a step that ended.
std::optional<StepId> find_step(const EventLog& log, NumberedStep wanted) {
  std::optional<StepId> id;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event);
        began != nullptr && began->task == wanted.task && began->purpose == Purpose::train && --wanted.number == 0)
      id = began->step;
    if (const auto* ended = std::get_if<StepEnded>(&e.event); ended != nullptr && id == ended->step) return id;
  }
  return std::nullopt;
}

class StepReader {
 public:
  StepReader(const EventLog& log, StepId step, const GraphSpec& graph) : log_(log), step_(step) {
    for (const NodeSpec& n : graph.nodes) nodes_.emplace(n.name, &n);
  }

  std::vector<NodeExecTime> run() {
    for (const LoggedEvent& e : log_.events()) {
      if (const auto* k = std::get_if<KernelRan>(&e.event); k != nullptr && k->step == step_) add(*k, e.at);
      if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->step == step_) add(*m, e.at);
    }
    std::ranges::stable_sort(times_, {}, &NodeExecTime::start_ns);
    return std::move(times_);
  }

 private:
  void add(const KernelRan& k, Nanos at) {
    const std::string node(log_.name(k.node));
    times_.push_back({std::string(log_.name(k.device)), node, label_of(node, log_.name(k.op)), k.began, at - k.began});
  }
  void add(const MessageDelivered& m, Nanos at) {
    const std::string_view kind = log_.name(m.kind), key = log_.name(m.key);
    if (kind == "RecvTensor request") asked_.try_emplace(m.key, m.sent);
    const auto parts = split(key, ';');
    if (kind != "RecvTensor reply" || parts.size() < 4) return;
    const auto asked = asked_.find(m.key);
    const Nanos began = asked == asked_.end() ? m.sent : asked->second;
    times_.push_back({std::string(parts[2]), "RecvTensor",
                      fmt::format("[{}] {} from {} to {}", size_of(m.bytes), tensor_of(key), parts[0], parts[2]), began,
                      at - began});
  }
  // "name = Op(in0, in1)": data inputs, as the client's graph has them.
  [[nodiscard]] std::string label_of(const std::string& node, std::string_view op) const {
    std::vector<std::string> inputs;
    if (const auto it = nodes_.find(node); it != nodes_.end())
      std::ranges::copy_if(it->second->inputs, std::back_inserter(inputs),
                           [](const std::string& input) { return !input.starts_with('^'); });
    return fmt::format("{} = {}({})", node, op, join(inputs, ", "));
  }
  // "400B", "1.5MB" from a tenth of a mebibyte.
  static std::string size_of(std::uint64_t bytes) {
    const double mebibytes = static_cast<double>(bytes) / (1 << 20);
    return mebibytes >= 0.1 ? fmt::format("{:.1f}MB", mebibytes) : fmt::format("{}B", bytes);
  }

  const EventLog& log_;
  StepId step_;
  std::map<std::string_view, const NodeSpec*> nodes_;
  std::map<NameId, Nanos> asked_;  // when each tensor was first asked for
  std::vector<NodeExecTime> times_;
};

}  // namespace

std::optional<NumberedStep> last_whole_step(const EventLog& log) {
  std::map<TaskId, std::int64_t> began;
  std::map<StepId, NumberedStep> open;
  std::map<TaskId, NumberedStep> last;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* b = std::get_if<StepBegan>(&e.event); b != nullptr && b->purpose == Purpose::train)
      open[b->step] = {b->task, ++began[b->task]};
    if (const auto* ended = std::get_if<StepEnded>(&e.event); ended != nullptr && ended->code == 0)
      if (const auto it = open.find(ended->step); it != open.end()) last[it->second.task] = it->second;
  }
  return last.empty() ? std::nullopt : std::optional(last.begin()->second);
}

std::optional<std::vector<NodeExecTime>> times_of_step(const EventLog& log, const NumberedStep& step,
                                                       const GraphSpec& graph) {
  const auto id = find_step(log, step);
  return id ? std::optional(StepReader(log, *id, graph).run()) : std::nullopt;
}

}  // namespace tarry
