#include "scenarios/job/guess_feeds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "placer/graph/types.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

using Nodes = std::map<std::string_view, const NodeSpec*>;

constexpr std::string_view kIndices = "/indices", kValues = "/values";

bool is_placeholder(const Nodes& nodes, const std::string& name) {
  const auto it = nodes.find(name);
  return it != nodes.end() && it->second->op == "Placeholder";
}

void look_for_sparse(const Nodes& nodes, const NodeSpec& n, FeedHints& out) {
  const auto* shape = n.attrs.get<Shape>("shape");
  if (n.op != "Placeholder" || !n.name.ends_with(kIndices) || shape == nullptr || shape->rank() != 2) return;
  const std::string stem = n.name.substr(0, n.name.size() - kIndices.size());
  if (shape->dims[0] >= 0 || shape->dims[1] <= 0 || !is_placeholder(nodes, stem + std::string(kValues))) return;
  out.sparse.push_back({n.name + ":0", shape->dims[1]});
}

// These look at a tensor's shape only.
bool takes_values(const NodeSpec& n) {
  static const std::set<std::string_view> kShapes{"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"};
  return !kShapes.contains(n.op);
}

bool is_floating(const NodeSpec& n) {
  const auto* type = n.attrs.get<DataType>("dtype");
  return type != nullptr && (*type == DataType::kFloat || *type == DataType::kDouble);
}

// The names of nodes whose values the predicates of conditionals depend on.
std::set<std::string_view> behind_predicates(const GraphSpec& graph, const Nodes& nodes) {
  std::set<std::string_view> seen;
  std::vector<const NodeSpec*> todo;
  const auto add = [&](const std::string& input) {
    const auto it = nodes.find(node_of(input));
    if (!input.starts_with('^') && it != nodes.end() && seen.insert(it->first).second) todo.push_back(it->second);
  };
  for (const NodeSpec& n : graph.nodes)
    if ((n.op == "Switch" || n.op == "RefSwitch") && n.inputs.size() > 1) add(n.inputs[1]);
  while (!todo.empty()) {
    const NodeSpec& n = *todo.back();
    todo.pop_back();
    if (takes_values(n)) std::ranges::for_each(n.inputs, add);
  }
  return seen;
}

}  // namespace

FeedHints guess_feeds(const GraphSpec& graph) {
  Nodes nodes;
  for (const NodeSpec& n : graph.nodes) nodes.emplace(n.name, &n);
  const std::set<std::string_view> behind = behind_predicates(graph, nodes);
  FeedHints out;
  for (const NodeSpec& n : graph.nodes) {
    look_for_sparse(nodes, n, out);
    if (n.op == "Placeholder" && is_floating(n) && behind.contains(n.name)) out.deciding.push_back(n.name + ":0");
  }
  return out;
}

}  // namespace tarry
