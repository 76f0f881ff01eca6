#include "results/standstill.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "results/held_back.hpp"
#include "results/usual_pause.hpp"
#include "results/verdicts/pace.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

// Steps, or aggregates, that make a round of all training.
std::size_t round_of(const Evidence& e) {
  return e.training == Training::synchronous ? 1 : std::max<std::size_t>(1, e.contributions.workers.size());
}

bool has_left_for_good(const Trouble& t) { return t.kind == Trouble::Kind::left && t.to < 0; }

// Every worker left training as it was told to.
bool have_all_left(const Evidence& e) {
  return std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& w) {
    return std::ranges::any_of(e.troubles, [&](const Trouble& t) { return has_left_for_good(t) && t.task == w.task; });
  });
}

// Every client that trained has failed: what is slow holds nobody up.
bool have_all_failed(const Evidence& e) {
  return !e.contributions.workers.empty() && std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& w) {
    return std::ranges::any_of(
        e.troubles, [&](const Trouble& t) { return t.task == w.task && t.kind == Trouble::Kind::failed && t.to < 0; });
  });
}

// Of each client that runs, where its session stands, and since when.
std::map<TaskId, std::pair<SessionStage, Nanos>> last_stages(const EventLog& log) {
  std::map<TaskId, std::pair<SessionStage, Nanos>> last;
  for (const LoggedEvent& event : log.events()) {
    if (const auto* s = std::get_if<SessionMoved>(&event.event)) last[s->task] = {s->stage, event.at};
    if (const auto* ended = std::get_if<ProcessEnded>(&event.event)) last.erase(ended->task);
  }
  return last;
}

// Since a parameter server was lost. It has not found that there is no model, and has not left; what is ready has yet
// to learn of the loss, and only the client that made the first model will make the next one then.
bool may_make_a_model(const Evidence& e, TaskId client, SessionStage stage) {
  if (stage == SessionStage::created) return true;
  const bool is_ready = stage == SessionStage::ready || stage == SessionStage::looping;
  return is_ready && client == e.contributions.initialiser;
}

// A client is ready to train and has yet to begin its first step.
bool is_a_worker_to_come(const Evidence& e) {
  const auto stages = last_stages(e.log);
  return std::ranges::any_of(stages, [&](const auto& client) {
    return client.second.first == SessionStage::ready && !e.is_worker(client.first);
  });
}

// Clients that sleep will find a model, and with them there are as many workers as an aggregate needs gradients.
bool will_be_enough(const Evidence& e) {
  std::int64_t workers = std::ssize(e.contributions.workers), later = 0;
  for (const TaskId t : find_a_model_later(e)) ++later, workers += e.is_worker(t) ? 0 : 1;
  return later > 0 && (e.training != Training::synchronous || e.first_accumulator().required <= workers);
}

// Where in a pause to look, one place after the other: in the middle of each trouble's share of it.
std::vector<Nanos> places_to_look(const Evidence& e, Nanos from, Nanos to) {
  std::vector<Nanos> places;
  for (const Trouble& t : e.troubles) {
    const Nanos begin = std::max(from, t.from),
                end = t.to < 0 ? to : std::min(to, only_slows_down(t) ? std::max(t.to, t.over) : t.to);
    if (begin < end) places.push_back(begin + (end - begin) / 2);
  }
  std::ranges::sort(places);
  return places;
}

// Of the pause, the time in which it held, or the sessions that it broke were not ready again.
Nanos share_of(const Trouble& t, Nanos from, Nanos to) {
  return std::max<Nanos>(0, (t.to < 0 ? to : std::min(to, std::max(t.to, t.over))) - std::max(from, t.from));
}

// When it could first slow down a worker that it is of: when that began its first step. 0 of what is of no worker, or
// of a parameter server, too.
Nanos first_to_slow_down(const Evidence& e, const Trouble& t) {
  if (t.kind != Trouble::Kind::slowed && t.kind != Trouble::Kind::slowed_host) return 0;
  std::optional<Nanos> first;
  for (std::size_t i = 0; i < e.tasks.names.size(); ++i) {
    const TaskId task{i};
    const bool is_there = t.kind == Trouble::Kind::slowed ? t.task == task : e.tasks.host(task) == t.a;
    if (!is_there) continue;
    const auto w = std::ranges::find(e.contributions.workers, task, &WorkerStory::task);
    if (w == e.contributions.workers.end()) return 0;
    first = std::min(first.value_or(w->first_step), w->first_step);
  }
  return std::max<Nanos>(0, first.value_or(0));
}

// At the end of the run no kernel ran, no message was under way, and no worker was still to come.
bool is_idle(const Evidence& e) {
  if (std::ssize(e.contributions.workers) < e.contributions.planned_workers) return false;
  const auto& events = e.log.events();
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const LoggedEvent& event) {
    return !std::holds_alternative<RunEnded>(event.event);
  });
  return last == events.rend() ||
         (!std::holds_alternative<KernelCutOff>(last->event) && !std::holds_alternative<MessageCutOff>(last->event));
}

// How each worker was lost, where all were lost for good, none of them after it had left: nobody trains any more.
std::vector<Trouble> losses_of_all(const Evidence& e) {
  using Kind = Trouble::Kind;
  std::vector<Trouble> lost;
  for (const WorkerStory& w : e.contributions.workers) {
    const auto is_so = [&](const Trouble& t) {
      return t.task == w.task && t.to < 0 &&
             (t.kind == Kind::left || t.kind == Kind::failed || (t.kind == Kind::gone && t.back < 0));
    };
    const auto how = std::ranges::find_if(e.troubles, is_so);
    if (how == e.troubles.end() || how->kind != Kind::gone) return {};
    lost.push_back(*how);
  }
  std::ranges::stable_sort(lost, {}, &Trouble::from);
  return lost;
}

using Ask = std::function<WaitsFor(Nanos)>;

bool is_paused_for_good(const Evidence& e, TaskId task) {
  return std::ranges::any_of(
      e.troubles, [task](const Trouble& t) { return t.kind == Trouble::Kind::paused && t.task == task && t.to < 0; });
}

class StandstillReader {
 public:
  // `worker`: whose steps it looks at; none: of all.
  StandstillReader(const Evidence& e, std::vector<Nanos> progress, std::size_t a_round, Nanos until, Ask ask,
                   TaskId worker)
      : e_(e),
        progress_(std::move(progress)),
        until_(until),
        ask_(std::move(ask)),
        usual_(progress_, a_round),
        worker_(worker) {}

  std::vector<Standstill> run() {
    Nanos from = 0;
    for (const Nanos at : progress_) {
      if (usual_.is_much_longer(at - from)) look_into(from, at);
      from = at;
    }
    if (usual_.is_much_longer(until_ - from) || e_.log.is_deadlocked || is_dead()) look_at_end(from);
    return std::move(out_);
  }

 private:
  // Who has left for good is not what it waited for, where the others went on by themselves.
  void look_into(Nanos from, Nanos to) {
    if (!look_into(from, to, has_left_for_good) && lost_in_between(e_, from, to) != nullptr)
      look_into(from, to, [](const Trouble&) { return false; });
  }

  // What held for most of the pause beyond the usual one is what it waited for.
  bool look_into(Nanos from, Nanos to, bool (*is_none)(const Trouble&)) {
    for (const Nanos at : places_to_look(e_, from, to)) {
      WaitsFor waits = ask_(at);
      std::erase_if(waits.troubles, [&](const Trouble& t) { return is_none(t) || !explains(t, from, to); });
      if (workers_wait_for_all(e_)) leave_out_what_held_on(waits.troubles, to);
      if (e_.training == Training::asynchronous) leave_out_all_that_held_on(waits.troubles, to);
      if (waits.troubles.empty()) continue;
      out_.push_back({from, to, usual_.to_tell(), std::move(waits)});
      return true;
    }
    return false;
  }

  // There was progress while it held, and nobody stood in for anybody: that did not wait for it.
  static void leave_out_what_held_on(std::vector<Trouble>& causes, Nanos to) {
    std::vector<Trouble> others = causes;
    leave_out_all_that_held_on(others, to);
    if (!others.empty()) causes = std::move(others);
  }
  static void leave_out_all_that_held_on(std::vector<Trouble>& causes, Nanos to) {
    std::erase_if(causes, [to](const Trouble& t) { return !only_slows_down(t) && (t.to < 0 || t.to > to); });
  }

  // It held for most of the pause. What only slows down leaves several pauses, none of which is a standstill.
  [[nodiscard]] bool explains(const Trouble& t, Nanos from, Nanos to) const {
    const Nanos share = share_of(t, std::max(from, first_to_slow_down(e_, t)), to);
    if (only_slows_down(t) && 2 * share <= share_of(t, 0, until_)) return false;
    return 2 * share >= to - from - usual_.to_tell();
  }

  void look_at_end(Nanos from) {
    WaitsFor waits = ask_(until_);
    if (keeps_its_pace(waits, from)) return;
    if (waits.is_circle && (is_a_worker_to_come(e_) || will_be_enough(e_))) waits.is_circle = false;
    if (comes_later(waits) || goes_on(waits)) return look_at_work(std::move(waits), from);
    const bool is_over = have_all_left(e_);  // what came after the last step was no training: a last checkpoint, say
    if (is_over) std::erase_if(waits.troubles, has_left_for_good);
    const bool is_for_good = !is_over && holds_for_good(waits);
    if (have_all_failed(e_)) std::erase_if(waits.troubles, only_slows_down);
    add_earlier(waits, from);
    const auto lasts = [this](const Trouble& t) { return t.to < 0 || slows_at(t, until_); };
    const bool had_another = !std::ranges::all_of(waits.troubles, lasts);
    std::erase_if(waits.troubles, [&](const Trouble& t) {
      const bool is_another = had_another && is_wrong_for_good(t);  // what was over, however late it came
      return lasts(t) && !is_another && !explains(t, from, until_);
    });
    if (is_over && waits.troubles.empty()) return;
    if (!is_for_good && (is_over || !find_a_model_later(e_).empty() || is_just_over(waits))) {
      if (!waits.troubles.empty()) out_.push_back({from, until_, usual_.to_tell(), std::move(waits)});
      return;
    }
    const bool has_reason = !waits.troubles.empty() || waits.is_circle || waits.never_taken;
    if (has_reason || e_.log.is_deadlocked || is_dead() || (until_ - from > kLongestWait && is_idle(e_)))
      out_.push_back({from, -1, usual_.to_tell(), std::move(waits)});
  }

  [[nodiscard]] bool holds_for_good(const WaitsFor& waits) const {
    const auto keeps_it_so = [this](const Trouble& t) {
      return is_wrong_for_good(t) && !is_opening_a_session(t) && !looks_again(t);
    };
    return waits.is_circle || waits.never_taken || e_.log.is_deadlocked || is_dead() ||
           std::ranges::any_of(waits.troubles, keeps_it_so);
  }

  // On a step that can end well: since it began no parameter server was lost, and no connections broke.
  [[nodiscard]] bool is_at_work(TaskId task) const {
    const auto at_work = e_.at_end.at_work.find(task);
    return at_work != e_.at_end.at_work.end() && std::ranges::none_of(e_.troubles, [&](const Trouble& t) {
             const bool ends_it = t.kind == Trouble::Kind::gone ? e_.tasks.is_ps(t.task) || !e_.tasks.have_servers()
                                                                : t.kind == Trouble::Kind::breaking;
             return ends_it && t.from >= at_work->second;
           });
  }

  // The run was looked at beyond its end: nothing is done any more, whatever is under way; or the next of it comes.
  // What slows training down to the end may be why that takes so long.
  [[nodiscard]] bool is_dead() const {
    const bool is_of_the_run = !worker_.valid() && until_ == e_.log.ended_at - e_.log.started_at;
    return is_of_the_run && e_.log.goes_on_at == EventLog::kNever;
  }
  [[nodiscard]] bool comes_later(const WaitsFor& waits) const {
    const auto is_slow = [](const Trouble& t) { return only_slows_down(t) && t.to < 0; };
    return !worker_.valid() && e_.log.goes_on_at >= 0 &&
           (e_.log.slows_in_vain || std::ranges::none_of(waits.troubles, is_slow));
  }

  // What slows it down has done so for a while, and the pause at the end is no longer than those since the last of what
  // is wrong began.
  [[nodiscard]] bool keeps_its_pace(const WaitsFor& waits, Nanos from) const {
    if (worker_.valid() || e_.log.goes_on_at < 0 || std::ranges::none_of(waits.troubles, only_slows_down)) return false;
    const Nanos since = std::ranges::max(waits.troubles, {}, &Trouble::from).from;
    Nanos longest = 0;
    for (std::size_t i = 1; i < progress_.size(); ++i)
      if (progress_[i - 1] >= since) longest = std::max(longest, progress_[i] - progress_[i - 1]);
    return e_.log.goes_on_at - from <= kManyRounds * longest;
  }

  // Nothing is wrong any more, and so many are at work as the next aggregate, or step, needs.
  [[nodiscard]] bool goes_on(const WaitsFor& waits) const {
    const bool is_held = waits.is_circle || e_.log.is_deadlocked || is_dead() || !waits.troubles.empty();
    if (is_held || until_ < e_.log.ended_at - e_.log.started_at) return false;
    if (worker_.valid()) return is_at_work(worker_);
    if (waits.never_taken) return is_to_ask_for_aggregates(e_).valid();
    const std::int64_t lacks = waits.required - waits.gradients;
    if (e_.training == Training::synchronous && (lacks <= 0 || !e_.at_end.takes)) return false;
    const auto at_work =
        std::ranges::count_if(e_.at_end.at_work, [this](const auto& w) { return is_at_work(w.first); });
    return at_work >= std::max<std::int64_t>(1, lacks);
  }

  // What was wrong before counts where most of the pause is its.
  void look_at_work(WaitsFor waits, Nanos from) {
    add_earlier(waits, from);
    std::erase_if(waits.troubles, [&](const Trouble& t) {
      return (e_.log.slows_in_vain && only_slows_down(t)) || !explains(t, from, until_);
    });
    if (!waits.troubles.empty()) out_.push_back({from, until_, usual_.to_tell(), std::move(waits)});
  }

  // Its next process sleeps, and will find a model.
  [[nodiscard]] bool looks_again(const Trouble& t) const {
    return t.kind == Trouble::Kind::gone && t.back >= 0 && std::ranges::count(find_a_model_later(e_), t.task) > 0;
  }

  // Its next process has begun, and has a session soon: it waits for no other task, and has not looked for a model in
  // vain. A parameter server has none; there a client that can make the model has.
  [[nodiscard]] bool is_opening_a_session(const Trouble& t) const {
    if (t.kind != Trouble::Kind::gone || t.to >= 0 || t.back < 0 || until_ - t.back >= kLongestWait) return false;
    const auto stages = last_stages(e_.log);
    if (e_.tasks.is_ps(t.task))
      return std::ranges::any_of(
          stages, [this](const auto& client) { return may_make_a_model(e_, client.first, client.second.first); });
    const auto own = stages.find(t.task);
    const bool waits =
        std::ranges::any_of(e_.session_waits, [&](const SessionWait& w) { return w.client == t.task && w.to < 0; });
    return !waits && (own == stages.end() || own->second.first == SessionStage::created);
  }

  // Since then no more than two usual pauses went by: the first step of a session has yet to come.
  [[nodiscard]] bool is_just_over(const WaitsFor& waits) const {
    Nanos last = -1;
    for (const Trouble& t : waits.troubles)
      last = std::max({last, t.to, slows_at(t, until_) ? -1 : t.over, is_opening_a_session(t) ? until_ : -1});
    return last == until_ || (last >= 0 && until_ - last < 2 * usual_.to_tell());
  }

  // What broke it may be over by now: it comes first.
  void add_earlier(WaitsFor& waits, Nanos from) {
    std::vector<Trouble> earlier;
    for (const Nanos at : places_to_look(e_, from, until_))
      for (Trouble& t : ask_(at).troubles)
        if (t.to >= 0 && !only_slows_down(t) && std::ranges::count(earlier, t) == 0) earlier.push_back(std::move(t));
    waits.troubles.insert(waits.troubles.begin(), earlier.begin(), earlier.end());
    std::ranges::stable_sort(waits.troubles, {}, &Trouble::from);
  }

  const Evidence& e_;
  const std::vector<Nanos> progress_;
  const Nanos until_;
  const Ask ask_;
  const Usual usual_;
  const TaskId worker_;
  std::vector<Standstill> out_;
};

}  // namespace

std::vector<TaskId> find_a_model_later(const Evidence& e) {
  const auto clients = last_stages(e.log);
  Nanos ready = -1;
  for (const auto& [task, stage] : clients)
    if (stage.first == SessionStage::ready || stage.first == SessionStage::looping)
      ready = std::max(ready, stage.second);
  std::vector<TaskId> later;
  for (const auto& [task, stage] : clients)
    if (stage.first == SessionStage::waiting && stage.second <= ready && e.log.ended_at - stage.second < kLongestWait &&
        !is_paused_for_good(e, task))
      later.push_back(task);
  return later;
}

TaskId is_to_ask_for_aggregates(const Evidence& e) {
  const TaskId chief = e.contributions.initialiser;
  return e.at_end.before_training.contains(chief) ? chief : TaskId::none();
}

std::vector<Standstill> read_standstills(const Evidence& e) {
  if (e.training == Training::none) return {};
  const Nanos until = training_ended(e);
  std::vector<Standstill> all =
      StandstillReader(
          e, progress_of(e), round_of(e), until, [&](Nanos at) { return waits_for(e, at); }, TaskId::none())
          .run();
  const std::vector<Trouble> lost = losses_of_all(e), held = have_all_left(e) ? held_back(e) : std::vector<Trouble>();
  if (lost.empty() && held.empty()) return all;
  if (!held.empty()) std::erase_if(all, [until](const Standstill& s) { return s.to < 0 || s.to == until; });
  const std::vector<Nanos> progress = progress_of(e);
  if (all.empty() || all.back().to >= 0)
    all.push_back(
        {progress.empty() ? 0 : progress.back(), -1, Usual(progress, round_of(e)).to_tell(), waits_for(e, until)});
  std::vector<Trouble>& causes = all.back().waits.troubles;
  if (!held.empty()) return causes = held, all;
  if (std::ranges::all_of(causes, only_slows_down)) causes = lost;
  return all;
}

std::vector<Standstill> read_standstills(const Evidence& e, std::size_t worker) {
  const WorkerStory& w = e.contributions.workers[worker];
  Nanos until = e.log.ended_at - e.log.started_at;
  for (const Trouble& t : e.troubles)
    if (t.task == w.task && t.to < 0 && t.kind == Trouble::Kind::left) until = t.from;
  const Ask ask = [&](Nanos at) { return step_waits_for(e, w.task, at); };
  return StandstillReader(e, w.step_ended, 1, until, ask, w.task).run();
}

}  // namespace tarry
