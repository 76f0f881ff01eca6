#include "results/by_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "results/credits.hpp"

namespace tarry {
namespace {

using Why = std::optional<ByDesign>;
using Phase = WorkerCredit::Phase;

constexpr std::size_t kMostLosses = 3;  // that a sentence names
constexpr std::size_t kLongest = 200;   // bytes of an error in a sentence

// What holds at the end of a run.
class World {
 public:
  World(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {
    for (const LoggedEvent& e : log.events()) {
      now_ = e.at - log.started_at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
  }

  [[nodiscard]] std::optional<Nanos> gone_since(TaskId task) const {
    const auto it = gone_.find(task);
    return it == gone_.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] std::optional<Nanos> paused_since(TaskId task) const {
    return holds("pause", tasks_.names[task.index()], "");
  }
  // Since when nothing passes, in one direction at the least.
  [[nodiscard]] std::optional<Nanos> cut_since(TaskId x, TaskId y) const {
    const std::string a(tasks_.host(x)), b(tasks_.host(y));
    if (a == b) return std::nullopt;
    for (const char* kind : {"part", "part_one_way", "part_breaking", "jam"})
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
        if (const auto since = holds(kind, from, to)) return since;
    for (const std::string& host : {a, b})
      if (const auto since = holds("swizzle", host, "")) return since;
    return std::nullopt;
  }
  // Its training steps take from queues, and push nothing.
  [[nodiscard]] bool takes_from_queues(TaskId client) const { return !is_synchronous_ && takers_.contains(client); }
  // Tasks with which the training steps of a client spoke.
  [[nodiscard]] std::set<TaskId> partners(TaskId client) const {
    const auto it = partners_.find(client);
    return it == partners_.end() ? std::set<TaskId>() : it->second;
  }

 private:
  [[nodiscard]] std::optional<Nanos> holds(const std::string& kind, const std::string& a, const std::string& b) const {
    const auto it = conditions_.find({kind, a, b});
    return it == conditions_.end() ? std::nullopt : std::optional(it->second);
  }
  void on(const ProcessEnded& e) {
    gone_[e.task] = now_;
    conditions_.erase({"pause", tasks_.names[e.task.index()], ""});
  }
  void on(const ProcessBegan& e) { gone_.erase(e.task); }
  void on(const ConditionChanged& e) {
    const std::tuple key(std::string(log_.name(e.kind)), std::string(log_.name(e.a)), std::string(log_.name(e.b)));
    if (e.holds)
      conditions_[key] = now_;
    else
      conditions_.erase(key);
  }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train || e.purpose == Purpose::sync) clients_[e.step] = e.task;
  }
  void on(const MessageDelivered& e) {
    const auto client = clients_.find(e.step);
    if (client == clients_.end()) return;
    for (const TaskId task : {e.from, e.to})
      if (task != client->second) partners_[client->second].insert(task);
  }
  void on(const Dequeued& e) {
    if (const auto client = clients_.find(e.step); client != clients_.end()) takers_.insert(client->second);
  }
  void on(const GradientPushed&) { is_synchronous_ = true; }
  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const TaskNames& tasks_;
  bool is_synchronous_ = false;
  std::set<TaskId> takers_;
  std::map<TaskId, Nanos> gone_;
  std::map<std::tuple<std::string, std::string, std::string>, Nanos> conditions_;  // kind, a, b
  std::map<StepId, TaskId> clients_;
  std::map<TaskId, std::set<TaskId>> partners_;
  Nanos now_ = 0;
};

class Oracle {
 public:
  Oracle(const EventLog& log, const Audit& audit, const TaskNames& tasks)
      : audit_(audit), tasks_(tasks), world_(log, tasks), credits_(read_credits(log, audit)) {}

  // `asked`: whose waits are being followed. A circle is no reason.
  Why explain(TaskId worker) {
    if (!asked_.insert(worker).second) return std::nullopt;
    const Why why = explained(worker);
    asked_.erase(worker);
    return why;
  }

 private:
  Why explained(TaskId worker) {
    if (const Why why = not_training(worker)) return why;
    const auto it = credits_.workers.find(worker);
    if (it == credits_.workers.end()) return no_session(worker);
    const WorkerCredit& w = it->second;
    if (w.phase == Phase::session) return session_waits(worker, w);
    if (const Why why = cut_off(worker, world_.partners(worker))) return why;
    if (w.phase == Phase::step && waits_for_token(w)) return token_waits(worker);
    if (w.phase == Phase::step && world_.takes_from_queues(worker)) return others_wait(worker);
    return std::nullopt;
  }

  // ---- processes, clients, paths ----

  Why not_training(TaskId worker) const {
    const std::string who = tasks_.show(worker);
    if (const auto since = world_.gone_since(worker))
      return ByDesign{"E.7", fmt::format("the process of {} ended at {} and no new one began", who, at(*since)),
                      "a new process, " + who};
    if (const auto since = world_.paused_since(worker))
      return ByDesign{"E.3.8",
                      fmt::format("the process of {} stands still since {}, which nobody notices", who, at(*since)),
                      "a watch that kills processes that stand still"};
    const auto it = credits_.workers.find(worker);
    if (it == credits_.workers.end() || it->second.phase != Phase::over) return std::nullopt;
    const WorkerCredit& w = it->second;
    if (w.error.empty())
      return ByDesign{"F.6.5", fmt::format("{} left training at {}", who, at(w.since)),
                      "all workers that leave at the same global step"};
    if (w.error.find("'sync_token_q' is closed") != std::string::npos)
      return ByDesign{"E.6.6",
                      fmt::format("the client of {} left training at {}, since an earlier session of the chief had "
                                  "closed the token queue, which lives on at its parameter server",
                                  who, at(w.since)),
                      "a new process of that parameter server too, or the queue runner of older releases"};
    return ByDesign{"E.6.5",
                    fmt::format("the client of {} left training at {} with: {}", who, at(w.since), on_a_line(w.error)),
                    fmt::format("a new process of {}: only ABORTED and UNAVAILABLE are tried again", who)};
  }

  // A task that it needs is gone, stands still or cannot be reached; servers reach each other, too.
  Why cut_off(TaskId worker, std::set<TaskId> needs) const {
    needs.erase(worker);
    for (const TaskId task : needs) {
      if (const auto since = world_.gone_since(task))
        return ByDesign{"E.7",
                        fmt::format("{} waits for {}, whose process ended at {}", tasks_.show(worker),
                                    tasks_.show(task), at(*since)),
                        "a new process of " + tasks_.show(task)};
      if (const auto since = world_.paused_since(task))
        return ByDesign{"E.3.8",
                        fmt::format("{} waits for {}, whose process stands still since {}", tasks_.show(worker),
                                    tasks_.show(task), at(*since)),
                        "a watch that kills processes that stand still"};
    }
    needs.insert(worker);
    for (const TaskId a : needs)
      for (const TaskId b : needs)
        if (const auto since = a < b ? world_.cut_since(a, b) : std::nullopt)
          return ByDesign{"E.3.8",
                          fmt::format("nothing passes between {} and {} since {}, and a silent peer is never "
                                      "noticed",
                                      tasks_.show(a), tasks_.show(b), at(*since)),
                          "a network that is whole again"};
    return std::nullopt;
  }

  // ---- sessions ----

  [[nodiscard]] std::set<TaskId> admitted(TaskId worker) const {
    std::set<TaskId> tasks;
    if (worker.index() < audit_.may_call.size())
      for (const std::uint64_t t : audit_.may_call[worker.index()]) tasks.insert(TaskId{static_cast<std::size_t>(t)});
    else
      for (std::size_t t = 0; t < tasks_.names.size(); ++t) tasks.insert(TaskId{t});
    return tasks;
  }
  Why session_waits(TaskId worker, const WorkerCredit& w) {
    if (Why why = cut_off(worker, admitted(worker))) {
      if (why->section == "E.7") why->section = "E.1.1";
      return why;
    }
    const TaskId chief = this->chief();
    if (!w.looked_in_vain || !chief.valid() || chief == worker) return std::nullopt;
    const Why of_chief = explain(chief);
    if (!of_chief) return std::nullopt;
    return ByDesign{
        "E.6",
        fmt::format("{} waits for a chief that initialises the model, and {}", tasks_.show(worker), of_chief->sentence),
        of_chief->cure};
  }
  Why no_session(TaskId worker) const { return cut_off(worker, admitted(worker)); }
  // Whose client planned synchronous training.
  [[nodiscard]] TaskId chief() const {
    if (credits_.thread) return credits_.thread->client;
    return credits_.plan ? credits_.plan->task : TaskId::none();
  }

  // ---- tokens ----

  [[nodiscard]] bool waits_for_token(const WorkerCredit& w) const {
    return !w.token && !w.pushed.empty() && w.pushed.size() >= credits_.accumulators.size();
  }
  // A queue that is closed ends those who wait at it, and one that holds something serves them.
  Why token_waits(TaskId worker) {
    const bool is_closed = std::ranges::any_of(audit_.rests, [&](const AuditRest& r) {
      return r.what == AuditRest::What::queue && r.c != 0 && audit_.texts[r.name].ends_with("sync_token_q");
    });
    if (is_closed || !credits_.tokens.empty() || !credits_.not_permitted.empty()) return std::nullopt;
    if (const Why why = nobody_takes(worker)) return why;
    return credits_lack();
  }
  Why nobody_takes(TaskId worker) {
    const TaskId chief = this->chief();
    if (!chief.valid() || !credits_.thread)
      return ByDesign{"F.2.2", "no sync thread ever asked for an aggregate: the chief's queue runner was not started",
                      "the chief's queue runner"};
    const bool is_open = credits_.thread->open.value != 0;
    if (chief == worker) return is_open ? std::nullopt : thread_ended(chief);
    const bool has_left = credits_.workers.at(chief).phase == Phase::over;
    if (is_open && !has_left) return cut_off(chief, world_.partners(chief));
    const Why of_chief = explain(chief);
    if (!of_chief) return std::nullopt;
    return ByDesign{
        has_left ? "F.6.6" : "E.7",
        fmt::format("{} waits for a token, and nobody takes aggregates: {}", tasks_.show(worker), of_chief->sentence),
        of_chief->cure};
  }
  // Its main thread sees that at its next step only.
  [[nodiscard]] Why thread_ended(TaskId chief) const {
    if (credits_.thread->code == 0) return std::nullopt;
    return ByDesign{"E.6.8",
                    fmt::format("the sync thread of {} ended with an error, and its client waits for a token, "
                                "so that it does not see that",
                                tasks_.show(chief)),
                    "a new process of " + tasks_.show(chief)};
  }

  // ---- credits ----

  // An accumulator that cannot be filled: credits are gone, or those who hold them stand still by design.
  Why credits_lack() {
    for (const AccumulatorCredits& a : credits_.accumulators) {
      std::int64_t due = credits_.due(a);
      if (due < required(a)) return lost_credits(a, due);
      for (const auto& [task, w] : credits_.workers) {
        if (!w.may_push_to(a.name, a.step) || asked_.contains(task)) continue;
        const Why holder = explain(task);
        if (holder && --due < required(a)) return held_credits(a, *holder);
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::int64_t required(const AccumulatorCredits& a) const {
    return a.required > 0 || !credits_.plan ? a.required : credits_.plan->replicas_to_aggregate;
  }
  ByDesign held_credits(const AccumulatorCredits& a, const ByDesign& holder) const {
    return {
        "F.6.4",
        fmt::format("the next aggregate needs {} gradients and has {}; {}", required(a), a.gradients, holder.sentence),
        holder.cure};
  }
  ByDesign lost_credits(const AccumulatorCredits& a, std::int64_t due) const {
    const std::string lacks =
        fmt::format("the next aggregate needs {} gradients, and no more than {} can come", required(a), due);
    const std::string spare =
        "more workers than gradients that an aggregate needs, or new processes for those that "
        "are gone";
    if (credits_.lost.empty()) return {"F.5.2", lacks + absent(), "all workers, or initial tokens"};
    const LostCredit& last = credits_.lost.back();
    const bool is_data = last.how == LostCredit::How::left_with_it;
    return {is_data ? "F.6.5" : "F.6.4", lacks + ": " + losses(), is_data ? "the same number of steps for all" : spare};
  }
  [[nodiscard]] std::string absent() const {
    if (!credits_.plan || std::cmp_greater_equal(credits_.workers.size(), credits_.plan->total_replicas)) return "";
    return fmt::format(": {} of {} workers never began, and there were {} initial tokens",
                       credits_.plan->total_replicas - std::ssize(credits_.workers), credits_.plan->total_replicas,
                       credits_.plan->initial_tokens);
  }
  [[nodiscard]] std::string losses() const {
    std::string text;
    const std::size_t first = credits_.lost.size() - std::min(credits_.lost.size(), kMostLosses);
    for (std::size_t i = first; i < credits_.lost.size(); ++i)
      text += (i > first ? "; " : "") + in_words(credits_.lost[i], tasks_);
    return first == 0 ? text : text + fmt::format("; and {} losses before", first);
  }

  // ---- jobs without accumulators ----

  // Its step takes from queues that others fill.
  Why others_wait(TaskId worker) {
    for (const auto& [task, w] : credits_.workers)
      if (task != worker)
        if (const Why why = explain(task))
          return ByDesign{"C.9.1.1", fmt::format("{} waits for the others, and {}", tasks_.show(worker), why->sentence),
                          why->cure};
    return std::nullopt;
  }

  static std::string at(Nanos t) { return fmt::format("{:.3f} s", in_seconds(t)); }
  static std::string on_a_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  }

  const Audit& audit_;
  const TaskNames& tasks_;
  World world_;
  Credits credits_;
  std::set<TaskId> asked_;
};

}  // namespace

std::optional<ByDesign> why_by_design(const EventLog& log, const Audit& audit, const TaskNames& tasks, TaskId worker) {
  return Oracle(log, audit, tasks).explain(worker);
}

std::string in_words(const ByDesign& why) {
  return fmt::format("TensorFlow does so by design (docs/rules/runtime.md#{}): {}", why.section, why.sentence);
}

}  // namespace tarry
