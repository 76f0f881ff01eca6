#include "results/client_error.hpp"

#include <algorithm>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

bool is_about_something_else(std::string_view line) {
  const bool is_frame = line.find_first_not_of('=') == line.npos;
  const bool is_origin = line.find("From /job:") != line.npos && line.ends_with(':');
  const bool is_count = line.find(" root error(s) found.") != line.npos;
  return is_frame || is_origin || is_count || line.starts_with("\t [[") || line.starts_with("Hint:");
}

// Of "  (0) INTERNAL: GPU sync failed", the first of several errors, what happened.
std::string_view without_its_number(std::string_view line) {
  const std::size_t code = line.starts_with("  (0) ") ? line.find(": ") : line.npos;
  return code == line.npos ? line : line.substr(code + 2);
}

}  // namespace

std::string gist_of(std::string_view error) {
  for (const std::string_view line : split(error, '\n'))
    if (!is_about_something_else(line)) return std::string(without_its_number(line));
  return std::string(error);
}

bool is_end_of_data(std::string_view error) {
  constexpr std::string_view kOfTokens[] = {"sync_token_q", "stale_token_q_", "stale_done_q_"};
  return error.find("is closed and has insufficient elements") != error.npos &&
         std::ranges::none_of(kOfTokens, [&](std::string_view q) { return error.find(q) != error.npos; });
}

}  // namespace tarry
