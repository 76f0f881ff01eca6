#include "placer/place/supported.hpp"

#include <algorithm>
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
  for (std::size_t i = 0; i < devices.size(); ++i) types.push_back(devices[DeviceId{i}].type);
  return types;
}

std::vector<std::string> constrained_attrs(std::span<const KernelDef> kernels) {
  std::vector<std::string> names = {"_kernel"};
  for (const KernelDef& k : kernels)
    for (const KernelConstraint& c : k.constraints)
      if (std::ranges::find(names, c.attr) == names.end()) names.push_back(c.attr);
  return names;
}

// Enough of a value to tell apart what kernels tell apart: types and lists of types; anything else by its text.
void append_value(std::string& key, const AttrValue& value) {
  key += '\0';
  if (const DataType* t = value.get<DataType>())
    key += static_cast<char>(*t);
  else
    key += summarize(value);
}

}  // namespace

Supported::Supported(const DeviceSet& devices, const Rules& rules, const PlaceOptions& options)
    : rules_(rules),
      kernels_(options.kernels != nullptr ? options.kernels : &kernels_of_tf215()),
      ops_(options.ops != nullptr ? options.ops : &ops_of_tf215()),
      written_(options.written),
      lists_(rules),
      types_(lists_.prioritised(types_of(devices))),
      local_(local_address_space(devices, options)) {}

std::string Supported::kind_of(const Graph& g, NodeId n) {
  const std::string_view op = g.op_name(n);
  auto it = looked_at_.find(op);
  if (it == looked_at_.end()) it = looked_at_.emplace(op, constrained_attrs(kernels_->of(op))).first;
  std::string key(op);
  for (const std::string& attr : it->second) {
    const AttrValue* value = g.node(n).attrs.find(attr);
    value == nullptr ? void(key += '\1') : append_value(key, *value);
  }
  return key;
}

StatusOr<TypeListId> Supported::of(const Graph& g, NodeId n) {
  if (ops_->find(g.op_name(n)) == nullptr) return all_types();
  const std::string kind = kind_of(g, n);
  auto it = answers_.find(kind);
  if (it == answers_.end()) {
    TARRY_ASSIGN(const Answer answer, look_up(g, n));
    it = answers_.emplace(kind, answer).first;
  }
  if (!lists_[it->second.types].empty() || it->second.attrs_differ || !rules_.remote_kernels || !local_) return it->second.types;
  const auto requested = parse_device_name(g.requested_device(n));
  return requested && is_different_address_space(*local_, *requested) ? on_another_task(*requested) : it->second.types;
}

StatusOr<Supported::Answer> Supported::look_up(const Graph& g, NodeId n) {
  const KernelQuery query{g.name(n), g.op_name(n), g.node(n).attrs, definition_text(g, n, rules_, written_)};
  TypeList found;
  bool attrs_differ = false;
  for (const std::string& type : types_) {
    TARRY_ASSIGN(const KernelMatch match, find_kernel(kernels_->of(query.op), query, type, rules_));
    attrs_differ |= match.attrs_differ;
    if (match.kernel != nullptr) found.push_back({type, rules_.kernel_priorities ? match.kernel->priority : 0});
  }
  if (rules_.composite_devices && !found.empty() && !supports(found, kComposite) && has_composite()) found.push_back({std::string(kComposite), 0});
  std::ranges::stable_sort(found, std::greater(), &SupportedType::priority);
  return Answer{lists_.intern(std::move(found)), attrs_differ};
}

bool Supported::has_composite() const { return std::ranges::find(types_, kComposite) != types_.end(); }

TypeListId Supported::all_types() {
  TypeList list;
  for (const std::string& type : types_) list.push_back({type, 0});
  return lists_.intern(std::move(list));
}

TypeListId Supported::on_another_task(const DeviceName& requested) {
  return requested.type ? lists_.intern({{*requested.type, 0}}) : all_types();
}

}  // namespace tarry
