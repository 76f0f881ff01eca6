// Which moment of a client (scenarios/job/trigger.hpp) an event of the log is.
#pragma once

#include <map>
#include <optional>

#include "scenarios/job/trigger.hpp"
#include "workers/events.hpp"

namespace tarry {

class Moments {
 public:
  struct Came {
    Moment moment;
    TaskId task;  // whose client it came to; none when the step is not known
  };
  // To be called for every event, in order. `text_of` gives the text of a NameId. Pushes and tokens are noted where the
  // accumulator or the queue is; the step says whose they are.
  template <class TextOf>
  std::optional<Came> of(const Event& event, TextOf&& text_of) {
    if (const auto* e = std::get_if<StepBegan>(&event)) clients_[e->step] = e->task;
    if (const auto* e = std::get_if<GradientPushed>(&event)) return Came{Moment::pushed, client(e->step)};
    if (const auto* e = std::get_if<Dequeued>(&event); e != nullptr && text_of(e->queue).ends_with("sync_token_q"))
      return Came{Moment::token_taken, client(e->step)};
    if (const auto* e = std::get_if<SessionMoved>(&event); e != nullptr && e->stage == SessionStage::ready)
      return Came{Moment::session_ready, e->task};
    return std::nullopt;
  }

 private:
  [[nodiscard]] TaskId client(StepId step) const {
    const auto it = clients_.find(step);
    return it == clients_.end() ? TaskId::none() : it->second;
  }

  std::map<StepId, TaskId> clients_;
};

}  // namespace tarry
