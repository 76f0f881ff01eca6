#include "placer/place/texts.hpp"

#include "placer/core/text.hpp"

namespace tarry {

std::string attrs_text(const Attrs& attrs) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attrs) parts.push_back(fmt::format("{}={}", name, summarize(value)));
  return join(parts, ", ");
}

std::string node_text(const Graph& g, NodeId n) {
  const NodeSpec spec = spec_of(g, n, g.requested_device(n));
  std::string attrs = attrs_text(spec.attrs);
  if (!spec.device.empty()) attrs += fmt::format("{}_device=\"{}\"", attrs.empty() ? "" : ", ", spec.device);
  return fmt::format("{{{{node {}}}}} = {}[{}]({})", spec.name, spec.op, attrs, join(spec.inputs, ", "));
}

std::string colocation_text(const Graph& g, NodeId n) { return fmt::format("{{{{colocation_node {}}}}}", g.name(n)); }

Status attach_node(const Status& s, const Graph& g, NodeId n) {
  const bool names_one = text_of(s).find("{{node ") != std::string_view::npos;
  return with_suffix(s, names_one ? fmt::format("\n\t [[{}]]", g.name(n)) : fmt::format("\n\t [[{{{{node {}}}}}]]", g.name(n)));
}

}  // namespace tarry
