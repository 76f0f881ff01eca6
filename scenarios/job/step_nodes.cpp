#include "scenarios/job/step_nodes.hpp"

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

namespace tarry {
namespace {

// "a" of "a:1" and of "^a".
std::string_view node_of(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

NodeNames nodes_behind(const GraphSpec& graph, const std::vector<const std::vector<std::string>*>& lists) {
  absl::flat_hash_map<std::string_view, const NodeSpec*> nodes;
  for (const NodeSpec& n : graph.nodes) nodes.emplace(n.name, &n);
  std::vector<std::string_view> todo;
  for (const auto* names : lists)
    for (const std::string& name : *names) todo.push_back(node_of(name));
  NodeNames found;
  while (!todo.empty()) {
    const auto node = nodes.find(todo.back());
    todo.pop_back();
    if (node == nodes.end() || !found.insert(node->first).second) continue;
    for (const std::string& input : node->second->inputs) todo.push_back(node_of(input));
  }
  return found;
}

}  // namespace

NodeNames nodes_of_a_step(const ClientJob& client) {
  const ClientProgram& program = client.program;
  if (program.graph == nullptr) return {};
  return nodes_behind(*program.graph, {&program.targets, &program.fetches, &client.options.also});
}

std::set<std::string_view> nodes_of_its_input(const ClientJob& client) {
  const ClientProgram& program = client.program;
  if (program.graph == nullptr || program.queue_runners.empty()) return {};
  std::vector<const std::vector<std::string>*> enqueue_ops;
  for (const QueueRunner& runner : program.queue_runners) enqueue_ops.push_back(&runner.enqueue_ops);
  const NodeNames all = nodes_behind(*program.graph, enqueue_ops), of_step = nodes_of_a_step(client);
  std::set<std::string_view> input;
  for (const NodeSpec& n : program.graph->nodes)
    if (all.contains(n.name) && !of_step.contains(n.name)) input.insert(n.name);
  return input;
}

}  // namespace tarry
