#include "properties/conform/checked.hpp"

#include <charconv>

namespace tarry {
namespace {

constexpr int kDeepest = 64;

// Where the string that begins at `at` ends: its closing quote, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

}  // namespace

Status check_nesting(std::string_view text, std::size_t longest) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ']' || text[at] == '}') --depth;
    if (depth > kDeepest) return invalid("byte {}: nested more than {} deep", at + 1, kDeepest);
    if (text[at] != '"') continue;
    const std::size_t end = end_of_string(text, at);
    if (end - at - 1 > longest) return invalid("byte {}: a text of more than {} bytes", at + 1, longest);
    at = end;
  }
  return {};
}

std::uint64_t whole_number(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value > most)
    malformed("'{}': expected a whole number from 0 to {}", text, most);
  return value;
}

double number_in(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  double value = 0;
  const std::string_view rest = at == std::string_view::npos ? "" : text.substr(at + before.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec != std::errc())
    malformed("'{}': expected a number{}{}", text, before.empty() ? "" : " behind ", before);
  return value;
}

}  // namespace tarry
