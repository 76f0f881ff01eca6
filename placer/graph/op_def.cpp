#include "placer/graph/op_def.hpp"

#include <algorithm>

namespace tarry {
namespace {

StatusOr<std::int64_t> count_of(const ArgDef& arg, const Attrs& attrs) {
  const auto* n = attrs.get<std::int64_t>(arg.number_attr);
  if (n == nullptr) return invalid("No attr named '{}' in NodeDef", arg.number_attr);
  if (*n < 0 || *n > 1'000'000) return invalid("Value for number_attr() {} out of range", *n);
  return *n;
}

StatusOr<DataType> type_of(const ArgDef& arg, const Attrs& attrs) {
  if (arg.type_attr.empty()) return arg.type;
  const auto* t = attrs.get<DataType>(arg.type_attr);
  if (t == nullptr) return invalid("No attr named '{}' in NodeDef", arg.type_attr);
  return *t;
}

Status append_types(const ArgDef& arg, const Attrs& attrs, DataTypes& types) {
  const std::size_t first = types.size();
  if (!arg.type_list_attr.empty()) {
    const auto* list = attrs.get<AttrList>(arg.type_list_attr);
    if (list == nullptr) return invalid("No attr named '{}' in NodeDef", arg.type_list_attr);
    types.insert(types.end(), list->type.begin(), list->type.end());
  } else {
    TARRY_ASSIGN(const DataType type, type_of(arg, attrs));
    std::int64_t n = 1;
    if (!arg.number_attr.empty()) {
      TARRY_ASSIGN(n, count_of(arg, attrs));
    }
    types.insert(types.end(), n, type);
  }
  if (arg.is_ref) std::transform(types.begin() + first, types.end(), types.begin() + first, ref_type);
  return {};
}

}  // namespace

const AttrDef* OpDef::find_attr(std::string_view attr) const {
  const auto it = std::ranges::find(attrs, attr, &AttrDef::name);
  return it == attrs.end() ? nullptr : &*it;
}

Status argument_types(std::span<const ArgDef> args, const Attrs& attrs, DataTypes& types) {
  for (const ArgDef& arg : args) TARRY_RETURN_IF_ERROR(append_types(arg, attrs, types));
  return {};
}

StatusOr<std::vector<ArgRange>> argument_ranges(std::span<const ArgDef> args, const Attrs& attrs) {
  std::vector<ArgRange> ranges;
  DataTypes types;
  for (const ArgDef& arg : args) {
    const int first = static_cast<int>(types.size());
    TARRY_RETURN_IF_ERROR(append_types(arg, attrs, types));
    ranges.push_back({arg.name, first, static_cast<int>(types.size()) - first});
  }
  return ranges;
}

}  // namespace tarry
