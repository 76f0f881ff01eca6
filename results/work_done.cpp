#include "results/work_done.hpp"

#include <algorithm>
#include <utility>

#include "results/client_error.hpp"
#include "results/whole_aggregates.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;

// A client left with an error, and was not back.
bool has_failed(const Evidence& e) {
  return std::ranges::any_of(e.troubles, [](const Trouble& t) { return t.kind == Kind::failed && t.to < 0; });
}

// No fault, and no end of data, told it to.
bool has_left_at_its_stop(const Evidence& e, const WorkerStory& w) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    return t.kind == Kind::left && t.task == w.task && t.to < 0 && t.fault.empty() && !is_end_of_data(t.text);
  });
}

bool has_left(const Evidence& e, const WorkerStory& w) {
  return std::ranges::any_of(e.troubles,
                             [&](const Trouble& t) { return t.kind == Kind::left && t.task == w.task && t.to < 0; });
}

// Something that was wrong to the end kept training from its beginning.
bool never_began(const Evidence& e) {
  return e.training == Training::none && std::ranges::any_of(e.troubles, [](const Trouble& t) {
           return t.to < 0 && t.kind != Kind::left && !only_slows_down(t);
         });
}

// Of a run that stands still.
bool have_only_left(const Evidence& e) {
  if (!e.is_stuck()) return !e.cut_short.empty();
  const std::vector<Trouble>& causes = e.standstills.back().waits.troubles;
  return !causes.empty() && std::ranges::all_of(causes, [](const Trouble& t) { return t.kind == Kind::left; });
}

// How many of `done` are left after a setback. Several workers' steps may make one global step.
std::int64_t left_of(std::int64_t done, const Setback& s) {
  const std::int64_t each = std::max<std::int64_t>(1, (done + s.from / 2) / s.from);
  return std::max<std::int64_t>(0, done - each * (s.from - s.to));
}

// That of the run, without what it lost when the global step went back.
std::vector<Nanos> lasting_progress(const Evidence& e) {
  const std::vector<Nanos> progress = progress_of(e);
  std::vector<Nanos> lasting;
  auto next = progress.begin();
  for (const Setback& s : e.losses.setbacks) {
    const auto after = std::upper_bound(next, progress.end(), s.at);
    lasting.insert(lasting.end(), std::exchange(next, after), after);
    lasting.resize(left_of(std::ssize(lasting), s));
  }
  lasting.insert(lasting.end(), next, progress.end());
  return lasting;
}

// Of a run that went on until `end`: the next of its aggregates would have come later than that, so that those before
// it take their share of `end` at least, at a steady pace.
Nanos time_until_cut_off(const WorkDone& w, Nanos end) {
  if (w.done == 0) return end;
  return std::max(w.progressed, static_cast<Nanos>(static_cast<__int128>(end) * w.done / (w.done + 1)));
}

// When the global step came to `last` for good.
std::optional<Nanos> reached(const EventLog& log, std::int64_t last) {
  std::optional<Nanos> at;
  for (const LoggedEvent& event : log.events()) {
    const auto* assigned = std::get_if<ScalarAssigned>(&event.event);
    if (assigned == nullptr || log.name(assigned->variable) != "global_step") continue;
    if (assigned->value < last)
      at.reset();
    else if (!at)
      at = event.at - log.started_at;
  }
  return at;
}

// How many of those moments came after the clients' last global step. The step that made it ends after it.
std::size_t beyond(std::optional<std::int64_t> last, const Evidence& e, const std::vector<Nanos>& progress) {
  const std::optional<Nanos> at = last ? reached(e.log, *last) : std::nullopt;
  if (!at) return 0;
  const auto later = static_cast<std::size_t>(progress.end() - std::ranges::upper_bound(progress, *at));
  return later == 0 || e.training == Training::synchronous ? 0 : later - 1;
}

bool overlap(const WorkDone::Pause& a, const WorkDone::Pause& b) {
  return (b.to < 0 || a.from < b.to) && (a.to < 0 || b.from < a.to);
}

}  // namespace

Nanos WorkDone::time_for(std::int64_t many) const {
  if (many > 0 && many < std::ssize(moments)) return moments[static_cast<std::size_t>(many) - 1];
  return static_cast<Nanos>(static_cast<__int128>(time) * many / done);
}

Nanos WorkDone::time_for_as_much_as(const WorkDone& other) const {
  const Nanos own = time_for(other.done);
  std::vector<Pause> theirs = other.standstills, later = standstills;
  const auto is_over = [](const WorkDone& w, const Pause& p) { return p.to >= 0 && p.to <= w.progressed; };
  std::erase_if(theirs, [&](const Pause& p) { return !is_over(other, p); });
  std::erase_if(later, [&](const Pause& s) {
    return s.from < own || std::ranges::none_of(theirs, [&](const Pause& p) { return overlap(s, p); });
  });
  Nanos time = own;
  for (const Pause& s : later)
    if (is_over(*this, s)) time += s.to - s.from;
  for (const Pause& p : theirs) {
    const auto same = std::ranges::find_if(later, [&](const Pause& s) { return overlap(s, p); });
    const bool comes_later = same == later.end() ? has_faults && own <= p.from : !is_over(*this, *same);
    if (comes_later) time += p.to - p.from;
  }
  return time;
}

WorkDone WorkDone::as_if_nothing_was_lost() const {
  if (lost == 0) return *this;
  WorkDone all = *this;
  all.done += std::exchange(all.lost, 0);
  all.moments = with_lost;
  all.progressed = with_lost.back();
  if (!stands_still) all.time = cut_off_at ? time_until_cut_off(all, *cut_off_at) : all.progressed;
  if (stands_still && time == progressed) all.time = all.progressed;  // it counts until the last of it
  return all;
}

WorkDone work_done(const Evidence& e, std::optional<Nanos> cut_off, std::optional<std::int64_t> last_global_step) {
  std::vector<Nanos> progress = lasting_progress(e), with_lost = progress_of(e);
  const std::size_t more = beyond(last_global_step, e, progress);
  progress.resize(progress.size() - more), with_lost.resize(with_lost.size() - more);
  const bool have_all_left =
      std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& worker) { return has_left(e, worker); });
  const bool hangs = e.log.is_deadlocked || e.is_stuck() || never_began(e);
  WorkDone w{.done = std::ssize(progress), .stands_still = hangs || has_failed(e) || !e.cut_short.empty()};
  w.left_waiting = w.stands_still && !has_failed(e) && have_only_left(e);
  const Nanos end = e.log.ended_at - e.log.started_at;
  w.reached_its_end = !w.stands_still && !e.contributions.workers.empty() &&
                      std::ranges::all_of(e.contributions.workers,
                                          [&](const WorkerStory& worker) { return has_left_at_its_stop(e, worker); });
  const bool was_cut_off = cut_off && end >= *cut_off && !have_all_left;
  w.progressed = progress.empty() ? 0 : progress.back();
  w.with_lost = std::move(with_lost);
  w.lost = std::ssize(w.with_lost) - w.done;
  w.moments = progress;
  for (const Standstill& s : e.standstills)
    w.standstills.push_back(
        {s.waits.troubles.empty() ? s.from : std::max(s.from, s.waits.troubles.front().from), s.to});
  if (was_cut_off) w.cut_off_at = end;
  w.time = w.stands_still ? end : was_cut_off ? time_until_cut_off(w, end) : w.progressed;
  if (hangs && cut_off) w.time = std::max(end, *cut_off);
  return w;
}

std::vector<Nanos> progress_of(const Evidence& e) {
  std::vector<Nanos> progress;
  if (e.training == Training::synchronous)
    for (const std::size_t i : whole_aggregates(e.log)) progress.push_back(e.log.events()[i].at - e.log.started_at);
  else
    for (const WorkerStory& w : e.contributions.workers)
      progress.insert(progress.end(), w.step_ended.begin(), w.step_ended.end());
  if (e.over) std::erase_if(progress, [&e](Nanos at) { return at > *e.over; });
  std::ranges::sort(progress);
  return progress;
}

Nanos training_ended(const Evidence& e) {
  const Nanos end = e.log.ended_at - e.log.started_at;
  Nanos last = 0;
  bool is_by_leaving = true;
  for (const WorkerStory& w : e.contributions.workers) {
    const auto of_it = [&](Kind kind) {
      return std::ranges::find_if(e.troubles,
                                  [&](const Trouble& t) { return t.kind == kind && t.task == w.task && t.to < 0; });
    };
    auto how = of_it(Kind::left);
    for (const Kind kind : {Kind::failed, Kind::gone})
      if (how == e.troubles.end()) how = of_it(kind);
    if (how == e.troubles.end()) return end;
    if (how->from >= last) is_by_leaving = how->kind != Kind::gone;
    last = std::max(last, how->from);
  }
  return is_by_leaving ? last : end;
}

}  // namespace tarry
