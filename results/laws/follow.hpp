// How laws follow a run: its events and facts in order. Private to results/laws.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/event_reader.hpp"
#include "results/laws.hpp"

namespace tarry {

// What becomes of a step, known from the beginning: laws look ahead.
struct StepStory {
  TaskId task;  // whose client began it
  Purpose purpose = Purpose::other;
  Nanos ended = -1;  // -1 = never
  std::int32_t code = 0;
};

struct AuditedRun {
  AuditedRun(const EventLog& log, const Audit& audit, const TaskNames& tasks);

  const EventLog& log;
  const Audit& audit;
  const TaskNames& tasks;
  absl::flat_hash_map<StepId, StepStory> steps;  // all that began; looked up, never iterated

  [[nodiscard]] const StepStory* find(StepId step) const {
    const auto it = steps.find(step);
    return it == steps.end() ? nullptr : &it->second;
  }
  [[nodiscard]] std::string show(TaskId task) const {
    return tasks.names.empty() ? fmt::format("task {}", task.value) : tasks.show(task);
  }
  // "step 17 of worker 1"
  [[nodiscard]] std::string show(StepId step) const;
  [[nodiscard]] const std::string& text(std::uint32_t number) const { return audit.texts[number]; }
};

// Base of a law: it has an overload of `on` for each event that it looks at, one for AuditFact if it wants facts, and
// perhaps `end`.
class Follower {
 public:
  explicit Follower(const AuditedRun& run) : run_(run) {}

  template <class E>
  Ignored on(const E&) {
    return {};
  }
  void end() {}

  void pass_to(Nanos now) { now_ = now; }
  [[nodiscard]] const std::string& breach() const { return breach_; }

 protected:
  // The first one counts.
  template <class... Args>
  void broken(fmt::format_string<Args...> text, Args&&... args) {
    if (breach_.empty())
      breach_ = fmt::format("at {:.3f} s {}", in_seconds(now_ - run_.log.started_at),
                            fmt::format(text, std::forward<Args>(args)...));
  }
  [[nodiscard]] Nanos now() const { return now_; }

  const AuditedRun& run_;

 private:
  std::string breach_;
  Nanos now_ = 0;
};

template <class L>
std::string first_breach_of(const AuditedRun& run) {
  L law(run);
  const std::vector<AuditFact>& facts = run.audit.facts;
  std::size_t seen = 0;  // facts
  const auto look_at_facts = [&](std::uint64_t events) {
    if constexpr (!LooksAt<L, AuditFact>) return;
    for (; law.breach().empty() && seen < facts.size() && facts[seen].events <= events; ++seen) {
      law.pass_to(facts[seen].at);
      law.on(facts[seen]);
    }
  };
  const std::vector<LoggedEvent>& events = run.log.events();
  for (std::size_t i = 0; i < events.size() && law.breach().empty(); ++i) {
    if (!kLooksAt<L>[events[i].event.index()]) continue;
    look_at_facts(i);
    law.pass_to(events[i].at);
    pass_on(events[i].event, law);
  }
  look_at_facts(events.size());
  if (law.breach().empty()) law.end();
  return law.breach();
}

// Which process of a task is there.
class Lives {
 public:
  void on(const ProcessEnded& e) { state_[e.task] = {state_[e.task].number + 1, false}; }
  void on(const ProcessBegan& e) { state_[e.task].is_present = true; }
  [[nodiscard]] bool is_present(TaskId task) const { return of(task).is_present; }
  [[nodiscard]] std::uint64_t number(TaskId task) const { return of(task).number; }

 private:
  struct State {
    std::uint64_t number = 0;  // processes that have ended
    bool is_present = true;
  };
  [[nodiscard]] State of(TaskId task) const {
    const auto it = state_.find(task);
    return it == state_.end() ? State() : it->second;
  }
  std::map<TaskId, State> state_;
};

}  // namespace tarry
