#include "results/event_text.hpp"

#include <fmt/format.h>

#include <array>

namespace tarry {
namespace {

std::string_view name_of(Purpose purpose) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "initialisation", "ready check", "local initialisation", "hook's initialisation", "initial tokens",
      "training",       "sync",        "queue runner",         "queue closing",         "other",
      "save",           "restore"};
  return kNames.at(static_cast<std::size_t>(purpose));
}

std::string_view name_of(SessionStage stage) {
  static constexpr std::array<std::string_view, 7> kNames = {"is created",      "waits for the model", "is ready",
                                                             "begins to train", "has left training",   "is closed",
                                                             "has failed"};
  return kNames.at(static_cast<std::size_t>(stage));
}

class Words {
 public:
  Words(const EventLog& log, const TaskNames& tasks, const std::map<StepId, TaskId>& clients)
      : log_(log), tasks_(tasks), clients_(clients) {}

  std::string operator()(const StepBegan& e) const {
    return fmt::format("{}: a step begins ({})", who(e.task), name_of(e.purpose));
  }
  std::string operator()(const StepEnded& e) const {
    return fmt::format("{}: a step ends{}", who(e.task), e.code == 0 ? "" : fmt::format(" with code {}", e.code));
  }
  std::string operator()(const GradientPushed& e) const {
    return fmt::format("{}: its gradient of step {} reaches {}, which is at step {}: {}", whose(e.step), e.local_step,
                       name(e.accumulator), e.accumulator_step, e.accepted ? "accepted" : "dropped");
  }
  std::string operator()(const TakeIssued& e) const {
    return fmt::format("{}: it asks {} for {} gradients", whose(e.step), name(e.accumulator), e.required);
  }
  std::string operator()(const AggregateTaken& e) const {
    return fmt::format("{}: it takes {} gradients from {}", whose(e.step), e.averaged, name(e.accumulator));
  }
  std::string operator()(const AccumulatorStepSet& e) const {
    return fmt::format("{} is set to step {}", name(e.accumulator), e.step);
  }
  std::string operator()(const Enqueued& e) const {
    return fmt::format("{}: it puts {} into {}", whose(e.step), e.value, name(e.queue));
  }
  std::string operator()(const Dequeued& e) const {
    return fmt::format("{}: it takes {} from {}", whose(e.step), e.value, name(e.queue));
  }
  std::string operator()(const ScalarAssigned& e) const {
    return fmt::format("{}: it sets {} to {}", whose(e.step), name(e.variable), e.value);
  }
  std::string operator()(const KernelRan& e) const {
    return fmt::format("{}: {} ({}) ends on {}", who(e.task), name(e.node), name(e.op), name(e.device));
  }
  std::string operator()(const MessageDelivered& e) const {
    return fmt::format("{} gets a {} of {} bytes from {}", who(e.to), name(e.kind), e.bytes, who(e.from));
  }
  std::string operator()(const SessionMoved& e) const {
    return fmt::format("{}: its session {}{}{}", who(e.task), name_of(e.stage), name(e.detail).empty() ? "" : ": ",
                       name(e.detail));
  }
  std::string operator()(const SyncPlanned& e) const {
    return fmt::format("{}: {} of {} gradients make an aggregate, {} initial tokens", who(e.task),
                       e.replicas_to_aggregate, e.total_replicas, e.initial_tokens);
  }
  std::string operator()(const LogLine& e) const { return fmt::format("{}: {}", who(e.task), name(e.text)); }
  std::string operator()(const ProcessEnded& e) const { return who(e.task) + ": its process ends"; }
  std::string operator()(const ProcessBegan& e) const { return who(e.task) + ": a new process begins"; }
  std::string operator()(const ConditionChanged& e) const { return std::string(name(e.what)); }
  std::string operator()(const KernelCutOff& e) const {
    return fmt::format("{}: {} is cut off on {}", who(e.task), name(e.node), name(e.device));
  }
  std::string operator()(const MessageCutOff& e) const {
    return fmt::format("a {} from {} to {} is cut off", name(e.kind), who(e.from), who(e.to));
  }
  std::string operator()(const RunEnded& e) const {
    return e.is_deadlocked ? "the run ends: nothing is left to happen" : "the run ends";
  }
  std::string operator()(const CutShort& e) const {
    return fmt::format("{}: a queue is closed to it, which ends its training after {} steps", who(e.task), e.steps);
  }

 private:
  [[nodiscard]] std::string who(TaskId task) const { return tasks_.show(task); }
  [[nodiscard]] std::string_view name(NameId name) const { return log_.name(name); }
  [[nodiscard]] std::string whose(StepId step) const {
    const auto it = clients_.find(step);
    return it == clients_.end() ? "a step of nobody" : who(it->second);
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  const std::map<StepId, TaskId>& clients_;
};

bool is_of_interest(const Event& event) {
  return !std::holds_alternative<MessageDelivered>(event) && !std::holds_alternative<KernelRan>(event) &&
         !std::holds_alternative<KernelCutOff>(event) && !std::holds_alternative<MessageCutOff>(event);
}

}  // namespace

void EventTeller::note(const Event& event) {
  if (const auto* began = std::get_if<StepBegan>(&event)) clients_[began->step] = began->task;
}

std::string EventTeller::tell(const Event& event) const { return std::visit(Words(log_, tasks_, clients_), event); }

std::vector<std::string> events_in_words(const EventLog& log, const TaskNames& tasks, Nanos from, Nanos to,
                                         std::size_t most) {
  EventTeller teller(log, tasks);
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (const LoggedEvent& e : log.events()) {
    teller.note(e.event);
    const Nanos at = e.at - log.started_at;
    if (at < from || at > to || !is_of_interest(e.event)) continue;
    if (lines.size() < most)
      lines.push_back(fmt::format("{:.3f} s  {}", in_seconds(at), teller.tell(e.event)));
    else
      ++more;
  }
  if (more > 0) lines.push_back(fmt::format("... and {} more", more));
  return lines;
}

}  // namespace tarry
