#include "placer/graph/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c); }

// The characters of a node's name, by their code.
constexpr std::array<bool, 256> kInNames = [] {
  std::array<bool, 256> in{};
  for (int c = 0; c < 256; ++c)
    in[static_cast<std::size_t>(c)] = is_alnum(static_cast<char>(c)) ||
                                      std::string_view("_./->").find(static_cast<char>(c)) != std::string_view::npos;
  return in;
}();

std::string summarize_arg(const ArgDef& a) {
  const bool is_list = !a.type_list_attr.empty();  // of which the summary says nothing
  const std::string type = is_list ? "" : a.type_attr.empty() ? type_name(a.type) : a.type_attr;
  const std::string many = a.number_attr.empty() ? type : a.number_attr + "*" + type;
  return a.name + ":" + (a.is_ref ? "Ref(" + many + ")" : many);
}

std::string summarize_args(const std::vector<ArgDef>& args) {
  std::vector<std::string> parts;
  for (const ArgDef& a : args) parts.push_back(summarize_arg(a));
  return join(parts, ", ");
}

std::string summarize_attr(const AttrDef& a) {
  std::string out = fmt::format("; attr={}:{}", a.name, a.type);
  if (a.default_value) out += ",default=" + summarize(*a.default_value);
  if (a.has_minimum) out += fmt::format(",min={}", a.minimum);
  if (a.allowed_values) out += ",allowed=" + summarize(*a.allowed_values);
  return out;
}

std::string where(std::string_view node, const OpDef& op) {
  return fmt::format("{}; NodeDef: {{{{node {}}}}}", summarize(op), node);
}

// The kinds of elements that a list has; one kind, unless a file says nonsense.
std::vector<std::string> kinds_of(const AttrList& l) {
  const std::pair<bool, const char*> kinds[] = {{l.s.empty(), "list(string)"},      {l.i.empty(), "list(int)"},
                                                {l.f.empty(), "list(float)"},       {l.b.empty(), "list(bool)"},
                                                {l.type.empty(), "list(type)"},     {l.shape.empty(), "list(shape)"},
                                                {l.tensor.empty(), "list(tensor)"}, {l.func.empty(), "list(func)"}};
  std::vector<std::string> found;
  for (const auto& [is_empty, name] : kinds)
    if (!is_empty) found.emplace_back(name);
  return found;
}

// The kind of value that an attribute of a declared type holds; -1 = any.
bool has_kind(const AttrValue& v, std::string_view type) {
  if (v.get<Placeholder>() != nullptr) return true;
  if (type.starts_with("list(")) {
    const auto* list = v.get<AttrList>();
    return list != nullptr && std::ranges::all_of(kinds_of(*list), [&](const std::string& k) { return k == type; });
  }
  if (type == "string") return v.get<std::string>() != nullptr;
  if (type == "int") return v.get<std::int64_t>() != nullptr;
  if (type == "float") return v.get<float>() != nullptr;
  if (type == "bool") return v.get<bool>() != nullptr;
  if (type == "type") return v.get<DataType>() != nullptr;
  if (type == "shape") return v.get<Shape>() != nullptr;
  if (type == "tensor") return v.get<std::shared_ptr<const TensorSpec>>() != nullptr;
  return type != "func" || v.get<FuncRef>() != nullptr;
}

// What an attribute holds in place of a value of its type; "" = nothing.
std::string other_kind(const AttrValue& v, std::string_view type) {
  constexpr const char* kNames[] = {"",      "string", "int",  "float", "bool",       "type",
                                    "shape", "tensor", "list", "func",  "placeholder"};
  const auto* list = v.get<AttrList>();
  if (list == nullptr) return kNames[v.value.index()];
  for (const std::string& kind : kinds_of(*list))
    if (kind != type) return kind;
  return "";
}

Status wrong_kind(const AttrDef& def, const AttrValue& value) {
  const std::string kind = other_kind(value, def.type);
  if (kind.empty())
    return invalid("AttrValue missing value with expected type '{}'\n\t for attr '{}'", def.type, def.name);
  return invalid("AttrValue had value with type '{}' when '{}' expected\n\t for attr '{}'", kind, def.type, def.name);
}

bool allows(const AttrList& allowed, DataType t) { return std::ranges::find(allowed.type, t) != allowed.type.end(); }
bool allows(const AttrList& allowed, const std::string& s) {
  return std::ranges::find(allowed.s, s) != allowed.s.end();
}

const AttrList* allowed_of(const AttrDef& def) {
  return def.allowed_values ? def.allowed_values->get<AttrList>() : nullptr;
}

// What no attribute can be: no type at all, a number that names none, a reference. Fails: INVALID_ARGUMENT.
Status check_is_type(const AttrDef& def, DataType t, std::string_view holds) {
  if (t != DataType::kInvalid && is_known_type(static_cast<int>(t)) && !is_ref(t)) return {};
  const std::string what = t == DataType::kInvalid ? fmt::format("{} invalid DataType", holds)
                           : is_known_type(static_cast<int>(t))
                               ? "must not have reference type value of " + type_name(t)
                               : fmt::format("has invalid DataType enum: {}", static_cast<int>(t));
  return invalid("AttrValue {}\n\t for attr '{}'", what, def.name);
}

Status check_type(const AttrDef& def, DataType t) {
  const AttrList* allowed = allowed_of(def);
  if (allowed == nullptr || allows(*allowed, t)) return {};
  return invalid("Value for attr '{}' of {} is not in the list of allowed values: {}", def.name, type_name(t),
                 type_names(allowed->type));
}

Status check_string(const AttrDef& def, const std::string& s) {
  const AttrList* allowed = allowed_of(def);
  if (allowed == nullptr || allows(*allowed, s)) return {};
  return invalid("Value for attr '{}' of \"{}\" is not in the list of allowed values: \"{}\"", def.name, s,
                 join(allowed->s, "\", \""));
}

Status check_minimum(const AttrDef& def, const AttrValue& value) {
  if (!def.has_minimum) return {};
  if (const auto* i = value.get<std::int64_t>(); i != nullptr && *i < def.minimum)
    return invalid("Value for attr '{}' of {} must be at least minimum {}", def.name, *i, def.minimum);
  if (const auto* l = value.get<AttrList>()) {
    const auto n =
        static_cast<std::int64_t>(std::max({l->s.size(), l->i.size(), l->f.size(), l->b.size(), l->type.size(),
                                            l->shape.size(), l->tensor.size(), l->func.size()}));
    if (n < def.minimum)
      return invalid("Length for attr '{}' of {} must be at least minimum {}", def.name, n, def.minimum);
  }
  return {};
}

Status check_value(const AttrDef& def, const AttrValue& value) {
  if (!has_kind(value, def.type)) return wrong_kind(def, value);
  if (const auto* t = value.get<DataType>()) TARRY_RETURN_IF_ERROR(check_is_type(def, *t, "has"));
  if (const auto* l = value.get<AttrList>())
    for (const DataType t : l->type) TARRY_RETURN_IF_ERROR(check_is_type(def, t, "contains"));
  TARRY_RETURN_IF_ERROR(check_minimum(def, value));
  if (const auto* t = value.get<DataType>()) return check_type(def, *t);
  if (const auto* s = value.get<std::string>()) return check_string(def, *s);
  if (const auto* l = value.get<AttrList>()) {
    for (const DataType t : l->type) TARRY_RETURN_IF_ERROR(check_type(def, t));
    for (const std::string& s : l->s) TARRY_RETURN_IF_ERROR(check_string(def, s));
  }
  return {};
}

}  // namespace

bool is_node_name(std::string_view name) {
  if (name.empty() || !(is_alnum(name[0]) || name[0] == '.' || name[0] == '_')) return false;
  bool all = true;  // no early end: names are good, and this way they are read several characters at a time
  for (const char c : name) all &= kInNames[static_cast<unsigned char>(c)];
  return all;
}

InputName parse_input(std::string_view text) {
  if (text.starts_with('^')) return {text.substr(1), -1};
  std::size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  if (digits == text.size() || digits == 0 || text[digits - 1] != ':') return {text, 0};
  int slot = 0;
  if (std::from_chars(text.data() + digits, text.data() + text.size(), slot).ec != std::errc{}) return {text, 0};
  return {text.substr(0, digits - 1), slot};
}

Attrs with_defaults(const Attrs& attrs, const OpDef& op) {
  std::vector<AttrEntry> entries;
  for (const AttrDef& a : op.attrs)
    if (a.default_value && attrs.find(a.name) == nullptr) entries.emplace_back(a.name, *a.default_value);
  if (entries.empty()) return attrs;
  entries.insert(entries.end(), attrs.begin(), attrs.end());
  return Attrs(std::move(entries));
}

Status validate_attrs(std::string_view node, const Attrs& attrs, const OpDef& op) {
  std::vector<std::string> missing;
  for (const AttrDef& a : op.attrs) {
    const AttrValue* value = attrs.find(a.name);
    if (value == nullptr) {
      missing.push_back(a.name);
      continue;
    }
    if (Status s = check_value(a, *value); !s.ok())
      return with_suffix(s, fmt::format("\n\t; NodeDef: {{{{node {}}}}}; {}", node, summarize(op)));
  }
  if (missing.empty()) return {};
  return invalid("NodeDef missing attr{} '{}' from {}", missing.size() == 1 ? "" : "s", join(missing, "', '"),
                 where(node, op));
}

Status validate_inputs(const NodeSpec& node, const OpDef& op, const DataTypes& input_types) {
  std::size_t data_inputs = 0;
  bool control_seen = false;
  for (const std::string& input : node.inputs) {
    const bool control = input.starts_with('^');
    if (control_seen && !control)
      return invalid("Node '{}': Control dependencies must come after regular dependencies", node.name);
    control_seen |= control;
    data_inputs += control ? 0 : 1;
  }
  if (data_inputs == input_types.size()) return {};
  return invalid("NodeDef expected inputs '{}' do not match {} inputs specified; {}", type_names(input_types),
                 data_inputs, where(node.name, op));
}

std::string summarize(const OpDef& op) {
  std::string out =
      fmt::format("Op<name={}; signature={} -> {}", op.name, summarize_args(op.inputs), summarize_args(op.outputs));
  for (const AttrDef& a : op.attrs) out += summarize_attr(a);
  if (op.is_commutative) out += "; is_commutative=true";
  if (op.is_aggregate) out += "; is_aggregate=true";
  if (op.is_stateful) out += "; is_stateful=true";
  return out + ">";
}

std::string type_names(const DataTypes& types) {
  std::vector<std::string> names;
  for (const DataType t : types) names.push_back(type_name(t));
  return join(names, ", ");
}

}  // namespace tarry
