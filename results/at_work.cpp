#include "results/at_work.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace tarry {
namespace {

struct UnderWay {
  TaskId task;
  Purpose purpose = Purpose::other;
  Nanos began = 0;  // since the start
};

// Steps that had begun by the end and not ended.
std::map<StepId, UnderWay> steps_under_way(const EventLog& log) {
  std::map<StepId, UnderWay> steps;
  for (const LoggedEvent& event : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event))
      steps[began->step] = {began->task, began->purpose, event.at - log.started_at};
    if (const auto* ended = std::get_if<StepEnded>(&event.event)) steps.erase(ended->step);
    if (const auto* gone = std::get_if<ProcessEnded>(&event.event))
      std::erase_if(steps, [&](const auto& step) { return step.second.task == gone->task; });
  }
  return steps;
}

bool is_of_the_end(const Event& e) {
  return std::holds_alternative<KernelCutOff>(e) || std::holds_alternative<MessageCutOff>(e) ||
         std::holds_alternative<RunEnded>(e);
}

// What the end of the run cut off, the last first.
std::vector<const Event*> cut_off_at_end(const EventLog& log) {
  std::vector<const Event*> out;
  const auto& events = log.events();
  for (auto e = events.rbegin(); e != events.rend() && is_of_the_end(e->event); ++e) out.push_back(&e->event);
  return out;
}

// Since their processes began.
std::set<TaskId> have_trained(const EventLog& log) {
  std::set<TaskId> out;
  for (const LoggedEvent& event : log.events()) {
    const auto* began = std::get_if<StepBegan>(&event.event);
    if (began != nullptr && began->purpose == Purpose::train) out.insert(began->task);
    if (const auto* gone = std::get_if<ProcessEnded>(&event.event)) out.erase(gone->task);
  }
  return out;
}

class EndReader {
 public:
  explicit EndReader(const EventLog& log) : cut_off_(cut_off_at_end(log)), trained_(have_trained(log)) {
    for (const auto& [id, step] : steps_under_way(log)) {
      out_.takes |= step.purpose == Purpose::sync;
      if (goes_on(id, step)) going_on_.push_back(step);
      if (step.purpose == Purpose::train) training_.emplace(step.task, step.began);
    }
  }

  AtEnd run() {
    for (const UnderWay& step : going_on_) {
      const bool feeds_or_trains = step.purpose == Purpose::train || step.purpose == Purpose::queue_runner;
      const auto training = training_.find(step.task);
      if (feeds_or_trains && training != training_.end()) out_.at_work.insert(*training);
      if (!feeds_or_trains && !trained_.contains(step.task)) out_.before_training.emplace(step.task, step.purpose);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool goes_on(StepId id, const UnderWay& step) const {
    return std::ranges::any_of(cut_off_, [&](const Event* e) {
      const auto* kernel = std::get_if<KernelCutOff>(e);
      const auto* message = std::get_if<MessageCutOff>(e);
      return (kernel != nullptr && kernel->step == id) ||
             (message != nullptr && (message->from == step.task || message->to == step.task));
    });
  }

  const std::vector<const Event*> cut_off_;
  const std::set<TaskId> trained_;
  std::vector<UnderWay> going_on_;
  std::map<TaskId, Nanos> training_;  // with a training step under way, since when
  AtEnd out_;
};

}  // namespace

AtEnd read_end(const EventLog& log) { return EndReader(log).run(); }

bool may_have_begun(const EventLog& log, TaskId task, bool is_kernel, Nanos from, Nanos to) {
  bool nothing = true, has_begun = false;
  const auto look = [&](Nanos since, bool is_of_kind) {
    nothing = false;
    has_begun |= is_of_kind && since - log.started_at >= from && since - log.started_at < to;
  };
  for (const Event* e : cut_off_at_end(log)) {
    const auto* kernel = std::get_if<KernelCutOff>(e);
    if (kernel != nullptr && kernel->task == task) look(kernel->asked, is_kernel);
    const auto* message = std::get_if<MessageCutOff>(e);
    if (message != nullptr && (message->from == task || message->to == task)) look(message->sent, !is_kernel);
  }
  return nothing || has_begun;
}

Nanos when_saves_were_done(const EventLog& log, Nanos moment) {
  std::set<StepId> open;
  Nanos last = moment;
  for (const LoggedEvent& e : log.events()) {
    const Nanos at = e.at - log.started_at;
    const auto* began = std::get_if<StepBegan>(&e.event);
    if (began != nullptr && began->purpose == Purpose::save && at < moment) open.insert(began->step);
    const auto* ended = std::get_if<StepEnded>(&e.event);
    if (ended != nullptr && open.erase(ended->step) > 0) last = std::max(last, at);
  }
  return last;
}

bool has_saves_between(const EventLog& log, Nanos from, Nanos to) {
  std::set<StepId> open;
  for (const LoggedEvent& e : log.events()) {
    const Nanos at = e.at - log.started_at;
    if (to >= 0 && at >= to) break;
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::save)
      open.insert(began->step);
    if (const auto* ended = std::get_if<StepEnded>(&e.event);
        ended != nullptr && open.erase(ended->step) > 0 && at > from)
      return true;
  }
  return !open.empty();
}

}  // namespace tarry
