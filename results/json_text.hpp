// JSON as text. A name or a title may be any bytes: those that are no UTF-8 become the replacement character.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tarry {

// `indent` < 0: on one line.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& j, int indent = -1) {
  return j.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tarry
