#include "results/evidence.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "results/after_training.hpp"
#include "results/client_error.hpp"
#include "results/standstill.hpp"

namespace tarry {

bool meet_at_variables(const EventLog& log) {
  return std::ranges::any_of(log.events(), [&](const LoggedEvent& e) {
    const auto* put = std::get_if<Enqueued>(&e.event);
    return put != nullptr && log.name(put->queue).find("replicate_variable_") != std::string_view::npos;
  });
}

namespace {

std::set<TaskId> driven_tasks(const EventLog& log, const TaskNames& tasks) {
  std::set<TaskId> driven;
  for (const LoggedEvent& e : log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from != m->to &&
                                                                 log.name(m->kind) == "RunGraph request" &&
                                                                 !tasks.show(m->to).starts_with("ps "))
      driven.insert(m->to);
  return driven;
}

Training training_of(const Evidence& e) {
  if (e.contributions.workers.empty()) return Training::none;
  if (!e.contributions.accumulators.empty() || e.contributions.planned_workers > 0) return Training::synchronous;
  if (e.stale) return Training::stale_synchronous;
  if (meet_at_variables(e.log)) return Training::replicated;
  return e.contributions.workers.size() == 1 && !e.driven.empty() ? Training::in_graph : Training::asynchronous;
}

// Nearly all that it was to do is done: who is a step or two ahead of the others ends first in any job.
// Of a stale-synchronous job, whose queues of tokens no worker closes as long as others train.
std::vector<CutShort> cut_short_by_queues(std::span<const LoggedEvent> events, const Contributions& c) {
  std::vector<CutShort> out;
  for (const LoggedEvent& e : events)
    if (const auto* cut = std::get_if<CutShort>(&e.event); cut != nullptr && !is_nearly_done(*cut, c.global_step))
      out.push_back(*cut);
  return out;
}
// The last that its session did, besides being closed, was to fail.
bool has_failed_for_good(const EventLog& log, TaskId task) {
  auto last = SessionStage::closed;
  for (const LoggedEvent& e : log.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event);
        s != nullptr && s->task == task && s->stage != SessionStage::closed)
      last = s->stage;
  return last == SessionStage::failed;
}
// Of several chiefs the first that left for good, and not as its queue was closed: that closed the queue. Else the one
// chief that there is, left or not.
TaskId closer_of_queue(const EventLog& log, const Contributions& c) {
  std::set<TaskId> chiefs, cut;
  TaskId closer;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* planned = std::get_if<SyncPlanned>(&e.event); planned != nullptr) chiefs.insert(planned->task);
    if (const auto* s = std::get_if<CutShort>(&e.event); s != nullptr) cut.insert(s->task);
    const auto* s = std::get_if<SessionMoved>(&e.event);
    if (s == nullptr || !chiefs.contains(s->task)) continue;
    if (s->stage == SessionStage::left_loop && is_end_of_data(log.name(s->detail))) cut.erase(s->task);
    const bool leaves = s->stage == SessionStage::left_loop || s->stage == SessionStage::failed;
    if (leaves && !closer.valid() && !cut.contains(s->task)) closer = s->task;
    if (s->task == closer && !leaves && s->stage != SessionStage::closed) closer = TaskId();
  }
  return closer.valid() ? closer : c.sync_client;
}
// Reads who was cut short for good as the chief closed the queue of tokens: that left as it was told to, or failed; or
// its session broke, which it closes before it makes the next one.
class CutShortReader {
 public:
  CutShortReader(const EventLog& log, const Contributions& c, TaskId closer)
      : log_(log), contributions_(c), closer_(closer), has_failed_(has_failed_for_good(log, closer)) {}

  std::vector<CutShort> run(std::span<const LoggedEvent> events) {
    for (const LoggedEvent& e : events) {
      if (const auto* s = std::get_if<SessionMoved>(&e.event)) look_at(*s);
      if (const auto* began = std::get_if<ProcessBegan>(&e.event)) is_back(began->task);
      if (const auto* cut = std::get_if<CutShort>(&e.event)) {
        is_back(cut->task);
        if (cut->task != closer_) cuts_.push_back({*cut, is_away_ || has_failed_});
      }
    }
    std::vector<CutShort> out;
    for (const Cut& cut : cuts_)
      if (cut.is_by_closer && !is_nearly_done(cut.what, contributions_.global_step)) out.push_back(cut.what);
    return out;
  }

 private:
  struct Cut {
    CutShort what;
    bool is_by_closer = false, is_in_last_session = true;  // of the chief
  };

  void look_at(const SessionMoved& s) {
    using enum SessionStage;
    const bool is_at_its_end = s.stage == left_loop && is_end_of_data(log_.name(s.detail));
    if (s.stage == created || s.stage == waiting || s.stage == ready || is_at_its_end) is_back(s.task);
    if (s.task != closer_) return;
    is_away_ = s.stage == left_loop || s.stage == failed || (is_away_ && s.stage == closed);
    for (Cut& cut : cuts_) {
      const bool was_in_last_session = std::exchange(cut.is_in_last_session, false);
      cut.is_by_closer |= was_in_last_session && s.stage == created;
    }
  }
  void is_back(TaskId task) {
    std::erase_if(cuts_, [task](const Cut& cut) { return cut.what.task == task; });
  }

  const EventLog& log_;
  const Contributions& contributions_;
  const TaskId closer_;
  const bool has_failed_;
  bool is_away_ = false;
  std::vector<Cut> cuts_;
};

AccumulatorStory nothing_of(std::size_t workers) {
  AccumulatorStory a;
  for (auto* counts : {&a.left, &a.pushed, &a.accepted, &a.dropped}) counts->assign(workers, 0);
  return a;
}

}  // namespace

bool Evidence::is_worker(TaskId task) const {
  return std::ranges::find(contributions.workers, task, &WorkerStory::task) != contributions.workers.end();
}

bool Evidence::has_cut_off_worker() const {
  using enum Trouble::Kind;
  return std::ranges::any_of(troubles, [&](const Trouble& t) {
    const bool is_cut = t.kind == parted || t.kind == parted_one_way || t.kind == held || t.kind == breaking;
    for (std::size_t i = 0; is_cut && t.holds_at(0) && i < tasks.names.size(); ++i)
      if (const TaskId task{i};
          !tasks.is_ps(task) && !is_worker(task) && (t.a == tasks.host(task) || t.b == tasks.host(task)))
        return true;
    return false;
  });
}

namespace {

bool has_no_more_data(const Evidence& e, TaskId worker) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.task == worker && t.to < 0 && is_end_of_data(t.text);
  });
}

}  // namespace

bool ran_out_of_data(const Evidence& e) {
  return std::ranges::all_of(e.contributions.workers,
                             [&e](const WorkerStory& w) { return has_no_more_data(e, w.task); });
}

bool is_nearly_done(const CutShort& cut, std::int64_t global_step) {
  const auto nearly = [](std::int64_t done, std::int64_t of) {
    return of > 0 && static_cast<double>(done) > (1 - kWorthTelling) * static_cast<double>(of);
  };
  return nearly(cut.steps, cut.last_step) || nearly(global_step, cut.last_global_step);
}

namespace {

// The events up to the end of training, those of its last moment among them.
std::span<const LoggedEvent> events_of_training(const EventLog& log, std::optional<Nanos> over) {
  const std::span<const LoggedEvent> all = log.events();
  if (!over) return all;
  const auto after = std::ranges::upper_bound(all, log.started_at + *over, {}, &LoggedEvent::at);
  return all.first(static_cast<std::size_t>(after - all.begin()));
}

// What was wrong after the end of training was wrong with nobody's training; who left, left for good.
void leave_out_what_came_after(Evidence& e) {
  const Nanos over = *e.over;
  std::erase_if(e.losses.processes, [over](const Loss& l) { return l.at > over; });
  std::erase_if(e.losses.setbacks, [over](const Setback& s) { return s.at > over; });
  std::erase_if(e.troubles, [over](const Trouble& t) { return t.from > over; });
  std::erase_if(e.session_waits, [over](const SessionWait& w) { return w.from > over; });
  for (Trouble& t : e.troubles)
    if (t.kind == Trouble::Kind::left && t.to > over) t.to = -1;
}

}  // namespace

Evidence read_evidence(const EventLog& log, const Contributions& contributions, const TaskNames& tasks) {
  Evidence e{log, contributions, tasks, read_losses(log), read_staleness(log), driven_tasks(log, tasks)};
  e.training = training_of(e);
  e.no_accumulator = nothing_of(contributions.workers.size());
  e.troubles = read_troubles(log, tasks, e.losses);
  e.session_waits = read_session_waits(log, tasks);
  e.over = training_over(log);
  if (e.over) leave_out_what_came_after(e);
  const std::span<const LoggedEvent> events = events_of_training(log, e.over);
  e.at_end = read_end(log);
  e.standstills = read_standstills(e);
  if (e.training == Training::synchronous && contributions.sync_client.valid()) {
    e.closer = closer_of_queue(log, contributions);
    e.cut_short = CutShortReader(log, contributions, e.closer).run(events);
  }
  if (e.training == Training::stale_synchronous) {
    e.closer = contributions.initialiser;
    e.cut_short = cut_short_by_queues(events, contributions);
    std::erase_if(e.cut_short, [&e](const CutShort& cut) { return has_no_more_data(e, cut.task); });
  }
  return e;
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

const char* in_words(Loss::Doing doing, Training training) {
  const bool has_tokens = training == Training::synchronous;
  switch (doing) {
    case Loss::Doing::computing:
      return has_tokens ? "while it computed: the token that it had taken is gone with it" : "while it computed";
    case Loss::Doing::waiting_for_token:
      return "while it waited for a token: its gradient counts, and its token is left to the others";
    case Loss::Doing::before_first_step:
      return "before the first step of its session";
    case Loss::Doing::in_first_step:
      return "while it computed the first step of its session";
    case Loss::Doing::nothing:
      break;
  }
  return has_tokens ? "between two steps: the token that it had just been given is gone with it" : "between two steps";
}

std::string counted(std::int64_t n, const char* singular, const char* plural) {
  return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

const JobState& Evidence::moment(Nanos at) const {
  if (!last_moment || last_moment->first != at) last_moment.emplace(at, moment_at(log, at));
  return last_moment->second;
}

}  // namespace tarry
