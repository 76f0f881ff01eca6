#include "scenarios/file/schema.hpp"

#include <charconv>
#include <limits>

#include "scenarios/file/units.hpp"
#include "scenarios/file/yaml.hpp"

namespace tarry {
namespace {

constexpr int kMostNodes = 100'000;

// The type of a word that `parse` understands.
template <class T>
Type<T> parsed_type(std::string expected, std::string pattern, StatusOr<T> (*parse)(std::string_view),
                    std::string (*format)(T)) {
  const auto read = [expected, parse](Reader& in, const YAML::Node& node, T& out) {
    if (!node.IsScalar()) return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    const StatusOr<T> value = parse(node.Scalar());
    if (!value.ok()) return in.fail(node, std::string(text_of(value.status())));
    out = *value;
  };
  return {expected, {{"type", "string"}, {"pattern", std::move(pattern)}}, read, [format](const T& value) {
            return Json(format(value));
          }};
}

bool read_integer(const std::string& text, std::int64_t& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

void Reader::fail(Position at, const std::string& what) {
  if (ok()) status_ = invalid("{}:{}:{}: {}", file_, at.line, at.column, what);
}

void Reader::fail(const YAML::Node& at, const std::string& what) { fail(position_of(at), what); }

bool Reader::enter(const YAML::Node& node) {
  if (++visited_ > kMostNodes) fail(node, fmt::format("more than {} values, aliases counted each time", kMostNodes));
  return ok();
}

Position position_of(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.is_null() ? Position{} : Position{mark.line + 1, mark.column + 1};
}

std::string describe(const YAML::Node& node) {
  if (node.IsMap()) return node.size() == 0 ? "an empty map" : "a map";
  if (node.IsSequence()) return node.size() == 0 ? "an empty list" : "a list";
  if (!node.IsScalar()) return "nothing";
  const std::string& text = node.Scalar();
  return text.size() > 80 ? fmt::format("'{}...'", text.substr(0, 80)) : fmt::format("'{}'", text);
}

std::vector<std::string> sections_with(const Json& schema, const std::string& key) {
  std::vector<std::string> found;
  for (const Json& form : schema.value("oneOf", Json::array())) {
    const std::vector<std::string> of_form = sections_with(form, key);
    found.insert(found.end(), of_form.begin(), of_form.end());
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, below] : properties.items()) {
    if (below.contains("properties") && below["properties"].contains(key)) found.push_back(name);
    for (const std::string& deeper : sections_with(below, key)) found.push_back(name + "." + deeper);
  }
  return found;
}

namespace {

// Terminals obey control characters, and pages have none.
void check_printable(Reader& in, const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (const auto c = std::ranges::find_if(text, is_control_character); c != text.end())
    in.fail(node, fmt::format("it has the control character 0x{:02x}; expected printable text",
                              static_cast<unsigned char>(*c)));
}

}  // namespace

Type<std::string> text_type() {
  const auto read = [](Reader& in, const YAML::Node& node, std::string& out) {
    if (!node.IsScalar() || node.Scalar().empty())
      return in.fail(node, fmt::format("expected a text, found {}", describe(node)));
    check_printable(in, node);
    out = node.Scalar();
  };
  return {"a text", {{"type", "string"}}, read, {}};
}

Type<Named> name_type(std::string what) {
  const auto read = [what](Reader& in, const YAML::Node& node, Named& out) {
    if (!node.IsScalar() || node.Scalar().empty())
      return in.fail(node, fmt::format("expected {}, found {}", what, describe(node)));
    check_printable(in, node);
    out = {node.Scalar(), position_of(node)};
  };
  return {what, {{"type", "string"}}, read, {}};
}

Type<bool> boolean_type() {
  Type<bool> words = word_type<bool>({{"true", true}, {"false", false}});
  words.schema = {{"type", "boolean"}};
  words.show = [](const bool& value) { return Json(value); };
  return words;
}

namespace {

// One that no std::int64_t holds.
bool is_long_number(const YAML::Node& node) {
  constexpr std::size_t kMostDigits = 18;
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  return text.size() > kMostDigits && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

Type<std::int64_t> integer_type(std::int64_t least, std::int64_t most) {
  const bool bounded = most < std::numeric_limits<std::int64_t>::max();
  const std::string both = fmt::format("a whole number from {} to {}", least, most);
  const std::string expected = bounded ? both : fmt::format("a whole number of at least {}", least);
  const auto read = [both, expected, least, most](Reader& in, const YAML::Node& node, std::int64_t& out) {
    std::int64_t value = 0;
    if (!node.IsScalar() || !read_integer(node.Scalar(), value) || value < least || value > most)
      return in.fail(node,
                     fmt::format("expected {}, found {}", is_long_number(node) ? both : expected, describe(node)));
    out = value;
  };
  Json schema{{"type", "integer"}, {"minimum", least}};
  if (bounded) schema["maximum"] = most;
  return {expected, schema, read, [](const std::int64_t& value) { return Json(value); }};
}

namespace {

bool has_many_decimals(const YAML::Node& node) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const std::size_t point = text.find('.');
  return point != text.npos && text.find_first_not_of("0123456789", point + 1) == text.npos && text.size() - point > 7;
}

}  // namespace

Type<std::int64_t> number_type(std::int64_t least, std::int64_t most) {
  const std::string expected = fmt::format("a number from {} to {}", format_number(least), format_number(most));
  const auto read = [=](Reader& in, const YAML::Node& node, std::int64_t& out) {
    const auto value = parse_number(node.IsScalar() ? node.Scalar() : "");
    if (!value.ok() || *value < least || *value > most)
      return in.fail(node, fmt::format("expected {}{}, found {}", expected,
                                       has_many_decimals(node) ? " of at most six decimals" : "", describe(node)));
    out = *value;
  };
  const Json schema{{"type", "number"},
                    {"minimum", Json::parse(format_number(least))},
                    {"maximum", Json::parse(format_number(most))}};
  return {expected, schema, read, [](const std::int64_t& value) { return Json::parse(format_number(value)); }};
}

Type<std::int64_t> time_type() {
  return parsed_type<Nanos>("a time such as 200ms", R"(^[0-9.]+ ?(h|min|s|ms|us|ns)$)", parse_time, format_time);
}

Type<std::uint64_t> bandwidth_type() {
  return parsed_type<std::uint64_t>("a bandwidth such as 10Gbps, or 'unlimited'",
                                    R"(^unlimited$|^[0-9.]+ ?([TGMK]?bps|[TGMK]?B/s)$)", parse_bandwidth,
                                    format_bandwidth);
}

Type<std::uint64_t> size_type() {
  return parsed_type<std::uint64_t>("a size such as 16KiB", R"(^[0-9.]+ ?([TGMK]i?B|B)$)", parse_size, format_size);
}

Type<std::uint64_t> speed_type() {
  return parsed_type<std::uint64_t>("a speed such as 10Tflop/s", R"(^[0-9.]+ ?[PTGMK]?flop/s$)", parse_speed,
                                    format_speed);
}

}  // namespace tarry
