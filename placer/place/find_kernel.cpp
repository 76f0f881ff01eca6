#include "placer/place/find_kernel.hpp"

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

constexpr std::string_view kDefaultType = "DEFAULT";

bool allows(const DataTypes& allowed, DataType t) { return std::ranges::find(allowed, t) != allowed.end(); }

std::string types_text(const DataTypes& types) {
  std::vector<std::string> names;
  for (const DataType t : types) names.emplace_back(type_enum_name(t));
  return fmt::format("[{}]", join(names, ", "));
}

// The strings, numbers or words that a constraint allows, as protobuf prints them in one line.
std::string list_text(const AttrList& list) {
  std::vector<std::string> all;
  for (const DataType t : list.type) all.push_back(fmt::format("type: {}", type_enum_name(t)));
  for (const std::string& s : list.s) all.push_back(fmt::format("s: \"{}\"", s));
  for (const std::int64_t i : list.i) all.push_back(fmt::format("i: {}", i));
  for (const float f : list.f) all.push_back(fmt::format("f: {}", f));
  for (const bool b : list.b) all.push_back(fmt::format("b: {}", b));
  return join(all, " ");
}

// A kernel as protobuf prints it in one line.
std::string debug_text(const KernelDef& k) {
  std::string out = fmt::format("op: \"{}\" device_type: \"{}\"", k.op, k.device_type);
  for (const KernelConstraint& c : k.constraints)
    out +=
        fmt::format(" constraint {{ name: \"{}\" allowed_values {{ list {{ {} }} }} }}", c.attr, list_text(c.allowed));
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

// Whether the value is among those allowed; nullopt when it is of another kind.
template <class Values>
std::optional<bool> is_among(const Values& allowed, const AttrValue& value) {
  const auto* v = value.get<typename Values::value_type>();
  if (v == nullptr) return std::nullopt;
  return std::ranges::find(allowed, *v) != allowed.end();
}

// Of a constraint that lists no types.
std::optional<bool> is_allowed(const AttrList& allowed, const AttrValue& value) {
  if (!allowed.s.empty()) return is_among(allowed.s, value);
  if (!allowed.i.empty()) return is_among(allowed.i, value);
  if (!allowed.f.empty()) return is_among(allowed.f, value);
  return is_among(allowed.b, value);
}

bool lists_no_value(const AttrList& l) {
  return l.type.empty() && l.s.empty() && l.i.empty() && l.f.empty() && l.b.empty();
}

StatusOr<bool> satisfies_value(const KernelConstraint& c, const KernelDef& k, const KernelQuery& q,
                               const AttrValue& value, const Rules& rules) {
  if (const std::optional<bool> allowed = is_allowed(c.allowed, value)) return *allowed;
  return invalid(
      "KernelDef '{}' has constraint on attr '{}' that has value '{}' that does not have the same type in "
      "NodeDef '[{}]'",
      debug_text(k), c.attr, summarize(value), attrs_text(q.attrs, rules));
}

StatusOr<bool> satisfies(const KernelConstraint& c, const KernelDef& k, const KernelQuery& q, const Rules& rules) {
  if (lists_no_value(c.allowed))
    return error(Code::kUnimplemented, "KernelDef '{}' has constraint on attr '{}' with unsupported type: {}",
                 debug_text(k), c.attr, summarize(AttrValue(c.allowed)));
  const AttrValue* value = q.attrs.find(c.attr);
  if (value == nullptr)
    return Status(Code::kInvalidArgument,
                  fmt::format(fmt::runtime(rules.texts.wrong_constraint), fmt::arg("op", k.op),
                              fmt::arg("attr", c.attr), fmt::arg("attrs", attrs_text(q.attrs, rules)),
                              fmt::arg("definition", q.definition()), fmt::arg("kernel", debug_text(k))));
  if (c.allowed.type.empty()) return satisfies_value(c, k, q, *value, rules);
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
      out += fmt::format("; {} in {}", c.attr,
                         c.allowed.type.empty() ? summarize(AttrValue(c.allowed)) : types_text(c.allowed.type));
    out += '\n';
  }
  return out;
}

}  // namespace tarry
