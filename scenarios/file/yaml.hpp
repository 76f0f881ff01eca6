// Files in YAML: read whole, and parsed as one document, both within bounds.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"

namespace tarry {

inline constexpr std::uintmax_t kMostYamlBytes = std::uintmax_t{512} << 10;

// A terminal obeys it, and it ends no line and is no tab.
[[nodiscard]] constexpr bool is_control_character(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == '\x7f';
}

// `what` is what the file should be, for errors: "a scenario". Fails: NOT_FOUND; INVALID_ARGUMENT for what is no file,
// cannot be read, or is larger than kMostYamlBytes.
[[nodiscard]] StatusOr<std::string> read_yaml_file(const std::string& file, const std::string& what);

// Fails: INVALID_ARGUMENT "file:line:column: what is wrong" for broken YAML, an empty text (which should be `what`),
// more than one document, more than 60,000 values, a control character other than the ends of lines and tabs.
[[nodiscard]] StatusOr<YAML::Node> parse_yaml(std::string_view text, const std::string& file, const std::string& what);

}  // namespace tarry
