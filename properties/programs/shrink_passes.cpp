#include "properties/programs/shrink_passes.hpp"

#include <set>

#include "placer/graph/import.hpp"

namespace tarry {

Positions positions(const Program& p) {
  Positions at;
  for (std::size_t i = 0; i < p.nodes.size(); ++i) at[p.nodes[i].name] = i;
  return at;
}

Program pruned(const Program& p) {
  const auto at = positions(p);
  std::set<std::size_t> needed;
  std::vector<std::size_t> open;
  const auto need = [&](std::string_view input) {
    const auto it = at.find(parse_input(input).node);
    if (it != at.end() && needed.insert(it->second).second) open.push_back(it->second);
  };
  for (const std::string& f : p.fetches) need(f);
  while (!open.empty()) {
    const std::size_t n = open.back();
    open.pop_back();
    for (const std::string& i : p.nodes[n].inputs) need(i);
  }
  Program less = p;
  less.nodes.clear();
  for (const std::size_t n : needed) less.nodes.push_back(p.nodes[n]);
  return less;
}

std::string frame_after(const NodeSpec& n, const std::string& frame) {
  if (n.op == "Enter") return frame + "|" + *n.attrs.get<std::string>("frame_name");
  return n.op == "Exit" ? frame.substr(0, frame.rfind('|')) : frame;
}

std::optional<Facts> facts_of(const Program& p) {
  const auto g = import_graph(spec_on_one_device(p));
  if (!g.ok()) return std::nullopt;
  const auto at = positions(p);
  Facts facts{std::vector<DataTypes>(p.nodes.size()), std::vector<std::string>(p.nodes.size())};
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    facts.types[i] = *g->node(g->find(p.nodes[i].name)).output_types;
    if (p.nodes[i].inputs.empty()) continue;
    const std::size_t from = at.find(parse_input(p.nodes[i].inputs[0]).node)->second;
    facts.frame[i] = frame_after(p.nodes[from], facts.frame[from]);
  }
  return facts;
}

}  // namespace tarry
