#include "placer/place/supported.hpp"

#include <algorithm>
#include <functional>
#include <ranges>

#include "placer/place/find_kernel.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

std::optional<DeviceName> local_address_space(const DeviceSet& devices, const PlaceOptions& options) {
  if (options.client_device.valid()) return devices[options.client_device].parsed;
  if (options.default_local_device.valid()) return devices[options.default_local_device].parsed;
  return std::nullopt;
}

std::vector<std::string> types_of(const DeviceSet& devices) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (const std::string& type = devices[DeviceId{i}].type; std::ranges::find(types, type) == types.end())
      types.push_back(type);
  return types;
}

constexpr std::string_view kLabel = "_kernel";
constexpr std::size_t kTypedKept = 16;  // a graph that was not imported may share no lists at all

std::vector<std::string_view> constrained_attrs(std::span<const KernelDef> kernels) {
  std::vector<std::string_view> names = {kLabel};
  for (const KernelDef& k : kernels)
    for (const KernelConstraint& c : k.constraints)
      if (std::ranges::find(names, c.attr) == names.end()) names.push_back(c.attr);
  return names;
}

// Whether `attr` is the type of a lone argument, which a list of argument types then shows.
bool is_type_of_one(const OpDef& op, std::string_view attr) {
  const auto shows = [&](const ArgDef& a) { return a.type_attr == attr && a.number_attr.empty(); };
  return std::ranges::any_of(op.inputs, shows) || std::ranges::any_of(op.outputs, shows);
}

bool types_show(const OpDef* op, const std::vector<std::string_view>& attrs) {
  return op != nullptr &&
         std::ranges::all_of(attrs, [&](std::string_view a) { return a == kLabel || is_type_of_one(*op, a); });
}

bool is_registered(const OpRegistry& ops, const OpDef* op) { return op != nullptr && ops.find(op->name) != nullptr; }

bool is_same(const AttrValue* a, const AttrValue* b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }

}  // namespace

Supported::Supported(const DeviceSet& devices, const Rules& rules, const PlaceOptions& options)
    : rules_(rules),
      kernels_(options.kernels != nullptr ? options.kernels : &kernels_of_tf215()),
      ops_(options.ops != nullptr ? options.ops : &ops_of_tf215()),
      options_(options),
      lists_(rules),
      types_(lists_.prioritised(types_of(devices))),
      local_(local_address_space(devices, options)) {}

Supported::Op& Supported::op_of(const Graph& g, NodeId n) {
  const auto [it, is_new] = known_.try_emplace(g.node(n).op);
  if (!is_new) return it->second;
  Op& op = it->second;
  op.is_registered = is_registered(*ops_, g.node(n).op);
  op.looked_at = constrained_attrs(kernels_->of(g.op_name(n)));
  op.types_tell = types_show(g.node(n).op, op.looked_at);
  return op;
}

StatusOr<Supported::Answer> Supported::answer_for(const Graph& g, NodeId n, Op& op) {
  return op.types_tell && g.node(n).attrs.find(kLabel) == nullptr ? answer_by_types(g, n, op)
                                                                  : answer_by_attrs(g, n, op);
}

// The attributes are not read, which for most nodes means: not fetched from memory.
StatusOr<Supported::Answer> Supported::answer_by_types(const Graph& g, NodeId n, Op& op) {
  const auto *inputs = g.node(n).input_types.get(), *outputs = g.node(n).output_types.get();
  for (const Typed& t : op.typed)
    if (t.inputs == inputs && t.outputs == outputs) return t.answer;
  TARRY_ASSIGN(const Answer answer, answer_by_attrs(g, n, op));
  if (op.typed.size() < kTypedKept) op.typed.push_back({inputs, outputs, answer});
  return answer;
}

StatusOr<Supported::Answer> Supported::answer_by_attrs(const Graph& g, NodeId n, Op& op) {
  const Attrs& attrs = g.node(n).attrs;
  for (const Kind& kind : op.kinds)
    if (kind.attrs.is_same_object(attrs)) return kind.answer;
  values_.clear();
  for (const std::string_view name : op.looked_at) values_.push_back(attrs.find(name));
  for (const Kind& kind : op.kinds)
    if (std::ranges::equal(kind.values, values_, is_same)) return kind.answer;
  TARRY_ASSIGN(const Answer answer, look_up(g, n));
  op.kinds.push_back({attrs, values_, answer});
  return answer;
}

StatusOr<TypeListId> Supported::of(const Graph& g, NodeId n) {
  Op& op = op_of(g, n);
  if (!op.is_registered) return all_types();
  TARRY_ASSIGN(const Answer answer, answer_for(g, n, op));
  if (!lists_[answer.types].empty() || answer.attrs_differ || !rules_.remote_kernels || !local_) return answer.types;
  const auto requested = parse_device_name(g.requested_device(n));
  return requested && is_different_address_space(*local_, *requested) ? on_another_task(*requested) : answer.types;
}

StatusOr<Supported::Answer> Supported::look_up(const Graph& g, NodeId n) {
  const KernelQuery query{g.name(n), g.op_name(n), g.node(n).attrs,
                          [&] { return definition_text(g, n, rules_, options_); }};
  const auto kernels = kernels_->of(query.op);
  const bool uses_priorities = rules_.kernel_priorities && rules_.planted != PlantedBug::kernel_priority_ignored;
  TypeList found;
  bool attrs_differ = false;
  for (const std::string& type : types_) {
    TARRY_ASSIGN(const KernelMatch match, find_kernel(kernels, query, type, rules_));
    attrs_differ |= match.attrs_differ;
    if (match.kernel != nullptr) found.push_back({type, uses_priorities ? match.kernel->priority : 0});
  }
  if (rules_.composite_devices && !found.empty() && !supports(found, kComposite) && has_composite())
    found.push_back({std::string(kComposite), 0});
  if (!std::ranges::is_sorted(found, std::greater(), &SupportedType::priority))
    std::ranges::stable_sort(found, std::greater(), &SupportedType::priority);
  return Answer{lists_.intern(std::move(found)), attrs_differ};
}

bool Supported::has_composite() const { return std::ranges::find(types_, kComposite) != types_.end(); }

TypeListId Supported::all_types() {
  if (all_types_.valid()) return all_types_;
  TypeList list;
  for (const std::string& type : types_) list.push_back({type, 0});
  return all_types_ = lists_.intern(std::move(list));
}

TypeListId Supported::on_another_task(const DeviceName& requested) {
  return requested.type ? lists_.intern({{*requested.type, 0}}) : all_types();
}

}  // namespace tarry
