#include "results/client_error.hpp"

#include "placer/core/text.hpp"

namespace tarry {
namespace {

bool is_about_something_else(std::string_view line) {
  const bool is_frame = line.find_first_not_of('=') == line.npos;
  const bool is_origin = line.find("From /job:") != line.npos && line.ends_with(':');
  return is_frame || is_origin || line.starts_with("\t [[") || line.starts_with("Hint:");
}

}  // namespace

std::string gist_of(std::string_view error) {
  for (const std::string_view line : split(error, '\n'))
    if (!is_about_something_else(line)) return std::string(line);
  return std::string(error);
}

}  // namespace tarry
