// Variants that hold what always lives on the host: who handles them stays on the CPU (docs/rules/placer.md#C.3.0.6).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "placer/place/called_function.hpp"
#include "placer/place/groups.hpp"

namespace tarry {
namespace {

constexpr std::string_view kCpu = "CPU";

bool has_variant_input(const Graph& g, NodeId n) {
  return std::ranges::any_of(g.in_edges(n), [&](EdgeId id) {
    const Edge& e = g.edge(id);
    return !e.is_control() && g.input_type(n, e.dst_slot) == DataType::kVariant;
  });
}

// ---- by the lists of tensors that a variant comes from ----

bool always_on_host(DataType t) { return t == DataType::kString || t == DataType::kResource; }

// The type of the elements that an op of lists handles; kInvalid for other ops.
DataType element_type(const Graph& g, NodeId n) {
  const std::string_view op = g.op_name(n);
  if (op != "EmptyTensorList" && !op.starts_with("TensorList")) return DataType::kInvalid;
  const DataType* type = g.node(n).attrs.get<DataType>("element_dtype");
  return type == nullptr ? DataType::kInvalid : *type;
}

// Goes back along variants, depth first, the last input first. Once a type is known no more nodes are added, but those
// that wait are still looked at, and the last one that has a type decides. A list of lists (variants) has none itself.
bool comes_from_host(const Graph& g, NodeId start) {
  std::vector<bool> seen(g.node_slots());
  std::vector<NodeId> waiting{start};
  std::optional<bool> on_host;
  while (!waiting.empty()) {
    const NodeId n = waiting.back();
    waiting.pop_back();
    if (seen[n.index()]) continue;
    seen[n.index()] = true;
    if (const DataType t = element_type(g, n); t != DataType::kInvalid && t != DataType::kVariant)
      on_host = always_on_host(t);
    if (on_host) continue;
    for (const EdgeId id : g.in_edges(n)) {
      const Edge& e = g.edge(id);
      if (!e.is_control() && g.output_type(e.src, e.src_slot) == DataType::kVariant) waiting.push_back(e.src);
    }
  }
  return on_host.value_or(false);
}

// ---- by what the op before makes ----

bool is_list_with(const AttrValue* types, DataType wanted) {
  const AttrList* list = types == nullptr ? nullptr : types->get<AttrList>();
  return list != nullptr && std::ranges::find(list->type, wanted) != list->type.end();
}

bool is_string(const Attrs& attrs, std::string_view attr) {
  const DataType* type = attrs.get<DataType>(attr);
  return type != nullptr && *type == DataType::kString;
}

// Nearly every dataset has the full type DATASET.
bool makes_dataset_type(std::string_view op) {
  static constexpr std::array kOthers = {"DatasetFromGraph", "SnapshotDatasetReader", "SnapshotNestedDatasetReader",
                                         "WindowOp"};
  if (std::ranges::find(kOthers, op) != kOthers.end()) return true;
  if (op == "SaveDatasetV2") return false;
  while (!op.empty() && op.back() >= '0' && op.back() <= '9') op.remove_suffix(1);
  if (op.ends_with("DatasetV")) op.remove_suffix(1);
  return op.ends_with("Dataset");
}

// Whether an output of the node is known to be in the host's memory: a dataset, a lock, or a list, an optional or a
// ragged tensor of strings.
bool makes_host_only(const Graph& g, NodeId n) {
  const std::string_view op = g.op_name(n);
  const Attrs& attrs = g.node(n).attrs;
  if (op == "MutexLock" || makes_dataset_type(op)) return true;
  if (op == "OptionalFromValue") return is_list_with(attrs.find("Toutput_types"), DataType::kString);
  if (op == "IteratorGetNextAsOptional") return is_list_with(attrs.find("output_types"), DataType::kString);
  if (op == "RaggedTensorToVariant") return is_string(attrs, "Tvalues");
  return element_type(g, n) == DataType::kString && g.output_count(n) == 1 && g.output_type(n, 0) == DataType::kVariant;
}

// Ops that take what they get in either memory: control flow, and what hands its input on.
bool takes_any_memory(const Graph& g, std::string_view op) {
  static constexpr std::array kOps = {"Identity",         "Switch",  "_SwitchN",     "Merge",
                                      "_XlaMerge",        "Enter",   "Exit",         "NextIteration",
                                      "SymbolicGradient", "_Retval", "_DeviceRetval"};
  return std::ranges::find(kOps, op) != kOps.end() || is_call(op) ||
         std::ranges::any_of(g.functions, [&](const FunctionSpec& f) { return f.signature.name == op; });
}

// Ops whose outputs are of their input's type.
bool hands_type_on(std::string_view op) {
  static constexpr std::array kOps = {"Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration"};
  return std::ranges::find(kOps, op) != kOps.end();
}

// What is in the variant that the node makes, in words, where an op says so by itself; "" = it does not.
std::string type_made(const Graph& g, NodeId n) {
  const std::string_view op = g.op_name(n);
  const Attrs& attrs = g.node(n).attrs;
  const auto with = [&](std::string_view what, std::string_view attr) {
    const AttrValue* value = attrs.find(attr);
    return fmt::format("{} of {}", what, value == nullptr ? "" : summarize(*value));
  };
  if (op == "MutexLock") return "lock";
  if (makes_dataset_type(op)) return with("dataset", "output_types");
  if (op == "OptionalFromValue") return with("optional", "Toutput_types");
  if (op == "IteratorGetNextAsOptional") return with("optional", "output_types");
  if (op == "RaggedTensorToVariant") return with("ragged", "Tvalues");
  const bool is_list =
      element_type(g, n) != DataType::kInvalid && g.output_count(n) == 1 && g.output_type(n, 0) == DataType::kVariant;
  return is_list ? with("list", "element_dtype") : "";
}

// The same, inferred along edges: a Merge of several types has none. `maker`: one that makes it.
std::string type_inferred(const Graph& g, NodeId from, NodeId& maker) {
  std::string type;
  std::set<NodeId> seen{from};
  for (std::vector<NodeId> left{from}; !left.empty();) {
    const NodeId n = left.back();
    left.pop_back();
    if (const std::string made = type_made(g, n); !made.empty()) {
      if (!type.empty() && type != made) return "";
      type = made, maker = n;
    } else if (hands_type_on(g.op_name(n))) {
      for (const EdgeId id : g.in_edges(n))
        if (const Edge& e = g.edge(id); !e.is_control() && seen.insert(e.src).second) left.push_back(e.src);
    }
  }
  return type;
}
bool is_inferred_host_only(const Graph& g, NodeId from) {
  NodeId maker;
  return !type_inferred(g, from, maker).empty() && makes_host_only(g, maker);
}

// A group with an assigned device is left alone.
bool follows_host_only(Placement& p, NodeId n) {
  const Graph& g = p.graph;
  const auto is_host_only = [&](EdgeId id) {
    const NodeId from = g.edge(id).src;
    return p.rules.types_inferred ? is_inferred_host_only(g, from) : makes_host_only(g, from);
  };
  return takes_any_memory(g, g.op_name(n)) && p.members.set_of(n).assigned == kNoDeviceRequest &&
         std::ranges::any_of(g.in_edges(n), is_host_only);
}

}  // namespace

void keep_on_host(Placement& p) {
  for (const NodeId n : p.nodes) {
    if (!has_variant_input(p.graph, n)) continue;
    if (!follows_host_only(p, n) && !comes_from_host(p.graph, n)) continue;
    if (p.members.limit_to_type(n, kCpu)) p.note(KeptOnHost{n});
  }
}

}  // namespace tarry
