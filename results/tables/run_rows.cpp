#include "results/tables/run_rows.hpp"

#include <fmt/format.h>

#include <map>

#include "results/event_names.hpp"

namespace tarry {
namespace {

class RowReader {
 public:
  RowReader(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  RunRows run() {
    read_tasks();
    for (const LoggedEvent& e : log_.events()) {
      at_ = since_start(e.at);
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    for (const Level& l : read_levels(log_)) add(l);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Nanos since_start(Nanos t) const { return t - log_.started_at; }
  [[nodiscard]] std::string_view name(TaskId t) const {
    return t.valid() && t.index() < out_.names.size() ? std::string_view(out_.names[t.index()]) : std::string_view();
  }
  // A task by the name that a scenario gives it; what is no task as it is.
  [[nodiscard]] std::string_view named(NameId id) const {
    const TaskId task = tasks_.find(log_.name(id));
    return task.valid() ? name(task) : log_.name(id);
  }
  [[nodiscard]] Number number_of(StepId step) const {
    const auto it = steps_.find(step);
    return it == steps_.end() ? Number() : Number(it->second);
  }
  [[nodiscard]] std::string_view client_of(StepId step) const {
    const auto it = steps_.find(step);
    return it == steps_.end() ? std::string_view() : out_.steps[it->second - 1].task;
  }

  void read_tasks() {
    for (std::size_t t = 0; t < tasks_.names.size(); ++t) out_.names.push_back(tasks_.as_written(TaskId{t}));
    for (std::size_t t = 0; t < tasks_.names.size(); ++t)
      out_.tasks.push_back({out_.names[t], tasks_.names[t], tasks_.host(TaskId{t})});
  }

  void on(const StepBegan& e) {
    const auto number = static_cast<std::int64_t>(out_.steps.size()) + 1;
    steps_[e.step] = number;
    out_.steps.push_back({number, fmt::format("{:x}", e.step.value), name(e.task), label_of(e.purpose),
                          e.purpose == Purpose::train ? Number(++trained_[e.task]) : Number(), at_});
  }
  void on(const StepEnded& e) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    StepRow& row = out_.steps[it->second - 1];
    row.ended = at_, row.code = e.code;
  }
  void on(const KernelRan& e) { add_kernel(e, e.began, at_); }
  void on(const KernelCutOff& e) { add_kernel(e, e.asked, {}); }
  template <class E>
  void add_kernel(const E& e, Nanos began, Number ended) {
    out_.kernels.push_back({name(e.task), log_.name(e.device), log_.name(e.node), log_.name(e.op), number_of(e.step),
                            since_start(began), ended});
  }
  void on(const MessageDelivered& e) { add_message(e, at_); }
  void on(const MessageCutOff& e) { add_message(e, {}); }
  template <class E>
  void add_message(const E& e, Number delivered) {
    out_.messages.push_back({name(e.from), name(e.to), log_.name(e.kind), tensor_of(log_.name(e.key)),
                             number_of(e.step), static_cast<std::int64_t>(e.bytes), since_start(e.sent), delivered});
  }
  void on(const GradientPushed& e) {
    if (e.accepted) waiting_[e.accumulator].push_back(out_.gradients.size());
    out_.gradients.push_back({at_,
                              client_of(e.step),
                              name(e.task),
                              log_.name(e.accumulator),
                              number_of(e.step),
                              e.local_step,
                              e.accumulator_step,
                              e.accepted ? 1 : 0,
                              {}});
  }
  void on(const TakeIssued& e) { required_[e.accumulator] = e.required; }
  void on(const AggregateTaken& e) {
    const std::int64_t number = ++taken_[e.accumulator];
    for (const std::size_t g : waiting_[e.accumulator]) out_.gradients[g].aggregate = number;
    waiting_[e.accumulator].clear();
    out_.aggregates.push_back({name(e.task), log_.name(e.accumulator), number, at_, required_[e.accumulator],
                               e.averaged, e.accumulator_step});
  }
  void on(const Enqueued& e) { add_move(e, 1); }
  void on(const Dequeued& e) { add_move(e, -1); }
  template <class E>
  void add_move(const E& e, std::int64_t change) {
    out_.queue_moves.push_back(
        {at_, name(e.task), log_.name(e.queue), number_of(e.step), change, e.value == -1 ? Number() : Number(e.value)});
  }
  void on(const ScalarAssigned& e) {
    out_.assigned.push_back({at_, name(e.task), log_.name(e.variable), number_of(e.step), e.value});
  }
  void on(const SessionMoved& e) {
    out_.sessions.push_back({at_, name(e.task), label_of(e.stage), log_.name(e.detail)});
  }
  void on(const LogLine& e) {
    out_.log_lines.push_back({at_, name(e.task), std::string(1, e.level), log_.name(e.text)});
  }
  // What its accumulators held is gone with a process.
  void on(const ProcessEnded& e) {
    for (auto& [accumulator, gradients] : waiting_)
      std::erase_if(gradients, [&](std::size_t g) { return out_.gradients[g].task == name(e.task); });
    out_.faults.push_back({at_, "process ends", "process ends", name(e.task), "", {}});
  }
  void on(const ProcessBegan& e) {
    out_.faults.push_back({at_, "process begins", "process begins", name(e.task), "", {}});
  }
  void on(const ConditionChanged& e) {
    out_.faults.push_back({at_, log_.name(e.kind), log_.name(e.what), named(e.a), named(e.b), e.holds ? 1 : 0});
  }
  template <class E>
  void on(const E&) {}

  void add(const Level& l) {
    out_.levels.push_back({since_start(l.at), name(l.task), label_of(l.kind),
                           l.kind == LevelKind::bytes ? name(l.from) : log_.name(l.name), l.value});
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  RunRows out_;
  Nanos at_ = 0;
  std::map<StepId, std::int64_t> steps_;  // the number of each
  std::map<TaskId, std::int64_t> trained_;
  std::map<NameId, std::vector<std::size_t>> waiting_;  // gradients that no aggregate has taken
  std::map<NameId, std::int64_t> taken_;
  std::map<NameId, Number> required_;
};

}  // namespace

RunRows read_rows(const EventLog& log, const TaskNames& tasks, const std::vector<Verdict>& verdicts) {
  RunRows rows = RowReader(log, tasks).run();
  for (const Verdict& v : verdicts)
    rows.verdicts.push_back({static_cast<std::int64_t>(rows.verdicts.size()) + 1, v.kind, v.text});
  return rows;
}

}  // namespace tarry
