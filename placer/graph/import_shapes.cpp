#include "placer/graph/import_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "placer/core/text.hpp"
#include "placer/graph/shape_faults.hpp"

namespace tarry {
namespace {

struct ReadAttr {
  std::string_view op, attr;
};

// Sorted by op.
constexpr std::array kRead = {
    ReadAttr{"AccumulateNV2", "shape"},
    ReadAttr{"AnonymousMutableDenseHashTable", "value_shape"},
    ReadAttr{"AnonymousMutableHashTableOfTensors", "value_shape"},
    ReadAttr{"Case", "output_shapes"},
    ReadAttr{"CollectiveBcastRecv", "shape"},
    ReadAttr{"CollectiveBcastSend", "shape"},
    ReadAttr{"DatasetToSingleElement", "output_shapes"},
    ReadAttr{"EnsureShape", "shape"},
    ReadAttr{"FakeParam", "shape"},
    ReadAttr{"GetElementAtIndex", "output_shapes"},
    ReadAttr{"If", "output_shapes"},
    ReadAttr{"ImmutableConst", "shape"},
    ReadAttr{"InfeedDequeue", "shape"},
    ReadAttr{"InfeedDequeueTuple", "shapes"},
    ReadAttr{"IteratorGetNext", "output_shapes"},
    ReadAttr{"IteratorGetNextSync", "output_shapes"},
    ReadAttr{"MapDefun", "output_shapes"},
    ReadAttr{"MutableDenseHashTableV2", "value_shape"},
    ReadAttr{"MutableHashTableOfTensorsV2", "value_shape"},
    ReadAttr{"OptionalGetValue", "output_shapes"},
    ReadAttr{"OutfeedDequeue", "shape"},
    ReadAttr{"OutfeedDequeueTuple", "shapes"},
    ReadAttr{"OutfeedDequeueV2", "shape"},
    ReadAttr{"ParallelConcat", "shape"},
    ReadAttr{"ParseExample", "dense_shapes"},
    ReadAttr{"ParseSingleExample", "dense_shapes"},
    ReadAttr{"Placeholder", "shape"},
    ReadAttr{"PlaceholderV2", "shape"},
    ReadAttr{"PlaceholderWithDefault", "shape"},
    ReadAttr{"ReduceDataset", "output_shapes"},
    ReadAttr{"StatelessCase", "output_shapes"},
    ReadAttr{"StatelessIf", "output_shapes"},
    ReadAttr{"StatelessWhile", "output_shapes"},
    ReadAttr{"TemporaryVariable", "shape"},
    ReadAttr{"TensorArrayGatherV3", "element_shape"},
    ReadAttr{"TensorArrayV3", "element_shape"},
    ReadAttr{"TensorListConcat", "element_shape"},
    ReadAttr{"UncompressElement", "output_shapes"},
    ReadAttr{"VarHandleOp", "shape"},
    ReadAttr{"Variable", "shape"},
    ReadAttr{"VariableV2", "shape"},
    ReadAttr{"While", "output_shapes"},
    ReadAttr{"_VarHandlesOp", "shapes"},
};

std::string fault_of(const Attrs& attrs, std::string_view op) {
  if (op == "Const") {
    const auto* value = attrs.get<std::shared_ptr<const TensorSpec>>("value");
    return value == nullptr || (*value)->shape.unknown_rank ? "" : fault_of_full((*value)->shape);
  }
  const auto row = std::ranges::lower_bound(kRead, op, {}, &ReadAttr::op);
  if (row == kRead.end() || row->op != op) return "";
  if (const auto* shape = attrs.get<Shape>(row->attr)) return fault_of_partial(*shape);
  if (const auto* list = attrs.get<AttrList>(row->attr))
    for (const Shape& shape : list->shape)
      if (std::string fault = fault_of_partial(shape); !fault.empty()) return fault;
  return "";
}

// {{node n}} = Op[T=DT_FLOAT, _device="/cpu:0"](a, b:1, ^c)
std::string definition_of(const Graph& g, NodeId n) {
  const NodeSpec spec = spec_of(g, n, g.requested_device(n));
  std::vector<std::string> attrs;
  for (const auto& [name, value] : spec.attrs) attrs.push_back(fmt::format("{}={}", name, summarize(value)));
  if (!spec.device.empty()) attrs.push_back(fmt::format("_device=\"{}\"", spec.device));
  return fmt::format("{{{{node {}}}}} = {}[{}]({})", spec.name, spec.op, join(attrs, ", "), join(spec.inputs, ", "));
}

std::string shape_of_output(const Node& node, std::string_view op) {
  if (op == "Const")
    if (const auto* value = node.attrs.get<std::shared_ptr<const TensorSpec>>("value"))
      return to_string((*value)->shape);
  const auto* shape = op == "Placeholder" ? node.attrs.get<Shape>("shape") : nullptr;
  return shape == nullptr || shape->unknown_rank ? "?" : to_string(*shape);
}

std::string shapes_of_inputs(const Graph& g, NodeId n) {
  std::vector<std::string> shapes;
  for (int slot = 0; slot < g.input_count(n); ++slot) {
    const EdgeId e = g.input_edge(n, slot);
    shapes.push_back(e.valid() ? shape_of_output(g.node(g.edge(e).src), g.op_name(g.edge(e).src)) : "?");
  }
  return join(shapes, ", ");
}

}  // namespace

Status check_shapes(const Graph& g, NodeId n) {
  const std::string fault = fault_of(g.node(n).attrs, g.op_name(n));
  if (fault.empty()) return {};
  return invalid("{} for '{}' with input shapes: {}.", fault, definition_of(g, n), shapes_of_inputs(g, n));
}

}  // namespace tarry
