#include "scenarios/cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tarry {
namespace {

std::string_view text_or_nothing(const char* text) { return text == nullptr ? std::string_view() : text; }

// 0 = it is no number.
std::size_t number_in(std::string_view text) {
  std::size_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  return failed == std::errc() && end == text.data() + text.size() ? n : 0;
}

std::size_t columns_of_stdout() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Shown shown_in(const Surroundings& s) {
  Shown shown;
  if (!s.is_terminal) return shown;
  if (const std::size_t asked = number_in(text_or_nothing(s.columns)); asked > 0)
    shown.width = asked;
  else if (s.columns_of_terminal > 0)
    shown.width = s.columns_of_terminal;
  shown.colour = text_or_nothing(s.no_color).empty() && text_or_nothing(s.term) != "dumb";
  return shown;
}

Shown shown_here() {
  return shown_in({isatty(STDOUT_FILENO) != 0, columns_of_stdout(), std::getenv("COLUMNS"), std::getenv("NO_COLOR"),
                   std::getenv("TERM")});
}

}  // namespace tarry
