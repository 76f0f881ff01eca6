#include "workers/train/build/readiness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

constexpr std::string_view kMasked = "/boolean_mask/GatherV2";

std::string scope_in(std::string_view node) {
  return std::string(node.ends_with(kMasked) ? node.substr(0, node.size() - kMasked.size()) : "");
}

// What says whether one variable has a value. Only that of a reference variable is put beside it.
NodeSpec check_of(const NodeSpec& variable, const std::string& scope, const std::string& device) {
  if (variable.op == "VarHandleOp")
    return {scope + "/VarIsInitializedOp", "VarIsInitializedOp", device, {variable.name}, {}};
  return {scope + "/IsVariableInitialized",
          "IsVariableInitialized",
          variable.device,
          {variable.name},
          {{"dtype", *variable.attrs.find("dtype")}, {"_class", colocation_beside(variable)}}};
}

bool is_check(const NodeSpec& n) { return n.op == "IsVariableInitialized" || n.op == "VarIsInitializedOp"; }

// A report's checks of handles stand in its scope without the "/cpu:0" that the rest has: "" but in the hook's.
std::string device_of_checks(const GraphEditor& g, const std::string& scope) {
  for (const std::string& name : g.names_under(scope))
    if (g.at(name).op == "VarIsInitializedOp") return g.at(name).device;
  return "";
}

constexpr const char* kShapes[] = {"/boolean_mask/Shape", "/boolean_mask/Shape_1",
                                   "/boolean_mask/Shape_2"};  // of the list of names

bool is_report(const GraphEditor& g, const std::string& scope) {
  return g.has(scope + "/stack") && g.has(scope + "/Const") &&
         std::ranges::all_of(kShapes, [&](const char* shape) { return g.has(scope + shape); });
}

std::string numbered(int i) { return i == 0 ? kReport : fmt::format("{}_{}", kReport, i); }

}  // namespace

std::string report_scope(const GraphEditor& g, const std::string& tensor) {
  const std::string node(node_of(tensor));
  if (!g.has(node)) return "";
  const auto inputs = data_inputs(g.at(node));
  const bool joins = g.at(node).op == "ConcatV2" && !inputs.empty();
  const std::string scope = scope_in(joins ? node_of(inputs[0]) : node);
  return is_report(g, scope) ? scope : "";
}

std::string local_variables_init(const GraphEditor& g, const Group& local_init) {
  for (const std::string& name : g.names())
    if (std::ranges::find(local_init.ops, name) != local_init.ops.end()) return name;
  return "";
}

std::vector<std::string> reported_variables(const GraphEditor& g, const std::string& scope) {
  return g.has(scope + "/Const") ? strings_of(g.at(scope + "/Const")) : std::vector<std::string>{};
}

void set_reported_variables(GraphEditor& g, const std::string& scope, const std::vector<std::string>& variables) {
  const std::string device = device_of_checks(g, scope);
  for (const std::string& name : g.names_under(scope))
    if (is_check(g.at(name))) g.erase(name);
  NodeSpec& all = g.at(scope + "/stack");
  all.inputs.clear();
  for (const std::string& v : variables) all.inputs.push_back(g.add(check_of(g.at(v), scope, device)));
  const auto count = static_cast<std::int64_t>(variables.size());
  all.attrs.set("N", count);
  g.at(scope + "/Const").attrs.set("value", string_tensor(variables));
  for (const char* shape : kShapes) g.at(scope + shape).attrs.set("value", int_tensor(DataType::kInt32, {count}));
}

void copy_report(GraphEditor& g, const std::string& from, const std::string& to, const std::string& device) {
  const auto moved = [&](const std::string& name) {
    return is_under(name, from) ? to + name.substr(from.size()) : name;
  };
  for (const std::string& name : g.names_under(from)) {
    NodeSpec n = g.at(name);
    n.name = moved(name);
    n.device = within(device, n.device);
    for (std::string& input : n.inputs) input = moved(input);
    g.insert(std::move(n));
  }
}

void erase_report(GraphEditor& g, const std::string& scope) {
  for (const std::string& name : g.names_under(scope)) g.erase(name);
}

void number_reports_up(GraphEditor& g) {
  int count = 0;
  while (g.has(numbered(count) + "/stack")) ++count;
  for (int i = count; i > 0; --i) g.rename_scope(numbered(i - 1), numbered(i));
}

void number_reports_down(GraphEditor& g) {
  for (int i = 1; g.has(numbered(i) + "/stack"); ++i) g.rename_scope(numbered(i), numbered(i - 1));
}

}  // namespace tarry
