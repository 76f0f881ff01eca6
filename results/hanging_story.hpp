// For tests of the ledger of credits and of the oracle of hangs: a parameter server and up to three workers whose
// synchronous training stands still, told event by event.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/by_design.hpp"
#include "results/credits.hpp"
#include "results/laws/audited_story.hpp"

namespace tarry::audited {

inline constexpr StepId kChiefs{11}, kOthers{12}, kThirds{13}, kTakes{14}, kPuts{15};
inline const TaskNames kCluster{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0",
                                 "/job:worker/replica:0/task:1", "/job:worker/replica:0/task:2"},
                                {"server", "host0", "host1", "host2"}};
inline constexpr TaskId kThird{3u};

struct Hang : Tale {
  NameId name(std::string_view text) {
    names.emplace_back(text);
    return NameId{names.size() - 1};
  }
  Hang& stage(double t, TaskId task, SessionStage stage, std::string_view detail = "") {
    at(t, SessionMoved{task, stage, name(detail)});
    return *this;
  }
  Hang& ready(double t, TaskId task) {
    return stage(t, task, SessionStage::created).stage(t, task, SessionStage::ready);
  }
  Hang& condition(double t, std::string_view kind, std::string_view a, std::string_view b = "", bool holds = true) {
    at(t, ConditionChanged{kNothing, name(kind), name(a), name(b), holds});
    return *this;
  }
  Hang& step(double t, TaskId task, StepId step) {
    began(t, task, step);
    return *this;
  }
  Hang& sent(double t, StepId step, TaskId from, TaskId to) {
    at(t, MessageDelivered{from, to, kNothing, 0, 0, kNothing, step});
    return *this;
  }
  Hang& pushed(double t, StepId step, std::int64_t local = 0, std::int64_t at_step = 0, NameId to = kGradients) {
    at(t, GradientPushed{kPs, to, step, local, at_step, local >= at_step});
    return *this;
  }
  Hang& took(double t, StepId step, std::int64_t to) {
    at(t, AggregateTaken{kPs, kGradients, step, 2, to});
    return *this;
  }
  Hang& token(double t, std::int64_t value, StepId step = kTakes) {
    at(t, Enqueued{kPs, kTokens, step, value});
    return *this;
  }
  Hang& given(double t, std::int64_t value, StepId step) {
    at(t, Dequeued{kPs, kTokens, step, value});
    return *this;
  }
  Hang& gets(double t, std::int64_t value, StepId step) { return token(t, value).given(t, value, step); }
  Hang& over(double t, TaskId task, StepId step, int code = 0) {
    ended(t, task, step, code);
    return *this;
  }
  Hang& gone(double t, TaskId task) {
    at(t, ProcessEnded{task});
    return *this;
  }
  [[nodiscard]] std::string why(TaskId worker = kOther) const {
    const auto found = why_by_design(log(), audit, kCluster, worker);
    return found ? found->section + "; " + found->sentence + "; " + found->cure : "";
  }
  [[nodiscard]] Credits credits() const { return read_credits(log(), audit); }
  [[nodiscard]] std::string losses() const {
    std::string all;
    for (const LostCredit& l : credits().lost) all += in_words(l, kCluster) + "\n";
    return all;
  }
  [[nodiscard]] std::int64_t due() const {
    const Credits c = credits();
    return c.due(c.accumulators.at(0));
  }
};

// Two workers train; the chief's sync step `kTakes` asks for an aggregate of two gradients.
inline Hang training() {
  Hang h;
  h.at(0, SyncPlanned{kChief, 2, 2, 0});
  h.ready(0, kChief).ready(0, kOther);
  h.began(0, kChief, kTakes, Purpose::sync);
  h.at(0, TakeIssued{kPs, kGradients, kTakes, 2});
  return h;
}
// Both are in a step, and worker 1 has pushed.
inline Hang in_steps() { return training().step(1, kChief, kChiefs).step(1, kOther, kOthers).pushed(2, kOthers); }

}  // namespace tarry::audited
