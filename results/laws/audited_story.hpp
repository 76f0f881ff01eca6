// For tests of laws: the log and the audit of a parameter server, a chief and a worker, told event by event.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/laws.hpp"

namespace tarry::audited {

using What = AuditFact::What;
using Rest = AuditRest::What;

inline constexpr TaskId kPs{0u}, kChief{1u}, kOther{2u};
inline constexpr NameId kGradients{0u}, kGlobalStep{1u}, kTokens{2u}, kNothing{3u}, kGetStatus{4u}, kOtherQueue{5u},
    kLoseCheckpoints{6u};
inline constexpr StepId kStep{1}, kNext{2}, kSync{3}, kInit{4};
inline constexpr std::uint32_t kModel = 1, kWeights = 2, kSession = 3, kTokensText = 4, kGradientsText = 5,
                               kOldModel = 6;

struct Tale {  // its log is made when a law looks at it: a log is not copied
  std::vector<LoggedEvent> events;
  Audit audit;
  std::vector<std::string> names = {"v/grad_accum",      "global_step", "sync_token_q",    "",
                                    "GetStatus request", "q",           "lose_checkpoints"};
  Nanos now = 0;
  Tale() {
    audit.is_on = true;
    audit.texts = {"", "model-5", "weights", "abc", "sync_token_q", "v/grad_accum", "model-0"};
  }
  [[nodiscard]] EventLog log() const {
    EventLog log(true);
    log.set_names(names);
    for (const LoggedEvent& e : events) log.add(e.at, e.event);
    log.ended_at = now;
    return log;
  }
  Tale& at(double seconds, const Event& e) {
    now = static_cast<Nanos>(seconds * kSecond);
    events.push_back({now, e});
    return *this;
  }
  Tale& fact(AuditFact f) {
    f.at = now;
    f.events = events.size();
    audit.facts.push_back(f);
    return *this;
  }
  Tale& rest(const AuditRest& r) {
    audit.rests.push_back(r);
    return *this;
  }
  Tale& began(double t, TaskId task, StepId step, Purpose purpose = Purpose::train) {
    return at(t, StepBegan{task, step, purpose});
  }
  Tale& ended(double t, TaskId task, StepId step, int code = 0) { return at(t, StepEnded{task, step, code}); }
  Tale& push(double t, std::int64_t local, std::int64_t step, bool accepted) {
    return at(t, GradientPushed{kPs, kGradients, kStep, local, step, accepted});
  }
  Tale& here(What what, StepId step = kStep, std::uint64_t process = 0) {
    return fact({.what = what, .task = kPs, .process = process, .step = step});
  }
  // What the law says; "" when it holds.
  [[nodiscard]] std::string says(std::string_view law) const {
    for (const BrokenLaw& b : broken_laws(log(), audit))
      if (b.law == law) return b.text;
    return "";
  }
};

// The step runs at the parameter server.
inline Tale running() {
  Tale r;
  return r.at(0, ProcessBegan{kPs, 0}).here(What::run_began);
}

}  // namespace tarry::audited
