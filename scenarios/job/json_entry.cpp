#include "scenarios/job/json_entry.hpp"

#include <algorithm>

namespace tarry {

using Json = nlohmann::json;

StatusOr<Json> parse_json(const std::string& file, const std::string& text) try {
  return Json::parse(text);
} catch (const Json::parse_error& e) {
  const std::string before = text.substr(0, e.byte == 0 ? 0 : e.byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return invalid("{}:{}:{}: it is not JSON from here on", file, line, before.size() - start + 1);
}

bool JsonEntry::has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }

JsonEntry JsonEntry::at(const char* key, const char* expected) const {
  if (!json_.is_object()) refuse("a map");
  if (!has(key)) throw Wrong(fmt::format("'{}' is missing; expected {}", path_of(key), expected));
  return JsonEntry(json_.at(key), path_of(key));
}

std::vector<JsonEntry> JsonEntry::items(const char* key, const char* expected) const {
  const JsonEntry list = at(key, expected);
  if (!list.json_.is_array()) list.refuse(expected);
  std::vector<JsonEntry> out;
  for (std::size_t i = 0; i < list.json_.size(); ++i)
    out.emplace_back(list.json_[i], fmt::format("{}[{}]", list.path_, i));
  return out;
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
