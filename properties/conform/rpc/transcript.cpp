#include "properties/conform/rpc/transcript.hpp"

#include <algorithm>
#include <regex>

#include "properties/conform/rpc/symbols.hpp"

namespace tarry::rpc {
namespace {

// $STEP3 -> $STEP, $REQ12 -> $REQ; no host's name.
std::string without_numbers(const std::string& text) {
  static const std::string host = "in binary running on ";
  if (const std::size_t at = text.find(host); at != std::string::npos)
    return text.substr(0, at + host.size()) + "HOST" + text.substr(std::min(text.size(), text.find(". ", at)));
  if (text.find("b/s]") != std::string::npos)
    return std::regex_replace(text, std::regex(R"(\[[\d.]+[GM]b/s\])"), "[$$RATE]");
  if (text.find("$STEP") == std::string::npos && text.find("$REQ") == std::string::npos) return text;
  return std::regex_replace(text, std::regex(R"(\$(STEP|REQ)\d+)"), "$$$1");
}

std::string shortened(const Json& j) {
  std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 300 ? text.substr(0, 300) + "..." : text;
}

bool counts(const std::string& field) {
  return field != "allocation_description" && field != "send_start_micros" && field != "all_start_micros" &&
         field != "op_end_rel_micros" && field != "all_end_rel_micros";
}

}  // namespace

Json map_strings(Json j, const std::function<std::string(std::string)>& replace) {
  if (j.is_string()) return replace(j.get<std::string>());
  for (Json& child : j)
    if (child.is_structured() || child.is_string()) child = map_strings(std::move(child), replace);
  return j;
}

std::string without_decoration(std::string text) {
  const std::size_t at = text.find("\nAdditional GRPC error information");
  if (at == std::string::npos) return text;
  std::size_t end = text.find('\n', at + 1);  // of "from remote target"
  if (end != std::string::npos && text.compare(end, 3, "\n:{") == 0) end = text.find('\n', end + 1);  // of the JSON
  return without_decoration(text.substr(0, at) + (end == std::string::npos ? "" : text.substr(end)));
}

Json plain(const Json& j) {
  if (j.is_string()) return without_numbers(without_decoration(j.get<std::string>()));
  if (j.is_array()) {
    Json list = Json::array();
    for (const Json& child : j) list.push_back(plain(child));
    return list;
  }
  if (!j.is_object()) return j;
  Json object = Json::object();
  for (const auto& [field, child] : j.items())
    if (counts(field)) object[field] = plain(child);
  return object;
}

std::string Incarnations::to_values(std::string text) const {
  if (text.find("$INC(") == std::string::npos) return text;
  for (const auto& [device, value] : all_) {
    text = replace_all(std::move(text), fmt::format(";$INC({});", device), fmt::format(";{:016x};", value));
    text = replace_all(std::move(text), fmt::format("$INC({})", device), fmt::format("{}", value));
  }
  return text;
}

std::string Incarnations::to_attribute(std::string text) const {
  for (const auto& [device, value] : all_)
    text = replace_all(std::move(text), fmt::format("$INC({})", device),
                       fmt::format("{}", static_cast<std::int64_t>(value)));
  return text;
}

std::string Incarnations::to_symbols(std::string text) const {
  for (const auto& [device, value] : all_) {
    const std::string symbol = fmt::format("$INC({})", device);
    text = replace_all(std::move(text), fmt::format("{:016x}", value), symbol);
    text = replace_all(std::move(text), fmt::format("{}", value), symbol);
  }
  return text;
}

std::string difference(const Json& ours, const Json& theirs, const std::string& path) {
  if (ours == theirs) return "";
  if (ours.is_object() && theirs.is_object()) {
    for (const auto& [field, value] : theirs.items()) {
      if (!ours.contains(field)) return fmt::format("{}/{}: missing, theirs {}", path, field, shortened(value));
      if (std::string d = difference(ours[field], value, path + "/" + field); !d.empty()) return d;
    }
    for (const auto& [field, value] : ours.items())
      if (!theirs.contains(field)) return fmt::format("{}/{}: {}, theirs missing", path, field, shortened(value));
  }
  if (ours.is_array() && theirs.is_array() && ours.size() == theirs.size())
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (std::string d = difference(ours[i], theirs[i], fmt::format("{}/{}", path, i)); !d.empty()) return d;
  return fmt::format("{}: {}, theirs {}", path, shortened(ours), shortened(theirs));
}

std::string difference_of_sets(const std::vector<Json>& ours, const std::vector<Json>& theirs) {
  std::vector<Json> only_ours, only_theirs = theirs;
  for (const Json& o : ours) {
    const auto it = std::ranges::find(only_theirs, o);
    if (it != only_theirs.end())
      only_theirs.erase(it);
    else
      only_ours.push_back(o);
  }
  if (only_ours.empty() && only_theirs.empty()) return "";
  const auto kind = [](const Json& c) { return c.value("to", std::string()) + " " + c.value("method", std::string()); };
  for (const Json& o : only_ours)  // the same call, with another request or reply
    for (const Json& t : only_theirs)
      if (kind(o) == kind(t)) return kind(o) + difference(o, t);
  std::string text;
  for (const Json& o : only_ours) text += fmt::format("only ours: {} ", shortened(o));
  for (const Json& t : only_theirs) text += fmt::format("only theirs: {} ", shortened(t));
  return text;
}

}  // namespace tarry::rpc
