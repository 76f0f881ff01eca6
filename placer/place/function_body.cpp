#include "placer/place/function_body.hpp"

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "placer/graph/op_kinds.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

AttrValue filled(const AttrValue& value, const Attrs& given) {
  const Placeholder* hole = value.get<Placeholder>();
  const AttrValue* found = hole == nullptr ? nullptr : given.find(hole->name);
  return found == nullptr ? value : *found;
}

Attrs filled(const Attrs& attrs, const Attrs& given) {
  std::vector<AttrEntry> entries;
  for (const auto& [name, value] : attrs) entries.emplace_back(name, filled(value, given));
  return Attrs(std::move(entries));
}

class Instance {
 public:
  Instance(const FunctionSpec& f, const FuncRef& call, const OpRegistry& ops, std::span<const FunctionSpec> library)
      : f_(f), given_(call.attrs == nullptr ? Attrs() : Attrs(*call.attrs)), ops_(ops), library_(library) {}

  StatusOr<FunctionBody> run() {
    body_.graph.functions.assign(library_.begin(), library_.end());
    TARRY_RETURN_IF_ERROR(add_args());
    TARRY_RETURN_IF_ERROR(name_outputs());
    for (const NodeSpec& n : f_.nodes) TARRY_RETURN_IF_ERROR(add_node(n));
    TARRY_RETURN_IF_ERROR(add_returns());
    return std::move(body_);
  }

 private:
  // The graph's name of a tensor that the body calls "x", "x:i" (an argument) or "node:output:i".
  StatusOr<std::string> tensor(const std::string& text) const {
    if (text.starts_with('^')) return text;
    auto it = tensors_.find(text);
    if (it == tensors_.end()) it = tensors_.find(text + ":0");
    if (it != tensors_.end()) return it->second;
    const auto maker = std::ranges::find(f_.nodes, text.substr(0, text.find(':')), &NodeSpec::name);
    if (maker != f_.nodes.end() && op_of(maker->op) == nullptr) return op_not_registered(*maker, ops_);
    return invalid("Input {} of function {} is not found", text, f_.signature.name);
  }

  Status add_args() {
    for (const ArgDef& arg : f_.signature.inputs) {
      DataTypes types;
      TARRY_RETURN_IF_ERROR(argument_types({&arg, 1}, given_, types));
      for (std::size_t i = 0; i < types.size(); ++i)
        add_arg(types.size() == 1 ? arg.name : fmt::format("{}_{}", arg.name, i), arg.name, i, types[i]);
    }
    return {};
  }

  void add_arg(const std::string& node, const std::string& arg, std::size_t i, DataType type) {
    tensors_[fmt::format("{}:{}", arg, i)] = node;
    const auto index = static_cast<std::int64_t>(body_.args.size());
    body_.graph.nodes.push_back({.name = node, .op = "_Arg", .attrs = {{"T", type}, {"index", index}}});
    body_.args.push_back(node);
  }

  [[nodiscard]] const OpDef* op_of(const std::string& name) const {
    if (const OpDef* op = ops_.find(name)) return op;
    const auto it =
        std::ranges::find(library_, name, [](const FunctionSpec& f) -> const std::string& { return f.signature.name; });
    return it == library_.end() ? nullptr : &it->signature;
  }

  Status name_outputs() {
    for (const NodeSpec& n : f_.nodes) {
      const OpDef* op = op_of(n.op);
      if (op == nullptr) continue;  // the importer says so
      TARRY_ASSIGN(const auto ranges, argument_ranges(op->outputs, with_defaults(filled(n.attrs, given_), *op)));
      for (const ArgRange& r : ranges)
        for (int i = 0; i < r.count; ++i)
          tensors_[fmt::format("{}:{}:{}", n.name, r.name, i)] = fmt::format("{}:{}", n.name, r.first + i);
    }
    return {};
  }

  Status add_node(const NodeSpec& n) {
    NodeSpec node{.name = n.name, .op = n.op, .device = n.device, .attrs = filled(n.attrs, given_)};
    for (const std::string& input : n.inputs) {
      TARRY_ASSIGN(std::string name, tensor(input));
      node.inputs.push_back(name.ends_with(":0") ? name.substr(0, name.size() - 2) : name);
    }
    body_.graph.nodes.push_back(std::move(node));
    return {};
  }

  Status add_returns() {
    for (const ArgDef& out : f_.signature.outputs) {
      DataTypes types;
      TARRY_RETURN_IF_ERROR(argument_types({&out, 1}, given_, types));
      const auto it = std::ranges::find(f_.returns, out.name, &std::pair<std::string, std::string>::first);
      if (it == f_.returns.end()) return invalid("Return {} missing.", out.name);
      for (std::size_t i = 0; i < types.size(); ++i) TARRY_RETURN_IF_ERROR(add_return(out.name, it->second, i, types));
    }
    return {};
  }

  // Of a list of returns, the i-th; the source then names the first.
  Status add_return(const std::string& out, std::string source, std::size_t i, const DataTypes& types) {
    if (i > 0) source = source.substr(0, source.rfind(':')) + fmt::format(":{}", i);
    TARRY_ASSIGN(std::string input, tensor(source));
    const std::string name = types.size() == 1 ? out + "_RetVal" : fmt::format("{}_RetVal_{}", out, i);
    const auto index = static_cast<std::int64_t>(body_.returns.size());
    body_.graph.nodes.push_back(
        {.name = name, .op = "_Retval", .inputs = {std::move(input)}, .attrs = {{"T", types[i]}, {"index", index}}});
    body_.returns.push_back(name);
    return {};
  }

  const FunctionSpec& f_;
  Attrs given_;
  const OpRegistry& ops_;
  std::span<const FunctionSpec> library_;
  FunctionBody body_;
  std::map<std::string, std::string, std::less<>> tensors_;
};

}  // namespace

StatusOr<FunctionBody> instantiate(const FunctionSpec& f, const FuncRef& call, const OpRegistry& ops,
                                   std::span<const FunctionSpec> library) {
  return Instance(f, call, ops, library).run();
}

}  // namespace tarry
