// Fields of a proto message as JSON: left out when they are at their default.
#pragma once

#include <limits>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/json.hpp"

namespace tarry::rpc {

inline std::uint64_t number(const Json& j, const char* field) {
  if (!j.contains(field)) return 0;
  const Json& value = j.at(field);
  if (value.is_string()) return whole_number(value.get<std::string>(), std::numeric_limits<std::uint64_t>::max());
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return static_cast<std::uint64_t>(
      integer_within(value, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), field));
}
inline std::string text(const Json& j, const char* field) { return j.value(field, std::string()); }
inline bool flag(const Json& j, const char* field) { return j.value(field, false); }
inline std::vector<std::string> texts(const Json& j, const char* field) {
  return j.value(field, std::vector<std::string>());
}

inline void put(Json& j, const char* field, const std::string& value) {
  if (!value.empty()) j[field] = value;
}
inline void put(Json& j, const char* field, const std::vector<std::string>& value) {
  if (!value.empty()) j[field] = value;
}
inline void put_number(Json& j, const char* field, std::uint64_t value) {
  if (value != 0) j[field] = fmt::format("{}", value);
}
inline void put_flag(Json& j, const char* field, bool value) {
  if (value) j[field] = true;
}

}  // namespace tarry::rpc
