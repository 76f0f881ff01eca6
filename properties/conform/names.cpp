#include <nlohmann/json.hpp>

#include "placer/device/merge.hpp"
#include "properties/conform/placer.hpp"

namespace tarry {
namespace {

template <class T>
Json maybe(const std::optional<T>& field) {
  return field ? Json(*field) : Json();
}

Json parsed(const std::optional<DeviceName>& n, NameStyle style) {
  if (!n) return {};
  return Json::array(
      {to_string(*n, style), maybe(n->job), maybe(n->replica), maybe(n->task), maybe(n->type), maybe(n->id)});
}

std::string merged(DeviceName a, const DeviceName& b, MergeMode mode, NameStyle style) {
  const Status s = merge(a, b, mode, style);
  return s.ok() ? to_string(a, style) : fmt::format("error {}", text_of(s));
}

// The same fields as the recorded answer has.
Json answer(const Json& recorded, const Rules& rules) {
  const auto a = parse_device_name(recorded.at("names").at(0).get<std::string>());
  const auto b = parse_device_name(recorded.at("names").at(1).get<std::string>());
  Json ours = {{"id", recorded.at("id")},
               {"names", recorded.at("names")},
               {"parsed", {parsed(a, rules.names), parsed(b, rules.names)}}};
  if (!a || !b) return ours;
  ours["spec"] = {is_specification(*a, *b), is_specification(*b, *a)};
  ours["compatible"] = are_compatible(*a, *b, rules.compatibility);
  ours["same_space"] = is_same_address_space(*a, *b);
  ours["merge"] = merged(*a, *b, MergeMode::hard, rules.names);
  ours["merge_soft"] = merged(*a, *b, MergeMode::soft, rules.names);
  if (!recorded.contains("merge_override")) return ours;
  ours["merge_override"] = merged(*a, *b, MergeMode::overriding, rules.names);
  ours["ensure"] = to_string(ensure_specification(*a, *b), rules.names);
  ours["different_space"] = is_different_address_space(*a, *b);
  return ours;
}

}  // namespace

StatusOr<Agreement> conform_names(const std::string& file, std::string_view release) {
  TARRY_ASSIGN(const Rules rules, rules_of(release));
  Agreement agreement{.what = fmt::format("names {}", release)};
  TARRY_RETURN_IF_ERROR(for_each_line(file, [&](const Json& recorded) {
    const Json ours = answer(recorded, rules);
    agreement.note(ours == recorded, recorded.at("id").get<std::string>(), recorded.dump(), ours.dump());
    return Status();
  }));
  return agreement;
}

}  // namespace tarry
