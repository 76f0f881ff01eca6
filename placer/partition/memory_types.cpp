#include "placer/partition/memory_types.hpp"

#include <algorithm>

#include "placer/place/find_kernel.hpp"

namespace tarry {
namespace {

using Slots = std::vector<MemoryType>;

void to_host(Slots& slots, std::int64_t slot) {
  if (slot >= 0 && slot < static_cast<std::int64_t>(slots.size())) slots[slot] = MemoryType::host;
}

// The slots of the arguments that `kernel` keeps in host memory.
Status declared(const KernelDef& kernel, std::span<const ArgDef> args, const Attrs& attrs, Slots& slots) {
  TARRY_ASSIGN(const auto ranges, argument_ranges(args, attrs));
  for (const ArgRange& r : ranges)
    if (std::ranges::find(kernel.host_memory_args, r.name) != kernel.host_memory_args.end())
      for (int i = 0; i < r.count; ++i) to_host(slots, r.first + i);
  return {};
}

void by_type(const DataTypes& types, bool has_kernel, Slots& slots) {
  for (std::size_t i = 0; i < types.size(); ++i)
    if (is_always_on_host(base_type(types[i])) || (!has_kernel && types[i] == DataType::kInt32))
      slots[i] = MemoryType::host;
}

constexpr std::string_view kInputs = "_input_hostmem", kOutputs = "_output_hostmem";

void by_attr(const Attrs& attrs, std::string_view name, Slots& slots) {
  if (const AttrList* list = attrs.get<AttrList>(name))
    for (const std::int64_t slot : list->i) to_host(slots, slot);
}

bool is_same(const AttrValue* a, const AttrValue* b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }

constexpr std::size_t kKindsScanned = 64;  // a graph may have as many kinds as nodes

}  // namespace

StatusOr<MemoryTypes> memory_types(const Graph& g, NodeId n, std::string_view device_type,
                                   const KernelRegistry& kernels, const Rules& rules) {
  const Node& node = g.node(n);
  MemoryTypes types{Slots(node.input_types->size()), Slots(node.output_types->size())};
  const auto match = find_kernel(kernels.of(g.op_name(n)), {g.name(n), g.op_name(n), node.attrs}, device_type, rules);
  const KernelDef* kernel = match.ok() ? match->kernel : nullptr;
  if (kernel != nullptr) {
    TARRY_RETURN_IF_ERROR(declared(*kernel, node.op->inputs, node.attrs, types.inputs));
    TARRY_RETURN_IF_ERROR(declared(*kernel, node.op->outputs, node.attrs, types.outputs));
  }
  by_type(*node.input_types, kernel != nullptr, types.inputs);
  by_type(*node.output_types, kernel != nullptr, types.outputs);
  by_attr(node.attrs, kInputs, types.inputs);
  by_attr(node.attrs, kOutputs, types.outputs);
  return types;
}

// What tells kernels apart, and what tells how many slots an argument has.
std::vector<std::string_view> KnownMemoryTypes::looked_at(const OpDef& op) const {
  std::vector<std::string_view> names = {"_kernel", kInputs, kOutputs};
  const auto add = [&](std::string_view name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const KernelDef& k : kernels_.of(op.name))
    for (const KernelConstraint& c : k.constraints) add(c.attr);
  for (const auto* args : {&op.inputs, &op.outputs})
    for (const ArgDef& a : *args)
      for (const std::string* name : {&a.type_attr, &a.number_attr, &a.type_list_attr}) add(*name);
  return names;
}

StatusOr<const MemoryTypes*> KnownMemoryTypes::of(const Graph& g, NodeId n, const std::string& device_type) {
  const auto [it, is_new] = known_.try_emplace(g.node(n).op);
  Op& op = it->second;
  if (is_new) op.looked_at = looked_at(*g.node(n).op);
  const Attrs& attrs = g.node(n).attrs;
  values_.clear();
  for (const std::string_view name : op.looked_at) values_.push_back(attrs.find(name));
  const auto scanned = op.kinds.begin() + static_cast<std::ptrdiff_t>(std::min(op.kinds.size(), kKindsScanned));
  const auto is_it = [&](const Kind& k) {
    return k.device_type == device_type && std::ranges::equal(k.values, values_, is_same);
  };
  if (const auto kind = std::find_if(op.kinds.begin(), scanned, is_it); kind != scanned) return &kind->types;
  TARRY_ASSIGN(MemoryTypes types, memory_types(g, n, device_type, kernels_, rules_));
  return &op.kinds.emplace_back(Kind{device_type, attrs, values_, std::move(types)}).types;
}

}  // namespace tarry
