#include "results/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/event_text.hpp"

namespace tarry {

namespace {

std::string line_of(const LoggedEvent& e, const EventTeller& teller) {
  return fmt::format("\n  {} ns  {}", e.at, teller.tell(e.event));
}

}  // namespace

std::string first_difference(const EventLog& a, const EventLog& b, const TaskNames& tasks) {
  if (a.hash() == b.hash()) return "";
  const auto &x = a.events(), &y = b.events();
  constexpr std::size_t kBefore = 20;
  EventTeller first(a, tasks), second(b, tasks);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    first.note(x[i].event);
    second.note(y[i].event);
    if (is_same_event(a, x[i], b, y[i])) continue;
    std::string text = fmt::format(
        "event {}, at {} ns in the first and at {} ns in the second run. In the first:{}\n"
        "In the second:{}",
        i + 1, x[i].at, y[i].at, line_of(x[i], first), line_of(y[i], second));
    if (i > 0) text += "\nBefore it, in both:";
    for (std::size_t k = i - std::min(i, kBefore); k < i; ++k) text += line_of(x[k], first);
    return text;
  }
  return fmt::format("after {} events, or in kernels, which the log does not keep.", std::min(x.size(), y.size()));
}

}  // namespace tarry
