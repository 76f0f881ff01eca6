// Every key of a fault in a scenario file (table.cpp has the rest), from what its kinds say of themselves.

#include "placer/core/text.hpp"
#include "scenarios/file/fault_raw.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;
constexpr char kTask[] = "a task such as /job:worker/task:0";
constexpr char kHost[] = "the name of a host";

// ---- the type of each sort of field ----

template <class Value>
struct FieldType;
template <>
struct FieldType<TaskId> {
  static Type<Named> type() { return name_type(kTask); }
};
template <>
struct FieldType<HostId> {
  static Type<Named> type() { return name_type(kHost); }
};
template <>
struct FieldType<HostList> {
  static Type<std::vector<Named>> type() { return list_of(name_type(kHost)); }
};
template <>
struct FieldType<TaskPair> {
  static Type<std::vector<Named>> type() { return list_of(name_type(kTask)); }
};
template <>
struct FieldType<HostPair> {
  static Type<std::vector<Named>> type() { return list_of(name_type(kHost)); }
};
template <class Value>
Type<Value> named(std::string what, Type<Value> type) {
  type.expected = std::move(what);
  return type;
}
template <class Value>
Type<Value> whole_number(std::int64_t least, std::int64_t most) {
  return converted<Value>(integer_type(least, most), [](std::int64_t v) { return Value{v}; });
}
template <>
struct FieldType<Percent> {
  static Type<Percent> type() { return whole_number<Percent>(Percent::kLeast, Percent::kMost); }
};
template <>
struct FieldType<PercentLeft> {
  static Type<PercentLeft> type() { return whole_number<PercentLeft>(PercentLeft::kLeast, PercentLeft::kMost); }
};
template <>
struct FieldType<GpuIndex> {
  static Type<GpuIndex> type() { return whole_number<GpuIndex>(0, GpuIndex::kMost); }
};
template <>
struct FieldType<Count> {
  static Type<Count> type() { return whole_number<Count>(1, Count::kMost); }
};
template <>
struct FieldType<Bytes> {
  static Type<Bytes> type() {
    return converted<Bytes>(size_type(), [](std::uint64_t v) { return Bytes{v}; });
  }
};
template <>
struct FieldType<OpPattern> {
  static Type<OpPattern> type() {
    return converted<OpPattern>(named("an op such as MatMul", text_type()),
                                [](std::string text) { return OpPattern{std::move(text)}; });
  }
};
template <>
struct FieldType<All> {
  static Type<All> type() { return named("the word all", word_type<All>({{"all", All{}}})); }
};
template <>
struct FieldType<Nanos> {
  static Type<Nanos> type() { return time_type(); }
};
template <class Value>
struct FieldType<std::optional<Value>> {
  static auto type() { return optional_of(FieldType<Value>::type()); }
};

template <class Value>
inline constexpr bool kIsOptional = false;
template <class Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

// ---- kinds ----

// Calls what(field, place) for each field of a kind; `place` finds its value in a RawKind.
template <class K, class Do>
void for_each_field(Do what) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (what(
         std::get<I>(K::fields()), [](RawKind<K> & raw) -> auto& { return std::get<I>(raw.values); }),
     ...);
  }
  (std::make_index_sequence<kFieldsOf<K>>());
}

template <class K>
Type<RawKind<K>> map_of_fields() {
  Section<RawKind<K>> section{std::string(K::kKey), std::string(K::kMeaning)};
  for_each_field<K>([&]<class F>(const F& field, auto place) {
    section.entry(std::string(field.key), place, FieldType<typename F::Value>::type(), std::string(field.meaning),
                  !kIsOptional<typename F::Value>);
  });
  return section.type();
}

// The value itself where there is one field only.
template <class K>
Type<RawKind<K>> kind_type() {
  if constexpr (kFieldsOf<K> == 1) {
    using F = std::tuple_element_t<0, decltype(K::fields())>;
    const auto value = FieldType<typename F::Value>::type();
    const auto read = [inner = value.read](Reader& in, const YAML::Node& node, RawKind<K>& out) {
      inner(in, node, std::get<0>(out.values));
    };
    return {value.expected, value.schema, read, {}};
  } else {
    return map_of_fields<K>();
  }
}

Type<RawMoment> moment_type() {
  Section<RawMoment> section("after",
                             fmt::format("Something that happened to a worker's client; one of {}.", moment_names()));
  for (const MomentText& m : kMoments)
    section.entry(
        std::string(m.key), [m](RawMoment& raw) -> Named& { return raw.given.emplace_back(m.moment, Named{}).second; },
        name_type(kTask), std::string(m.meaning), false);
  return section.key("count", &RawMoment::count, integer_type(1, kMost), "for the how-manieth time")
      .key("delay", &RawMoment::delay, time_type(), "and that long after")
      .type();
}

template <class K>
void add_kind(Section<RawFault>& section) {
  const auto place = [](RawFault& raw) -> RawKind<K>& {
    return std::get<RawKind<K>>(raw.what.emplace_back(RawKind<K>{}));
  };
  section.entry(std::string(K::kKey), place, kind_type<K>(), std::string(K::kMeaning), false);
}

// ---- the list of kinds ----

std::string field_line(std::string_view key, std::string_view value, std::string_view meaning, bool is_optional) {
  return fmt::format("{}: {}, {}{}", key, value, meaning, is_optional ? " (optional)" : "");
}

template <class K>
std::vector<std::string> field_lines() {
  std::vector<std::string> lines;
  for_each_field<K>([&]<class F>(const F& field, auto) {
    const std::string value = FieldType<typename F::Value>::type().expected;
    lines.push_back(kFieldsOf<K> == 1 ? value
                                      : field_line(field.key, value, field.meaning, kIsOptional<typename F::Value>));
  });
  return lines;
}

std::vector<FaultKindText> make_texts() {
  std::vector<FaultKindText> texts;
  for_each_kind([&]<class K>() {
    const std::vector<std::string> lines = field_lines<K>();
    texts.push_back({std::string(K::kKey), std::string(K::kMeaning), join(lines, "; "), lines,
                     fmt::format("{{at: 2s, {}: {}}}", K::kKey, K::kExample)});
  });
  return texts;
}

}  // namespace

std::span<const FaultKindText> fault_kinds() {
  static const std::vector<FaultKindText> texts = make_texts();
  return texts;
}

std::string kind_names() {
  std::string names;
  for_each_kind([&]<class K>() { names += fmt::format("{}{}", names.empty() ? "" : ", ", K::kKey); });
  return names;
}

std::string moment_names() {
  std::string names;
  for (const MomentText& m : kMoments) names += fmt::format("{}{}", names.empty() ? "" : ", ", m.key);
  return names;
}

Type<RawFault> fault_type() {
  Section<RawFault> section("a fault", fmt::format("When (at, or after), and what: one of {}.", kind_names()));
  section.key("at", &RawFault::at, optional_of(time_type()), "since the start")
      .key("after", &RawFault::after, optional_of(moment_type()), "when something has happened");
  for_each_kind([&]<class K>() { add_kind<K>(section); });
  Type<RawFault> type = section.type();
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, RawFault& out) {
    inner(in, node, out);
    out.position = position_of(node);
  };
  return type;
}

}  // namespace tarry
