#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_failed(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&event.event); s != nullptr && s->stage == SessionStage::failed)
      out.push_back(fmt::format("{} left training at {:.3f} s with an error: {}", e.tasks.show(s->task),
                                in_seconds(event.at - e.log.started_at), e.log.name(s->detail)));
  return out;
}

}  // namespace tarry
