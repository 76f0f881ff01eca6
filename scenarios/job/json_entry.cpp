#include "scenarios/job/json_entry.hpp"

#include <algorithm>

#include "placer/core/text.hpp"

namespace tarry {

using Json = nlohmann::json;

namespace {

// What is nested more deeply than this is written, compared and told by functions that call themselves as often.
constexpr int kDeepest = 100;

bool is_deep(const std::string& text) {
  int depth = 0, deepest = 0;
  bool is_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') is_text = !is_text;
    if (is_text && text[at] == '\\') ++at;
    if (is_text) continue;
    depth += text[at] == '[' || text[at] == '{' ? 1 : text[at] == ']' || text[at] == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest > kDeepest;
}

}  // namespace

StatusOr<Json> parse_json(const std::string& file, const std::string& text) try {
  if (is_deep(text)) return invalid("{}: it is JSON that is nested more than {} deep", file, kDeepest);
  return Json::parse(text);
} catch (const Json::parse_error& e) {
  const std::string before = text.substr(0, e.byte == 0 ? 0 : e.byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return invalid("{}:{}:{}: it is not JSON from here on", file, line, before.size() - start + 1);
} catch (const Json::out_of_range&) {
  return invalid("{}: it has a number that is too large for JSON", file);
}

bool JsonEntry::has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }

JsonEntry JsonEntry::at(const char* key, const char* expected) const {
  if (!json_.is_object()) refuse("a map");
  if (!has(key)) throw Wrong(fmt::format("'{}' is missing; expected {}", path_of(key), expected));
  return JsonEntry(json_.at(key), path_of(key));
}

void JsonEntry::expect_keys(std::span<const std::string> known) const {
  if (!json_.is_object()) refuse("a map");
  for (const auto& [key, value] : json_.items())
    if (std::ranges::find(known, key) == known.end())
      throw Wrong(fmt::format("unknown key '{}'{}{}", key.substr(0, 60),
                              path_.empty() ? "" : fmt::format(" in '{}'", path_), did_you_mean(key, known)));
}

std::vector<JsonEntry> JsonEntry::items(const char* key, const char* expected) const {
  const JsonEntry list = at(key, expected);
  if (!list.json_.is_array()) list.refuse(expected);
  std::vector<JsonEntry> out;
  for (std::size_t i = 0; i < list.json_.size(); ++i)
    out.emplace_back(list.json_[i], fmt::format("{}[{}]", list.path_, i));
  return out;
}

std::int64_t JsonEntry::within(std::int64_t low, std::int64_t high) const {
  const auto n = as<std::int64_t>();
  if (n < low || n > high) refuse(fmt::format("a number from {} to {}", low, high).c_str());
  return n;
}

bool JsonEntry::is_texts() const {
  return json_.is_array() && std::ranges::all_of(json_, [](const Json& j) { return j.is_string(); });
}

std::string JsonEntry::path_of(const char* key) const { return path_.empty() ? key : fmt::format("{}.{}", path_, key); }

void JsonEntry::refuse(const char* expected) const {
  const std::string found = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
  throw Wrong(fmt::format("{} is {}; expected {}", path_.empty() ? "it" : fmt::format("'{}'", path_),
                          found.size() > 60 ? found.substr(0, 60) + "..." : found, expected));
}

}  // namespace tarry
