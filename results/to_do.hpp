// What a verdict says is to be done.
#pragma once

#include <string_view>

namespace tarry {

inline constexpr std::string_view kToDo = "To do: ";

// The rest of a verdict's text from there on; "" where it asks for nothing.
[[nodiscard]] inline std::string_view to_do_in(std::string_view verdict) {
  const std::size_t at = verdict.find(kToDo);
  return at == verdict.npos ? std::string_view() : verdict.substr(at + kToDo.size());
}

}  // namespace tarry
