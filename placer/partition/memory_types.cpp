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
    if (is_always_on_host(base_type(types[i])) || (!has_kernel && types[i] == DataType::kInt32)) slots[i] = MemoryType::host;
}

void by_attr(const Attrs& attrs, std::string_view name, Slots& slots) {
  if (const AttrList* list = attrs.get<AttrList>(name))
    for (const std::int64_t slot : list->i) to_host(slots, slot);
}

}  // namespace

StatusOr<MemoryTypes> memory_types(const Graph& g, NodeId n, std::string_view device_type, const KernelRegistry& kernels,
                                   const Rules& rules) {
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
  by_attr(node.attrs, "_input_hostmem", types.inputs);
  by_attr(node.attrs, "_output_hostmem", types.outputs);
  return types;
}

}  // namespace tarry
