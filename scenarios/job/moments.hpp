// Which moments of a client (scenarios/job/trigger.hpp) an event of the log is.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/job/trigger.hpp"
#include "workers/events.hpp"

namespace tarry {

class Moments {
 public:
  struct Came {
    Moment moment;
    TaskId task;  // whose client it came to; none when the step is not known
  };
  // Calls each(Came) for every moment that the event is. To be called for every event, in order. `text_of` gives the
  // text of a NameId; it is asked once for each name. Pushes, tokens and aggregates are noted where the accumulator or
  // the queue is; the step says whose they are.
  template <class TextOf, class Each>
  void of(const Event& event, TextOf&& text_of, Each&& each) {
    std::visit([&](const auto& e) { on(e, text_of, each); }, event);
  }

 private:
  struct Step {
    TaskId client;
    Purpose purpose = Purpose::other;
  };
  enum class Name : std::uint8_t { unknown, other, token_queue, rungraph_request, registered_reply };

  template <class TextOf, class Each>
  void on(const StepBegan& e, TextOf&, Each& each) {
    steps_[e.step] = {e.task, e.purpose};
    if (e.purpose == Purpose::train) each(Came{Moment::step_began, e.task});
  }
  template <class TextOf, class Each>
  void on(const StepEnded& e, TextOf&, Each& each) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    if (it->second.purpose == Purpose::train) each(Came{Moment::step_ended, e.task});
    if (it->second.purpose == Purpose::save && e.code == 0) each(Came{Moment::checkpoint_written, e.task});
  }
  template <class TextOf, class Each>
  void on(const GradientPushed& e, TextOf&, Each& each) {
    each(Came{Moment::pushed, client(e.step)});
    each(Came{e.accepted ? Moment::accepted : Moment::dropped, client(e.step)});
  }
  template <class TextOf, class Each>
  void on(const AggregateTaken& e, TextOf&, Each& each) {
    each(Came{Moment::aggregate_taken, client(e.step)});
  }
  template <class TextOf, class Each>
  void on(const Dequeued& e, TextOf& text_of, Each& each) {
    if (is(e.queue, Name::token_queue, text_of)) each(Came{Moment::token_taken, client(e.step)});
  }
  template <class TextOf, class Each>
  void on(const SessionMoved& e, TextOf&, Each& each) {
    if (e.stage == SessionStage::created) each(Came{Moment::session_created, e.task});
    if (e.stage == SessionStage::waiting) each(Came{Moment::session_waiting, e.task});
    if (e.stage == SessionStage::ready) each(Came{Moment::session_ready, e.task});
  }
  template <class TextOf, class Each>
  void on(const MessageDelivered& e, TextOf& text_of, Each& each) {
    if (is(e.kind, Name::rungraph_request, text_of)) each(Came{Moment::rungraph_arrived, e.from});
    if (is(e.kind, Name::registered_reply, text_of)) each(Came{Moment::registered, e.to});
  }
  template <class Other, class TextOf, class Each>
  void on(const Other&, TextOf&, Each&) {}

  [[nodiscard]] TaskId client(StepId step) const {
    const auto it = steps_.find(step);
    return it == steps_.end() ? TaskId::none() : it->second.client;
  }

  template <class TextOf>
  bool is(NameId name, Name wanted, TextOf& text_of) {
    if (!name.valid()) return false;
    if (names_.size() <= name.index()) names_.resize(name.index() + 1);
    Name& known = names_[name.index()];
    if (known == Name::unknown) known = name_of(text_of(name));
    return known == wanted;
  }
  static Name name_of(std::string_view text) {
    if (text.ends_with("sync_token_q")) return Name::token_queue;
    if (text == "RunGraph request") return Name::rungraph_request;
    return text == "RegisterGraph reply" ? Name::registered_reply : Name::other;
  }

  std::map<StepId, Step> steps_;
  std::vector<Name> names_;  // by NameId: what was found out of each
};

}  // namespace tarry
