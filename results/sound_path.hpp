// For tests: what must hold of every critical path.
#pragma once

#include <fmt/format.h>

#include <string>

#include "results/critical_path.hpp"

namespace tarry {

// What is wrong with it, or "".
[[nodiscard]] inline std::string what_is_wrong(const CriticalPath& path, const EventLog& log) {
  Nanos at = path.from, sum = 0;
  for (const PathPart& p : path.parts) {
    if (p.from != at) return fmt::format("a part begins at {}, the one before ended at {}", p.from, at);
    if (p.to <= p.from) return fmt::format("a part from {} to {}", p.from, p.to);
    at = p.to;
    sum += p.to - p.from;
    if (p.entry == kNoEntry) continue;
    const LoggedEvent& e = log.events()[p.entry];
    const auto* k = std::get_if<KernelRan>(&e.event);
    const auto* m = std::get_if<MessageDelivered>(&e.event);
    if (k != nullptr && p.kind == PathKind::device ? p.to > k->began : k != nullptr && p.from < k->began)
      return fmt::format("a kernel that began at {} was {} from {} to {}", k->began, row_of(p.kind).name, p.from, p.to);
    if (m != nullptr && p.from < m->sent)
      return fmt::format("a message sent at {} was on its way at {}", m->sent, p.from);
    if (p.to > e.at) return fmt::format("what ended at {} lasted until {}", e.at, p.to);
  }
  if (at != path.to) return fmt::format("the path ends at {} in place of {}", at, path.to);
  if (sum != path.to - path.from) return fmt::format("the parts add up to {}, not {}", sum, path.to - path.from);
  return "";
}

}  // namespace tarry
