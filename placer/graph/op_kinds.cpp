#include "placer/graph/op_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/graph/compare_attrs.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

constexpr std::size_t kKindsKept = 4;

std::vector<std::string_view> type_attrs_of(const OpDef& op) {
  std::vector<std::string_view> names;
  for (const auto* args : {&op.inputs, &op.outputs})
    for (const ArgDef& arg : *args)
      for (const std::string* name :
           {&arg.type_attr, &arg.number_attr, &arg.type_list_attr})  // by pointer: the views stay
        if (!name->empty() && std::ranges::find(names, *name) == names.end()) names.push_back(*name);
  return names;
}

StatusOr<Graph::SharedTypes> shared_types(const std::vector<ArgDef>& args, const Attrs& attrs, std::string_view node) {
  DataTypes types;
  if (const Status s = argument_types(args, attrs, types); !s.ok())
    return with_suffix(s, fmt::format("\n\t; NodeDef: {{{{node {}}}}}", node));
  return std::make_shared<const DataTypes>(std::move(types));
}

}  // namespace

OpKinds::OpKinds(Graph& g, const GraphSpec& spec, const ImportOptions& options)
    : g_(g), spec_(spec), options_(options), ops_(options.ops != nullptr ? *options.ops : ops_of_tf215()) {}

bool OpKinds::fits(const ArgumentTypes& types, const std::vector<std::string_view>& names, const Attrs& attrs) {
  return std::ranges::equal(types.values, names, [&](const AttrValue& value, std::string_view name) {
    const AttrValue* given = attrs.find(name);
    return given != nullptr && *given == value;
  });
}

StatusOr<const OpDef*> OpKinds::look_up(const NodeSpec& node) {
  if (const OpDef* op = ops_.find(node.op)) return op;
  const auto function =
      std::ranges::find(spec_.functions, node.op, [](const FunctionSpec& f) { return f.signature.name; });
  if (function != spec_.functions.end()) {
    auto owned = std::make_shared<OpDef>(function->signature);
    g_.keep_alive(owned);
    return owned.get();
  }
  return unknown(node);
}

Status OpKinds::unknown(const NodeSpec& node) const {
  if (!options_.suggests)
    return error(Code::kNotFound,
                 "Op type not registered '{}' in binary running on tarry. Make sure the Op and Kernel are registered "
                 "in the binary running in this process. "
                 "Note that if you are loading a saved graph which used ops from tf.contrib (e.g. "
                 "`tf.contrib.resampler`), accessing should be done before importing "
                 "the graph, as contrib ops are lazily registered when the module is first accessed.",
                 node.op);
  return op_not_registered(node, ops_);
}

Status op_not_registered(const NodeSpec& node, const OpRegistry& ops) {
  std::vector<std::string> names;
  for (const OpDef& op : ops.all()) names.push_back(op.name);
  return error(Code::kNotFound,
               "Op type not registered '{}' in binary running on tarry. Make sure the Op and Kernel are registered in "
               "the binary running in this process. (node '{}'{})",
               node.op, node.name, did_you_mean(node.op, names));
}

StatusOr<OpKinds::KnownOp*> OpKinds::op_of(const NodeSpec& node) {
  KnownOp& known = known_[node.op];
  if (known.def == nullptr) {
    TARRY_ASSIGN(known.def, look_up(node));
    known.type_attrs = type_attrs_of(*known.def);
    known.has_private = std::ranges::any_of(known.def->attrs, [](const AttrDef& a) { return is_private_attr(a.name); });
  }
  return &known;
}

StatusOr<const OpKinds::ArgumentTypes*> OpKinds::types_of(KnownOp& op, const Attrs& attrs, std::string_view node) {
  for (const ArgumentTypes& types : op.types)
    if (fits(types, op.type_attrs, attrs)) return &types;
  ArgumentTypes found;
  TARRY_ASSIGN(found.inputs, shared_types(op.def->inputs, attrs, node));
  TARRY_ASSIGN(found.outputs, shared_types(op.def->outputs, attrs, node));
  for (const std::string_view name : op.type_attrs) found.values.push_back(*attrs.find(name));
  return &op.types.emplace_back(std::move(found));
}

StatusOr<OpKind> OpKinds::look_at(KnownOp& op, const NodeSpec& node) {
  Attrs full = with_defaults(node.attrs, *op.def);
  TARRY_RETURN_IF_ERROR(validate_attrs(node.name, full, *op.def));
  TARRY_ASSIGN(const ArgumentTypes* types, types_of(op, full, node.name));
  return OpKind{op.def, node.attrs, std::move(full), types->inputs, types->outputs};
}

StatusOr<const OpKind*> OpKinds::find(const NodeSpec& node, Attrs& full) {
  TARRY_ASSIGN(KnownOp * op, op_of(node));
  for (const OpKind& kind : op->kinds) {
    const AttrComparison like = compare_attrs(kind.written, node.attrs);
    if (!like.declared || (op->has_private && !like.all)) continue;
    full = like.all                                 ? kind.full
           : kind.full.is_same_object(kind.written) ? node.attrs
                                                    : with_defaults(node.attrs, *op->def);
    return &kind;
  }
  TARRY_ASSIGN(OpKind kind, look_at(*op, node));
  full = kind.full;
  if (op->kinds.size() < kKindsKept) return &op->kinds.emplace_back(std::move(kind));
  OpKind& oldest = op->kinds[op->next++ % kKindsKept];
  oldest = std::move(kind);
  return &oldest;
}

}  // namespace tarry
