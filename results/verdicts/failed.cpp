#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

// ". Before that: saves of ps 0 fail: no space is left at 5.000 s": the fault that the error speaks of.
std::string what_was_before(const Evidence& e, TaskId task, Nanos at) {
  const auto it = std::ranges::find_if(
      e.troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::failed && t.task == task && t.from == at; });
  return it == e.troubles.end() || it->why.empty() ? "" : fmt::format("\nBefore that: {}.", it->why);
}

// What a verdict on the standstill that follows does not tell.
std::string fault_behind(const Evidence& e) {
  const bool is_stuck = !e.standstills.empty() && e.standstills.back().to < 0;
  const std::string behind = is_stuck ? "" : behind_it(e, decisive_faults(e));
  return behind.empty() ? "" : "\n" + behind.substr(1);
}

}  // namespace

Told judge_failed(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&event.event); s != nullptr && s->stage == SessionStage::failed)
      out.push_back(fmt::format("{} left training at {:.3f} s with an error: {}{}", e.tasks.show(s->task),
                                in_seconds(event.at - e.log.started_at), e.log.name(s->detail),
                                what_was_before(e, s->task, event.at - e.log.started_at)));
  if (!out.empty()) out.back() += fault_behind(e);
  return out;
}

}  // namespace tarry
