#include "results/credits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {
namespace {

using Phase = WorkerCredit::Phase;
using How = LostCredit::How;

bool is_local_step(std::string_view variable) { return variable.find("sync_rep_local_step") != std::string_view::npos; }

class CreditReader {
 public:
  CreditReader(const EventLog& log, const Audit& audit) : log_(log), audit_(audit) {}

  Credits run() {
    for (const LoggedEvent& e : log_.events()) {
      look_at_facts();
      ++seen_;
      now_ = e.at - log_.started_at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    std::erase_if(out_.lost, [](const LostCredit& l) { return l.count == 0; });
    return std::move(out_);
  }

 private:
  struct Client {  // of a step
    TaskId task;
    Purpose purpose = Purpose::other;
  };

  // A server knows that a step was given up as soon as its run is cancelled there.
  void look_at_facts() {
    for (; fact_ < audit_.facts.size() && audit_.facts[fact_].events <= seen_; ++fact_) {
      const AuditFact& f = audit_.facts[fact_];
      if (f.what == AuditFact::What::run_cancelled) cancelled_.insert({f.task, f.step});
    }
  }

  // ---- clients ----

  void on(const SessionMoved& e) {
    WorkerCredit& w = out_.workers[e.task];
    if (e.stage == SessionStage::created) move(w, Phase::session);
    if (e.stage == SessionStage::waiting || e.stage == SessionStage::ready)
      w.looked_in_vain = e.stage == SessionStage::waiting;
    if (e.stage == SessionStage::ready) move(w, Phase::idle);
    if (e.stage == SessionStage::left_loop || e.stage == SessionStage::failed) leave(e, w);
  }
  void leave(const SessionMoved& e, WorkerCredit& w) {
    if (w.phase == Phase::idle && w.credit) lose(How::left_with_it, e.task, *w.credit);
    move(w, Phase::over);
    if (e.stage == SessionStage::failed) w.error = log_.name(e.detail);
  }
  void on(const StepBegan& e) {
    clients_[e.step] = {e.task, e.purpose};
    if (e.purpose == Purpose::sync) out_.thread = SyncThread{e.task, e.step, 0};
    if (e.purpose != Purpose::train) return;
    WorkerCredit& w = out_.workers[e.task];
    move(w, Phase::step);
    w.step = e.step;
    w.pushed.clear();
    w.token.reset();
  }
  void on(const StepEnded& e) {
    const Client client = clients_[e.step];
    if (out_.thread && out_.thread->open == e.step) end_sync_step(e.code);
    WorkerCredit& w = out_.workers[e.task];
    if (client.purpose != Purpose::train || w.phase != Phase::step || w.step != e.step) return;
    if (e.code != 0 && w.token) lose(How::token_of_failed_step, e.task, *w.token);
    if (e.code == 0) w.credit = w.token ? w.token : w.credit;
    move(w, e.code == 0 ? Phase::idle : Phase::session);
  }
  void end_sync_step(std::int32_t code) {
    if (code != 0) lose_awaited();
    out_.thread->open = {};
    out_.thread->code = code;
  }
  void on(const ScalarAssigned& e) {
    const auto w = out_.workers.find(e.task);
    if (w == out_.workers.end() || !is_local_step(log_.name(e.variable))) return;
    if (w->second.phase == Phase::session) w->second.credit = e.value;
  }
  void on(const SyncPlanned& e) { out_.plan = e; }
  template <class E>
  void on(const E&) {}

  // ---- processes ----

  void on(const ProcessEnded& e) {
    std::erase_if(out_.accumulators, [&](const AccumulatorCredits& a) { return a.task == e.task; });
    if (queue_at_ == e.task) out_.tokens.clear();
    if (out_.thread && out_.thread->client == e.task && out_.thread->open.value != 0) end_sync_step(-1);
    const auto it = out_.workers.find(e.task);
    if (it == out_.workers.end()) return;
    WorkerCredit& w = it->second;
    const bool has_pushed = !w.pushed.empty() && w.pushed.size() >= out_.accumulators.size();
    if (w.phase == Phase::idle) lose(How::died_with_token, e.task, w.credit.value_or(0));
    if (w.phase == Phase::step && w.token) lose(How::died_with_token, e.task, *w.token);
    if (w.phase == Phase::step && !w.token && !has_pushed) {
      orphan_of_[w.step] = out_.lost.size();
      lose(How::died_computing, e.task, w.credit.value_or(0));
    }
    w = {.phase = Phase::gone, .since = now_};
  }
  void on(const ProcessBegan& e) {
    if (const auto it = out_.workers.find(e.task); it != out_.workers.end())
      it->second = {.phase = Phase::session, .since = now_};
  }

  // ---- accumulators and tokens ----

  void on(const GradientPushed& e) {
    AccumulatorCredits& a = accumulator(e.accumulator, e.task);
    a.step = e.accumulator_step;
    if (e.local_step >= e.accumulator_step) ++a.gradients;
    const auto client = clients_.find(e.step);
    if (client == clients_.end()) return;
    WorkerCredit& w = out_.workers[client->second.task];
    if (w.phase == Phase::step && w.step == e.step) w.pushed.insert(e.accumulator);
    // What was on its way when the process ended was not lost.
    if (const auto it = orphan_of_.find(e.step); it != orphan_of_.end()) {
      out_.lost[it->second].count = 0;
      orphan_of_.erase(it);
    }
  }
  void on(const TakeIssued& e) { accumulator(e.accumulator, e.task).required = e.required; }
  void on(const AccumulatorStepSet& e) { accumulator(e.accumulator, e.task).step = e.step; }
  void on(const AggregateTaken& e) {
    if (is_cancelled(e.task, e.step, "an aggregate")) return;
    AccumulatorCredits& a = accumulator(e.accumulator, e.task);
    a.gradients = 0;
    a.step = e.accumulator_step;
    if (!out_.plan || !out_.thread) return;
    const std::int64_t tokens = std::max(out_.plan->total_replicas, out_.plan->replicas_to_aggregate);
    if (out_.thread->open == e.step)
      a.awaited = tokens;
    else if (out_.accumulators.front().name == a.name)
      lose(How::never_handed_out, out_.thread->client, a.step, tokens);
  }
  void on(const Enqueued& e) {
    const auto client = clients_.find(e.step);
    if (client == clients_.end()) return;
    const Purpose purpose = client->second.purpose;
    if (purpose != Purpose::sync && purpose != Purpose::init_tokens) return;
    queue_ = e.queue;
    queue_at_ = e.task;
    out_.tokens.push_back(e.value);
    if (purpose == Purpose::sync)
      for (AccumulatorCredits& a : out_.accumulators) a.awaited = std::max<std::int64_t>(0, a.awaited - 1);
  }
  void on(const Dequeued& e) {
    if (e.queue != queue_ || e.task != queue_at_) return;
    if (const auto it = std::ranges::find(out_.tokens, e.value); it != out_.tokens.end()) out_.tokens.erase(it);
    const auto client = clients_.find(e.step);
    if (client == clients_.end()) return;
    WorkerCredit& w = out_.workers[client->second.task];
    if (w.phase == Phase::step && w.step == e.step)
      w.token = e.value;
    else
      lose_token(e, client->second.task);
  }
  void lose_token(const Dequeued& e, TaskId worker) {
    if (is_cancelled(e.task, e.step, fmt::format("token {}", e.value)))
      out_.tokens.push_back(e.value);
    else
      lose(How::token_for_nobody, worker, e.value);
  }
  // A server that knows that a step is over gives it nothing.
  bool is_cancelled(TaskId server, StepId step, const std::string& what) {
    if (!cancelled_.contains({server, step})) return false;
    out_.not_permitted =
        fmt::format("{} was given at {:.3f} s to a step that was cancelled there before", what, in_seconds(now_));
    return true;
  }

  // ---- losses ----

  void lose(How how, TaskId worker, std::int64_t credit, std::int64_t count = 1) {
    out_.lost.push_back({how, worker, now_, credit, count});
  }
  void lose_awaited() {
    std::int64_t most = 0;
    for (AccumulatorCredits& a : out_.accumulators) {
      if (a.awaited > most) most = a.awaited;
      a.awaited = 0;
    }
    if (most > 0) lose(How::never_handed_out, out_.thread->client, out_.accumulators.front().step, most);
  }

  void move(WorkerCredit& w, Phase phase) {
    w.phase = phase;
    w.since = now_;
    if (phase == Phase::session) w.credit.reset();
  }
  AccumulatorCredits& accumulator(NameId name, TaskId task) {
    const auto it = std::ranges::find(out_.accumulators, name, &AccumulatorCredits::name);
    if (it != out_.accumulators.end()) return *it;
    return out_.accumulators.emplace_back(AccumulatorCredits{.name = name, .task = task});
  }

  const EventLog& log_;
  const Audit& audit_;
  Credits out_;
  std::map<StepId, Client> clients_;
  std::map<StepId, std::size_t> orphan_of_;  // steps whose worker died computing, and the loss that it is
  std::set<std::pair<TaskId, StepId>> cancelled_;
  NameId queue_;
  TaskId queue_at_ = TaskId::none();
  std::size_t fact_ = 0;
  std::uint64_t seen_ = 0;
  Nanos now_ = 0;
};

}  // namespace

bool WorkerCredit::may_push_to(NameId accumulator, std::int64_t its_step) const {
  if (phase == Phase::gone || phase == Phase::over) return false;
  if (phase == Phase::session) return true;
  if (phase == Phase::idle) return credit.value_or(its_step) >= its_step;
  if (token) return *token >= its_step;
  return !pushed.contains(accumulator) && credit.value_or(its_step) >= its_step;
}

std::int64_t Credits::due(const AccumulatorCredits& a) const {
  std::int64_t due = a.gradients + a.awaited;
  due += std::ranges::count_if(tokens, [&](std::int64_t t) { return t >= a.step; });
  for (const auto& [task, w] : workers) due += w.may_push_to(a.name, a.step) ? 1 : 0;
  return due;
}

Credits read_credits(const EventLog& log, const Audit& audit) { return CreditReader(log, audit).run(); }

std::string in_words(const LostCredit& l, const TaskNames& tasks) {
  const std::string who = tasks.show(l.worker), at = fmt::format("{:.3f} s", in_seconds(l.at));
  switch (l.how) {
    case How::died_computing:
      return fmt::format("the process of {} ended at {} while it computed, with its token {}", who, at, l.credit);
    case How::died_with_token:
      return fmt::format("the process of {} ended at {} with its token {}", who, at, l.credit);
    case How::token_for_nobody:
      return fmt::format("token {} left the queue at {} for a step of {} that was over", l.credit, at, who);
    case How::token_of_failed_step:
      return fmt::format("a step of {} failed at {} after its token {} was delivered", who, at, l.credit);
    case How::left_with_it:
      return fmt::format("{} left training at {} with its token {}", who, at, l.credit);
    case How::never_handed_out:
      break;
  }
  return fmt::format("{} was lost at {} between an aggregate and its {} tokens", who, at, l.count);
}

}  // namespace tarry
