#include "workers/train/build/graph_editor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr std::string_view kLocation = "loc:@";

std::string numbered(std::string_view name, int number) {
  return number == 0 ? std::string(name) : fmt::format("{}_{}", name, number);
}

// What `name` becomes when `from` and all under it move to `to`.
std::string moved(const std::string& name, const std::string& from, const std::string& to) {
  return name == from || is_under(name, from) ? to + name.substr(from.size()) : name;
}

// The nodes of a scope that moves. Others that are only called so stay.
struct Move {
  const std::string &from, &to;
  std::set<std::string, std::less<>> names;

  [[nodiscard]] bool concerns(std::string_view name) const { return name.starts_with(from) && names.contains(name); }
  void rename_in(NodeSpec& node) const {
    for (std::string& input : node.inputs)
      if (concerns(node_of(input))) input.replace(is_control(input) ? 1 : 0, from.size(), to);
    if (const std::string other = colocated_with(node); concerns(other))
      node.attrs.set("_class", colocation(moved(other, from, to)));
  }
};

std::size_t places_of(const ArgDef& arg, const NodeSpec& node) {
  if (!arg.number_attr.empty())
    if (const auto* n = node.attrs.get<std::int64_t>(arg.number_attr)) return static_cast<std::size_t>(*n);
  if (!arg.type_list_attr.empty())
    if (const auto* list = node.attrs.get<AttrList>(arg.type_list_attr)) return list->type.size();
  return 1;
}

const ArgDef* argument(const NodeSpec& node, std::size_t index) {
  const OpDef* op = ops_of_tf215().find(node.op);
  if (op == nullptr) return nullptr;
  for (const ArgDef& arg : op->inputs) {
    const std::size_t places = places_of(arg, node);
    if (index < places) return &arg;
    index -= places;
  }
  return nullptr;
}

}  // namespace

GraphEditor::GraphEditor(const GraphSpec& graph)
    : rest_{{}, graph.versions, graph.functions}, nodes_(graph.nodes.begin(), graph.nodes.end()) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) index_.emplace(nodes_[i].name, i);
}

std::size_t GraphEditor::place(std::string_view name) const {
  const auto it = index_.find(name);
  check(it != index_.end(), "a node is asked for that the graph does not have");
  return it->second;
}

std::vector<std::string> GraphEditor::names() const {
  std::vector<std::string> names;
  for (const NodeSpec& n : nodes_)
    if (!n.name.empty()) names.push_back(n.name);
  return names;
}

std::vector<std::string> GraphEditor::names_under(std::string_view scope) const {
  std::vector<std::string> names;
  const std::string prefix = std::string(scope) + "/";
  for (auto it = index_.lower_bound(prefix); it != index_.end() && it->first.starts_with(prefix); ++it)
    names.push_back(it->first);
  return names;
}

bool GraphEditor::is_taken(const std::string& name) const {
  if (has(name)) return true;
  const std::string prefix = name + "/";
  const auto under = index_.lower_bound(prefix);
  return under != index_.end() && under->first.starts_with(prefix);
}

int GraphEditor::free_number(std::string_view wanted) const {
  const auto tried = first_free_.find(wanted);
  int number = tried == first_free_.end() ? 0 : tried->second;
  while (is_taken(numbered(wanted, number))) ++number;
  return number;
}

std::string GraphEditor::unique_name(std::string_view wanted) const { return numbered(wanted, free_number(wanted)); }

std::string GraphEditor::add(NodeSpec node) {
  const int number = free_number(node.name);
  const std::string wanted = std::exchange(node.name, numbered(node.name, number));
  first_free_[wanted] = number + 1;
  return insert(std::move(node));
}

void GraphEditor::forget_number(std::string_view name) {
  for (; !name.empty(); name = name.substr(0, name.rfind('/') == name.npos ? 0 : name.rfind('/'))) {
    if (const auto own = first_free_.find(name); own != first_free_.end()) first_free_.erase(own);
    const auto of_number = first_free_.find(name.substr(0, name.rfind('_')));
    if (of_number != first_free_.end()) first_free_.erase(of_number);
  }
}

std::string GraphEditor::insert(NodeSpec node) {
  check(!has(node.name), "a node is added whose name the graph has already");
  for (const std::string& input : control_inputs(node)) at(input).attrs.set(kManualControl, true);
  const auto former = erased_.find(node.name);
  const std::size_t i = former == erased_.end() ? nodes_.size() : former->second;
  if (i == nodes_.size()) nodes_.emplace_back();
  nodes_[i] = std::move(node);
  index_.emplace(nodes_[i].name, i);
  inserted_.insert(i);
  return nodes_[i].name;
}

void GraphEditor::erase(std::string_view name) {
  const auto it = index_.find(name);
  forget_number(name);
  for (std::string& input : control_inputs(at(name))) released_.insert(std::move(input));
  nodes_[place(name)] = {};
  erased_[it->first] = it->second;
  index_.erase(it);
}

void GraphEditor::rename_scope(const std::string& from, const std::string& to) {
  Move move{from, to, {}};
  for (std::string& name : names_under(from)) move.names.insert(std::move(name));
  if (has(from)) move.names.insert(from);
  for (const std::string& name : move.names) {
    const std::size_t i = place(name);
    forget_number(name);
    index_.erase(name);
    nodes_[i].name = moved(name, from, to);
    index_.emplace(nodes_[i].name, i);
  }
  for (NodeSpec& n : nodes_) move.rename_in(n);
}

void GraphEditor::replace_inputs(const std::function<void(NodeSpec&, std::string&)>& change) {
  for (NodeSpec& n : nodes_)
    for (std::string& input : n.inputs) change(n, input);
}

GraphSpec GraphEditor::take() {
  std::set<std::string> controlling;
  for (const NodeSpec& n : nodes_)
    for (std::string& input : control_inputs(n)) controlling.insert(std::move(input));
  GraphSpec out = std::move(rest_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeSpec& n = nodes_[i];
    if (n.name.empty()) continue;
    const bool controls = controlling.contains(n.name);
    if (controls && inserted_.contains(i)) n.attrs.set(kManualControl, true);
    if (!controls && released_.contains(n.name)) n.attrs.erase(kManualControl);
    out.nodes.push_back(std::move(n));
  }
  return out;
}

// ---- parts of a node ----

std::string maker_of(const GraphEditor& g, std::string_view tensor) {
  std::set<std::string> passed;
  for (std::string name(node_of(tensor)); g.has(name) && passed.insert(name).second;) {
    if (g.at(name).op != "Identity") return name;
    const auto inputs = data_inputs(g.at(name));
    name = inputs.empty() ? "" : node_of(inputs[0]);
  }
  return "";
}

std::string_view node_of(std::string_view input) {
  if (is_control(input)) return input.substr(1);
  return input.substr(0, input.rfind(':'));
}

std::vector<std::string> data_inputs(const NodeSpec& node) {
  std::vector<std::string> out;
  std::ranges::copy_if(node.inputs, std::back_inserter(out), [](const std::string& i) { return !is_control(i); });
  return out;
}

std::vector<std::string> control_inputs(const NodeSpec& node) {
  std::vector<std::string> out;
  for (const std::string& input : node.inputs)
    if (is_control(input)) out.push_back(input.substr(1));
  return out;
}

std::string scope_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : name.substr(0, slash));
}

std::string colocated_with(const NodeSpec& node) {
  const auto* list = node.attrs.get<AttrList>("_class");
  if (list == nullptr || list->s.empty() || !list->s[0].starts_with(kLocation)) return "";
  return list->s[0].substr(kLocation.size());
}

AttrValue colocation(const std::string& node) { return AttrList{.s = {std::string(kLocation) + node}}; }

AttrValue colocation_beside(const NodeSpec& node) {
  const std::string with = colocated_with(node);
  return colocation(with.empty() ? node.name : with);
}

DataType input_type(const NodeSpec& node, std::size_t index) {
  const ArgDef* arg = argument(node, index);
  if (arg == nullptr) return DataType::kInvalid;
  if (arg->type != DataType::kInvalid) return arg->type;
  const auto* type = node.attrs.get<DataType>(arg->type_attr);
  return type == nullptr ? DataType::kInvalid : *type;
}

std::string_view input_name(const NodeSpec& node, std::size_t index) {
  const ArgDef* arg = argument(node, index);
  return arg == nullptr ? std::string_view() : std::string_view(arg->name);
}

std::string set_input_type(NodeSpec& node, std::size_t index, DataType type) {
  const ArgDef* arg = argument(node, index);
  if (arg == nullptr || arg->type_attr.empty()) return "";
  node.attrs.set(arg->type_attr, type);
  return arg->type_attr;
}

AttrValue int_tensor(DataType type, std::vector<std::int64_t> values, bool is_scalar) {
  auto tensor = std::make_shared<TensorSpec>();
  tensor->dtype = type;
  if (!is_scalar) tensor->shape.dims = {static_cast<std::int64_t>(values.size())};
  for (const std::int64_t v : values)
    for (std::size_t byte = 0; byte < type_size(type); ++byte)
      tensor->content.push_back(static_cast<char>(v >> (8 * byte)));
  return std::shared_ptr<const TensorSpec>(std::move(tensor));
}

AttrValue string_tensor(std::vector<std::string> values) {
  auto tensor = std::make_shared<TensorSpec>();
  tensor->dtype = DataType::kString;
  tensor->shape.dims = {static_cast<std::int64_t>(values.size())};
  tensor->strings = std::move(values);
  return std::shared_ptr<const TensorSpec>(std::move(tensor));
}

std::vector<std::string> strings_of(const NodeSpec& constant) {
  const auto* value = constant.attrs.get<std::shared_ptr<const TensorSpec>>("value");
  if (value == nullptr) return {};
  std::vector<std::string> out = (*value)->strings;
  out.resize(static_cast<std::size_t>((*value)->shape.elements()), out.empty() ? "" : out.back());
  return out;
}

NodeSpec constant(std::string name, std::string device, DataType type, AttrValue value) {
  return {std::move(name), "Const", std::move(device), {}, {{"dtype", type}, {"value", std::move(value)}}};
}

}  // namespace tarry
