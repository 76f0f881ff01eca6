#include "placer/place/find_kernel.hpp"

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

constexpr std::string_view kDefaultType = "DEFAULT";

bool allows(const DataTypes& allowed, DataType t) { return std::ranges::find(allowed, t) != allowed.end(); }

std::string type_list_text(const DataTypes& types, std::string_view before, std::string_view separator) {
  std::vector<std::string> names;
  for (const DataType t : types) names.push_back(fmt::format("{}{}", before, type_enum_name(t)));
  return join(names, separator);
}

// A kernel as protobuf prints it in one line.
std::string debug_text(const KernelDef& k) {
  std::string out = fmt::format("op: \"{}\" device_type: \"{}\"", k.op, k.device_type);
  for (const KernelConstraint& c : k.constraints)
    out += fmt::format(" constraint {{ name: \"{}\" allowed_values {{ list {{ {} }} }} }}", c.attr,
                       type_list_text(c.allowed.type, "type: ", " "));
  for (const std::string& arg : k.host_memory_args) out += fmt::format(" host_memory_arg: \"{}\"", arg);
  if (!k.label.empty()) out += fmt::format(" label: \"{}\"", k.label);
  if (k.priority != 0) out += fmt::format(" priority: {}", k.priority);
  return out;
}

// A list that is empty fits; it may be written as an empty list of any kind.
const DataTypes* type_list(const AttrValue& value) {
  const AttrList* list = value.get<AttrList>();
  const bool other = list != nullptr && (!list->s.empty() || !list->i.empty() || !list->f.empty() || !list->b.empty() ||
                                         !list->shape.empty());
  return list == nullptr || other ? nullptr : &list->type;
}

StatusOr<bool> satisfies(const KernelConstraint& c, const KernelDef& k, const KernelQuery& q, const Rules& rules) {
  if (c.allowed.type.empty())
    return error(Code::kUnimplemented, "KernelDef '{}' has constraint on attr '{}' with unsupported type: {}",
                 debug_text(k), c.attr, summarize(AttrValue(c.allowed)));
  const AttrValue* value = q.attrs.find(c.attr);
  if (value == nullptr)
    return Status(Code::kInvalidArgument,
                  fmt::format(fmt::runtime(rules.texts.wrong_constraint), fmt::arg("op", k.op),
                              fmt::arg("attr", c.attr), fmt::arg("attrs", attrs_text(q.attrs, rules)),
                              fmt::arg("definition", q.definition()), fmt::arg("kernel", debug_text(k))));
  if (const DataType* type = value->get<DataType>()) return allows(c.allowed.type, *type);
  if (const DataTypes* types = type_list(*value))
    return std::ranges::all_of(*types, [&](DataType t) { return allows(c.allowed.type, t); });
  return invalid(
      "KernelDef '{}' has constraint on attr '{}' that has value '{}' that does not have type 'type' or 'list(type)' "
      "in NodeDef '[{}]'",
      debug_text(k), c.attr, summarize(*value), attrs_text(q.attrs, rules));
}

StatusOr<bool> satisfies_all(const KernelDef& k, const KernelQuery& q, const Rules& rules) {
  for (const KernelConstraint& c : k.constraints) {
    TARRY_ASSIGN(const bool ok, satisfies(c, k, q, rules));
    if (!ok) return false;
  }
  return true;
}

Status ambiguous(const KernelDef& a, const KernelDef& b, const KernelQuery& q, const Rules& rules) {
  return Status(Code::kInvalidArgument,
                fmt::format(fmt::runtime(rules.texts.ambiguous_kernel), fmt::arg("node", q.node),
                            fmt::arg("definition", q.definition()), fmt::arg("first", debug_text(a)),
                            fmt::arg("second", debug_text(b))));
}

// Later registrations are met first, as TensorFlow's multimap has them.
Status look_through(std::span<const KernelDef> kernels, const KernelQuery& q, std::string_view type, const Rules& rules,
                    KernelMatch& match) {
  const std::string* label = q.attrs.get<std::string>("_kernel");
  for (std::size_t i = kernels.size(); i-- > 0;) {
    const KernelDef& k = kernels[i];
    if (k.device_type != type || k.label != (label == nullptr ? "" : *label)) continue;
    TARRY_ASSIGN(const bool fits, satisfies_all(k, q, rules));
    if (!fits) {
      match.attrs_differ = true;
    } else if (match.kernel != nullptr && (!rules.kernel_priorities || match.kernel->priority == k.priority)) {
      return ambiguous(*match.kernel, k, q, rules);
    } else if (match.kernel == nullptr || match.kernel->priority < k.priority) {
      match.kernel = &k;
    }
  }
  return {};
}

bool is_compiled_only(std::string_view type) { return type.starts_with("XLA_") && type.ends_with("_JIT"); }

}  // namespace

StatusOr<KernelMatch> find_kernel(std::span<const KernelDef> kernels, const KernelQuery& query,
                                  std::string_view device_type, const Rules& rules) {
  KernelMatch match;
  TARRY_RETURN_IF_ERROR(look_through(kernels, query, device_type, rules, match));
  if (match.kernel == nullptr && rules.default_kernels && !is_compiled_only(device_type))
    TARRY_RETURN_IF_ERROR(look_through(kernels, query, kDefaultType, rules, match));
  return match;
}

std::string kernel_list_text(std::span<const KernelDef> kernels) {
  if (kernels.empty()) return "  <no registered kernels>\n";
  std::string out;
  for (const KernelDef& k : kernels) {
    out += fmt::format("  device='{}'", k.device_type);
    if (!k.label.empty()) out += fmt::format("; label='{}'", k.label);
    for (const KernelConstraint& c : k.constraints)
      out += fmt::format("; {} in [{}]", c.attr, type_list_text(c.allowed.type, "", ", "));
    out += '\n';
  }
  return out;
}

}  // namespace tarry
