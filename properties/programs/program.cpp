#include "properties/programs/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tarry {

GraphSpec spec_of(const Program& p) {
  GraphSpec g;
  g.nodes = p.nodes;
  return g;
}

GraphSpec spec_on_one_device(const Program& p) {
  GraphSpec g = spec_of(p);
  for (NodeSpec& n : g.nodes) n.device.clear();
  return g;
}

Program with_parallel_iterations(Program p, std::int64_t parallel) {
  for (NodeSpec& n : p.nodes)
    if (n.op == "Enter") n.attrs.set("parallel_iterations", AttrValue(parallel));
  return p;
}

namespace {

std::string attrs_text(const NodeSpec& n) {
  std::string text;
  for (const auto& [name, value] : n.attrs)
    if (name != "T" && name != "N" && name != "_class") text += fmt::format(" {}={}", name, summarize(value));
  return text;
}

}  // namespace

std::string to_text(const Program& p) {
  std::string text;
  for (const NodeSpec& n : p.nodes) {
    const auto device = std::ranges::find(p.devices, n.device) - p.devices.begin();
    const bool elsewhere = std::cmp_less(device, p.devices.size()) && device > 0;
    text += fmt::format("  {} = {}({}){}{}\n", n.name, n.op, fmt::join(n.inputs, ", "), attrs_text(n),
                        elsewhere ? fmt::format(" @{}", p.devices[static_cast<std::size_t>(device)]) : "");
  }
  return text +
         fmt::format("  fetch {}; {} step(s) on {}\n", fmt::join(p.fetches, ", "), p.steps, fmt::join(p.devices, ", "));
}

}  // namespace tarry
