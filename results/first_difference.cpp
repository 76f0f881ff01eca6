#include "results/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/event_text.hpp"

namespace tarry {

std::string first_difference(const EventLog& a, const EventLog& b, const TaskNames& tasks) {
  if (a.hash() == b.hash()) return "";
  const auto &x = a.events(), &y = b.events();
  constexpr std::size_t kBefore = 20;
  EventTeller teller(a, tasks);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    teller.note(x[i].event);
    if (is_same_event(a, x[i], b, y[i])) continue;
    std::string text = fmt::format("event {}, at {} ns in the first and at {} ns in the second run. Before it:", i + 1,
                                   x[i].at, y[i].at);
    for (std::size_t k = i - std::min(i, kBefore); k <= i; ++k)
      text += fmt::format("\n  {} ns  {}", x[k].at, teller.tell(x[k].event));
    return text + "\n";
  }
  return fmt::format("after {} events, or in kernels, which the log does not keep", std::min(x.size(), y.size()));
}

}  // namespace tarry
