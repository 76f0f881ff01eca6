#include "results/at_work.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace tarry {
namespace {

struct UnderWay {
  TaskId task;
  Purpose purpose = Purpose::other;
};

// Steps that had begun by the end and not ended.
std::map<StepId, UnderWay> steps_under_way(const EventLog& log) {
  std::map<StepId, UnderWay> steps;
  for (const LoggedEvent& event : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event)) steps[began->step] = {began->task, began->purpose};
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

// The step that a kernel is of; null: it is no kernel, or of a step that was given up.
const UnderWay* step_of(const Event& e, const std::map<StepId, UnderWay>& steps) {
  const auto* kernel = std::get_if<KernelCutOff>(&e);
  const auto step = kernel == nullptr ? steps.end() : steps.find(kernel->step);
  return step == steps.end() ? nullptr : &step->second;
}

// The tasks for whose training this was going on.
std::vector<TaskId> for_whom(const Event& e, const std::map<StepId, UnderWay>& steps) {
  if (const auto* message = std::get_if<MessageCutOff>(&e)) return {message->from, message->to};
  const UnderWay* step = step_of(e, steps);
  const bool feeds_or_trains =
      step != nullptr && (step->purpose == Purpose::train || step->purpose == Purpose::queue_runner);
  return feeds_or_trains ? std::vector{step->task} : std::vector<TaskId>{};
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

}  // namespace

std::set<TaskId> at_work(const EventLog& log) {
  const std::map<StepId, UnderWay> steps = steps_under_way(log);
  std::set<TaskId> training, out;
  for (const auto& [id, step] : steps)
    if (step.purpose == Purpose::train) training.insert(step.task);
  for (const Event* e : cut_off_at_end(log))
    for (const TaskId task : for_whom(*e, steps))
      if (training.contains(task)) out.insert(task);
  return out;
}

std::map<TaskId, Purpose> on_the_way_to_train(const EventLog& log) {
  const std::map<StepId, UnderWay> steps = steps_under_way(log);
  const std::set<TaskId> trained = have_trained(log);
  std::map<TaskId, Purpose> out;
  for (const Event* e : cut_off_at_end(log)) {
    const UnderWay* step = step_of(*e, steps);
    if (step != nullptr && step->purpose != Purpose::queue_runner && !trained.contains(step->task))
      out.emplace(step->task, step->purpose);
  }
  return out;
}

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

}  // namespace tarry
