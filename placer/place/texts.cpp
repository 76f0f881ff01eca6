#include "placer/place/texts.hpp"

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/graph/tensor_text.hpp"

namespace tarry {
namespace {

std::string value_text(const AttrValue& value, const Rules& rules) {
  const auto* tensor = value.get<std::shared_ptr<const TensorSpec>>();
  return tensor != nullptr ? tensor_text(**tensor, rules.texts.cut_rows_marked) : summarize(value);
}

}  // namespace

std::string attrs_text(const Attrs& attrs, const Rules& rules) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attrs) parts.push_back(fmt::format("{}={}", name, value_text(value, rules)));
  if (rules.texts.attrs_by_text) std::ranges::sort(parts);  // "seed2=0" before "seed=0"
  return join(parts, ", ");
}

namespace {

const NodeSpec* as_written(const GraphSpec* written, const std::string& name) {
  if (written == nullptr) return nullptr;
  const auto it = std::ranges::find(written->nodes, name, &NodeSpec::name);
  return it == written->nodes.end() ? nullptr : &*it;
}

// TensorFlow writes "c_i:0" into the definition when it leads an input to an added node.
void number_added_inputs(NodeSpec& spec, const Graph& g, NodeId n, const PlaceOptions& options) {
  if (options.added_for.empty() || options.added_for.contains(n)) return;
  for (std::string& input : spec.inputs)
    if (const NodeId source = g.find(input); source.valid() && options.added_for.contains(source)) input += ":0";
}

}  // namespace

std::string definition_text(const Graph& g, NodeId n, const Rules& rules, const PlaceOptions& options) {
  NodeSpec spec = spec_of(g, n, g.requested_device(n));
  number_added_inputs(spec, g, n, options);
  if (const NodeSpec* written = as_written(options.written, spec.name);
      written != nullptr && rules.texts.inputs_as_written)
    spec.inputs = written->inputs;
  std::string attrs = attrs_text(spec.attrs, rules);
  if (!spec.device.empty()) attrs += fmt::format("{}_device=\"{}\"", attrs.empty() ? "" : ", ", spec.device);
  return fmt::format(fmt::runtime(rules.texts.definition), fmt::arg("node", spec.name), fmt::arg("op", spec.op),
                     fmt::arg("attrs", attrs), fmt::arg("inputs", join(spec.inputs, ", ")));
}

Status attach_node(const Status& s, const Graph& g, NodeId n, const Rules& rules, const PlaceOptions& options) {
  if (const auto it = options.added_for.find(n); it != options.added_for.end() && rules.texts.attached_call)
    n = it->second;
  const bool names_one = rules.texts.attached_plain_when_named && text_of(s).find("{{node ") != std::string_view::npos;
  if (names_one) return with_suffix(s, fmt::format("\n\t [[{}]]", g.name(n)));
  const std::string node = fmt::format(fmt::runtime(rules.texts.attached), fmt::arg("node", g.name(n)),
                                       fmt::arg("definition", definition_text(g, n, rules, options)));
  return with_suffix(s, fmt::format("\n\t [[{}]]", node));
}

}  // namespace tarry
