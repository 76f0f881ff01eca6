// What it costs that a queue has no room for the examples of one step: nothing is read ahead while the step computes.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "results/evidence.hpp"
#include "scenarios/job/step_nodes.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "workers/tensor/tensor.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kSteps = 3;  // that there is room for then

std::int64_t number_of(const NodeSpec& node, std::string_view attr, std::int64_t otherwise) {
  const auto* value = node.attrs.get<std::int64_t>(attr);
  return value == nullptr ? otherwise : *value;
}

// That the constant holds; 0 where it is none.
std::int64_t number_in(const GraphSpec& graph, std::string_view input) {
  const auto node = std::ranges::find(graph.nodes, node_of(input), &NodeSpec::name);
  if (node == graph.nodes.end()) return 0;
  const auto* spec = node->attrs.get<std::shared_ptr<const TensorSpec>>("value");
  return spec == nullptr ? 0 : integer_or(from_spec(**spec, 1), 0);
}

// In elements.
struct Narrow {
  std::size_t node = 0;  // the queue's, in its graph
  std::int64_t kept = 0, room = 0, of_a_step = 0;
};

std::int64_t taken_in_a_step(const GraphSpec& graph, const NodeNames& of_step, std::string_view queue) {
  std::int64_t all = 0;
  for (const NodeSpec& n : graph.nodes) {
    if (!n.op.starts_with("QueueDequeue") || !of_step.contains(n.name) || node_of(n.inputs.at(0)) != queue) continue;
    const bool is_many = n.op.starts_with("QueueDequeueMany") || n.op.starts_with("QueueDequeueUpTo");
    all += is_many ? number_in(graph, n.inputs.at(1)) : 1;
  }
  return all;
}

// Nothing where there is room for what a step takes.
std::optional<Narrow> narrow_queue(const GraphSpec& graph, const NodeNames& of_step, const std::string& queue) {
  const auto node = std::ranges::find(graph.nodes, queue, &NodeSpec::name);
  if (node == graph.nodes.end() || !of_step.contains(queue)) return std::nullopt;
  const std::int64_t capacity = number_of(*node, "capacity", -1), kept = number_of(*node, "min_after_dequeue", 0);
  const Narrow n{static_cast<std::size_t>(node - graph.nodes.begin()), kept, capacity - kept,
                 taken_in_a_step(graph, of_step, queue)};
  return capacity >= 0 && n.room < n.of_a_step ? std::optional(n) : std::nullopt;
}

std::int64_t capacity_then(const Narrow& n) { return n.kept + kSteps * n.of_a_step; }

std::shared_ptr<const GraphSpec> with_room(const GraphSpec& graph, const Narrow& n) {
  auto wide = std::make_shared<GraphSpec>(graph);
  wide->nodes[n.node].attrs.set("capacity", capacity_then(n));
  return wide;
}

WhatIf with_room_in(const std::string& queue, const Narrow& n, const Job& job) {
  const std::string keeps = n.kept == 0 ? "" : fmt::format(", of which it keeps {}", n.kept);
  return {{.cause = Proof::Cause::room,
           .a = queue,
           .what = fmt::format("the queue {} has room for {} (its capacity is {}{}), and a step takes {}", queue,
                               counted(n.room, "example", "examples"), n.kept + n.room, keeps, n.of_a_step),
           .instead = fmt::format("with a capacity of {} there, so that it has room for the examples of {} steps",
                                  capacity_then(n), kSteps),
           .together = true},
          job};
}

}  // namespace

void add_room_what_if(std::vector<WhatIf>& out, const Job& job) {
  std::map<std::string, std::size_t> by_queue;  // where it is in `out`
  std::map<std::pair<const GraphSpec*, std::string>, std::shared_ptr<const GraphSpec>> wide;
  for (std::size_t c = 0; c < job.clients.size(); ++c) {
    const ClientProgram& program = job.clients[c].program;
    if (program.graph == nullptr || program.queue_runners.empty()) continue;
    const NodeNames of_step = nodes_of_a_step(job.clients[c]);
    for (const QueueRunner& runner : program.queue_runners) {
      const auto narrow = narrow_queue(*program.graph, of_step, runner.queue);
      if (!narrow) continue;
      if (by_queue.try_emplace(runner.queue, out.size()).second)
        out.push_back(with_room_in(runner.queue, *narrow, job));
      auto& graph = wide[{program.graph.get(), runner.queue}];  // clients that have one graph still do
      if (graph == nullptr) graph = with_room(*program.graph, *narrow);
      out[by_queue[runner.queue]].job.clients[c].program.graph = graph;
    }
  }
}

}  // namespace tarry
