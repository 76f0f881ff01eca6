#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/out_of_data.hpp"
#include "results/standstill.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/lost_process.hpp"
#include "results/verdicts/lost_server.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

// All of training stood still at that time, too.
bool all_stood_still(const Evidence& e, Nanos from, Nanos to) {
  return std::ranges::any_of(e.standstills,
                             [&](const Standstill& s) { return (s.to < 0 || s.to > from) && (to < 0 || s.from < to); });
}

// An aggregate needs every worker, and none came before it was back.
bool was_waited_for(const Evidence& e, const Loss& l) {
  const auto workers = std::ssize(e.contributions.workers);
  return l.back >= 0 && l.next_aggregate >= l.back &&
         std::ranges::any_of(e.contributions.accumulators,
                             [&](const AccumulatorStory& a) { return a.required >= workers; });
}

// The next aggregate has a gradient of the worker; or the last one before it was lost.
bool is_in_next(const Evidence& e, std::size_t worker, const Loss& l) {
  const std::vector<Aggregate>& all = e.first_accumulator().aggregates;
  const auto next = std::ranges::lower_bound(all, l.next_aggregate, {}, &Aggregate::at);
  return next != all.end() && next->by_worker[worker] > 0;
}
bool is_in_last(const Evidence& e, std::size_t worker, const Loss& l) {
  const std::vector<Aggregate>& all = e.first_accumulator().aggregates;
  const auto after = std::ranges::upper_bound(all, l.last_aggregate, {}, &Aggregate::at);
  return after != all.begin() && std::prev(after)->by_worker[worker] > 0;
}

// When it was back another worker was missing: one that has a part in the next aggregate, or has left for good, or is
// lost, since it had one in the last.
bool was_another_missing(const Evidence& e, const Loss& l) {
  const auto is_missed = [&](std::size_t w) {
    const WorkerStory& worker = e.contributions.workers[w];
    if (worker.first_step > l.back) return is_in_next(e, w, l);
    return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
      if (t.task != worker.task || !is_away(t) || !t.holds_at(l.back)) return false;
      if (t.to >= 0) return is_in_next(e, w, l);
      return t.from >= l.last_aggregate || is_in_last(e, w, l);
    });
  };
  std::size_t w = 0;
  return std::ranges::any_of(e.contributions.workers,
                             [&](const WorkerStory& worker) { return is_missed(w++) && worker.task != l.task; });
}

// When training began that made the first aggregate: as the last worker by then did, without the one that was lost.
Nanos began_by(const Evidence& e, Nanos first_aggregate, TaskId lost = TaskId::none()) {
  Nanos began = 0;
  for (const WorkerStory& w : e.contributions.workers)
    if (w.first_step <= first_aggregate && w.task != lost) began = std::max(began, w.first_step);
  return began;
}

// Between two aggregates before the loss, the median; where there was none, after it. 0 = there was none.
Nanos usual_interval(const Evidence& e, const Loss& l) {
  std::vector<Nanos> before, after;
  std::optional<Nanos> last;
  for (const Aggregate& g : e.first_accumulator().aggregates) {
    const Nanos from = last.value_or(began_by(e, g.at));
    if (g.at <= l.last_aggregate) before.push_back(g.at - from);
    if (last >= l.next_aggregate) after.push_back(g.at - from);
    last = g.at;
  }
  std::vector<Nanos>& all = before.empty() ? after : before;
  if (all.empty()) return 0;
  const auto middle = all.begin() + (std::ssize(all) - 1) / 2;
  std::ranges::nth_element(all, middle);
  return *middle;
}

std::string what_the_others_did(const Evidence& e, const Loss& l) {
  if (e.training == Training::stale_synchronous)
    return "The others train on until they are as many steps ahead of it as they may be.";
  if (takes_own_aggregates(e.contributions)) return "The program takes aggregates of its own: others may wait for it.";
  if (e.training != Training::synchronous) return "Asynchronous workers do not wait for each other.";
  if (!was_waited_for(e, l)) return "Training went on: whoever takes its tokens contributes in its place.";
  const Nanos interval =
                  l.next_aggregate - (l.last_aggregate < 0 ? began_by(e, l.next_aggregate, l.task) : l.last_aggregate),
              usual = usual_interval(e, l);
  if (usual > 0 && interval <= usual + kShortPause)
    return fmt::format("Training did not wait: the next aggregate came after {:.3f} s, and usual is {:.3f} s.",
                       in_seconds(interval), in_seconds(usual));
  const std::string until = fmt::format("{:.3f} s", in_seconds(l.next_aggregate));
  const char* whom = was_another_missing(e, l) ? "other workers, too" : "it";
  return l.last_aggregate < 0 ? fmt::format("Training waited for {}: no aggregate came before {}.", whom, until)
                              : fmt::format("Training waited for {}: no aggregate came from {:.3f} s to {}.", whom,
                                            in_seconds(l.last_aggregate), until);
}

// " To do: restart worker 1 sooner.", of workers without which the same work took longer.
std::string cure_of_lost(const Evidence& e, std::span<const Loss> together, const std::vector<TaskId>& who) {
  const Loss& first = together[0];
  const auto t = std::ranges::find_if(e.troubles, [&](const Trouble& other) {
    return other.kind == Trouble::Kind::gone && other.task == first.task && other.from == first.at;
  });
  if (t != e.troubles.end() && was_back_early(*t)) return "";
  const bool is_chief = e.training != Training::synchronous && first.task == e.contributions.initialiser;
  if (t != e.troubles.end() && is_chief && who.size() == 1) return fmt::format(" To do: {}.", cure_of(e, *t));
  return fmt::format(" To do: restart {}{}.", names_of(e, who), first.back >= 0 ? " sooner" : "");
}

std::string lost(const Evidence& e, std::span<const Loss> together) {
  std::vector<Trouble> troubles;
  for (const Loss& l : together) troubles.push_back({.kind = Trouble::Kind::gone, .task = l.task});
  std::vector<TaskId> who;
  for (const Loss& l : together) who.push_back(l.task);
  const std::string waits = waits_to_the_end(e, who);
  const std::string gain = gain_of(e, troubles);
  return fmt::format("{} {}{}{}", losses_in_words(e, together), what_the_others_did(e, together[0]), gain,
                     waits.empty() && !gain.empty() ? cure_of_lost(e, together, who) : waits);
}

// Those that were lost at one moment, doing the same, and came back or not alike.
std::vector<std::vector<Loss>> lost_together(const Evidence& e, const std::vector<Loss>& all) {
  std::vector<std::vector<Loss>> groups;
  for (const Loss& l : all) {
    const auto same = std::ranges::find_if(groups, [&](const std::vector<Loss>& g) {
      return g[0].at == l.at && g[0].doing == l.doing && (g[0].back < 0) == (l.back < 0) &&
             (l.back >= 0 || began_again(e, g[0]) == began_again(e, l));
    });
    if (same == groups.end())
      groups.push_back({l});
    else
      same->push_back(l);
  }
  return groups;
}

// It, or a parameter server, was lost; another worker that was lost can hold up its session.
bool is_loss(const Evidence& e, TaskId worker, const Standstill& s) {
  return std::ranges::any_of(
      s.waits.troubles, [&](const Trouble& t) { return is_away(t) && (t.task == worker || e.tasks.is_ps(t.task)); });
}

// It was only slow, and another verdict says by how much that costs time.
bool is_told_as_slow(const Evidence& e, TaskId worker, const Standstill& s) {
  const std::vector<Proof> slow = proved(e, Proof::Cause::slow_worker);
  return std::ranges::all_of(s.waits.troubles, only_slows_down) &&
         std::ranges::any_of(slow, [&](const Proof& p) { return p.task == worker; });
}

// It found no model and slept: what only slowed down meanwhile is not why.
bool is_asleep(const Evidence& e, std::size_t worker, const Standstill& s) {
  const WorkerStory& w = e.contributions.workers[worker];
  return std::ranges::all_of(s.waits.troubles, only_slows_down) && s.to >= 0 && s.from < w.first_step &&
         waited_for_a_model(e, w.task, s.from);
}

// Others ended steps in the second half of it: what stops all of them comes a little after it stops this one.
bool others_went_on(const Evidence& e, std::size_t worker, const Standstill& s) {
  const Nanos end = s.to < 0 ? e.log.ended_at - e.log.started_at : s.to, middle = s.from + (end - s.from) / 2;
  std::size_t w = 0;
  return std::ranges::any_of(e.contributions.workers, [&](const WorkerStory& other) {
    return w++ != worker && std::ranges::any_of(other.step_ended, [&](Nanos at) { return at > middle && at < end; });
  });
}

// It has a cause that nothing else tells.
bool is_of_its_own(const Evidence& e, TaskId worker, const Standstill& s) {
  return !s.waits.troubles.empty() && !is_loss(e, worker, s) && !all_stood_still(e, s.from, s.to) &&
         !is_told_as_slow(e, worker, s);
}

std::string cut_off(const Evidence& e, std::size_t worker, const Standstill& s) {
  const std::string when = s.to < 0
                               ? fmt::format("after {:.3f} s no step of {} ended", in_seconds(s.from), e.worker(worker))
                               : fmt::format("from {:.3f} s to {:.3f} s no step of {} ended", in_seconds(s.from),
                                             in_seconds(s.to), e.worker(worker));
  return fmt::format("The others went on without it: {}. The cause: {}.{}{} To do: {}.", when,
                     causes_in_words(e, s.waits), who_waits(e, s.waits), gain_of(e, s.waits.troubles),
                     cure_of_gain(e, s.waits.troubles));
}

// It had done its steps: nothing was lost.
bool had_left(const Evidence& e, const Loss& l) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.task == l.task && t.holds_at(l.at);
  });
}

bool goes_on_without(const Evidence& e, const Loss& l) {
  if (!e.is_worker(l.task) || e.training == Training::replicated || had_left(e, l)) return false;
  const std::vector<WorkerStory>& workers = e.contributions.workers;
  const bool has_step_ended = std::ranges::any_of(workers, [](const WorkerStory& w) { return w.steps > 0; });
  if (e.training != Training::synchronous) return workers.size() > 1 && has_step_ended;
  return l.next_aggregate >= 0 && !e.first_accumulator().aggregates.empty();
}

// Where training stood still in the end since they had left, that is told; so is the chief whose leaving ended the
// training of others.
std::vector<OutOfData> out_of_data_before_the_end(const Evidence& e) {
  std::vector<OutOfData> out = out_of_data(e.log);
  std::erase_if(out, [&](const OutOfData& o) { return o.task == e.closer && !e.cut_short.empty(); });
  if (!e.is_stuck()) return out;
  const std::vector<Trouble>& causes = e.standstills.back().waits.troubles;
  std::erase_if(out, [&](const OutOfData& o) {
    return std::ranges::any_of(causes,
                               [&](const Trouble& t) { return t.task == o.task && !has_no_part(e, t, causes); });
  });
  return out;
}

// A count of epochs for each worker, where that gains more than data that does not end; else more data.
std::string why_no_data(const Evidence& e, bool is_of_one) {
  const std::vector<Proof> epochs = proved(e, Proof::Cause::epochs), data = proved(e, Proof::Cause::data);
  if (!epochs.empty() && (data.empty() || epochs.front().gain > data.front().gain))
    return fmt::format(" The cause: {}.{} To do: {}.", epochs.front().what, in_words(epochs.front()), kEpochsForEach);
  return fmt::format("{} To do: give {} readers {}.", data.empty() ? "" : in_words(data.front()),
                     is_of_one ? "its" : "their", kMoreData);
}

// "The data of worker 1 was at its end at 1.628 s, after 37 steps, and it left: the others trained on without it."
std::string ran_out(const Evidence& e, const std::vector<OutOfData>& all) {
  std::vector<TaskId> who;
  for (const OutOfData& o : all) who.push_back(o.task);
  const bool is_one = all.size() == 1;
  const std::string how_much = !is_one ? ","
                               : all.front().steps == 0
                                   ? ", before its first step,"
                                   : fmt::format(", after {},", counted(all.front().steps, "step", "steps"));
  return fmt::format(
      "The data of {} was at its end{} {}{} and {} left: the others trained on without {}, up to {:.3f} s.{}",
      names_of(e, who), is_one ? "" : ", for the first of them", moment_in_words(all.front().at), how_much,
      is_one ? "it" : "they", is_one ? "it" : "them",
      in_seconds(e.is_stuck() ? e.standstills.back().from : training_ended(e)), why_no_data(e, is_one));
}

// A fault told an asynchronous worker to leave: more than a tenth of the others' steps came later, and one of them made
// a tenth more.
bool left_the_others(const Evidence& e, const Trouble& t) {
  const bool is_told = t.kind == Trouble::Kind::left && !t.fault.empty() && t.to < 0;
  if (!is_told || e.training != Training::asynchronous || !e.is_worker(t.task)) return false;
  std::int64_t all = 0, later = 0, most = 0, own = 0;
  for (const WorkerStory& w : e.contributions.workers) {
    if (w.task == t.task) own = w.steps;
    if (w.task == t.task) continue;
    all += w.steps, most = std::max(most, w.steps);
    later += std::ranges::count_if(w.step_ended, [&](Nanos at) { return at > t.from; });
  }
  return 10 * later > all && 10 * most > 11 * own;
}

// "worker 6 left training at 1.000 s, after 10 steps", or of several.
std::string who_left(const Evidence& e, std::span<const Trouble> all) {
  const auto own = std::ranges::find(e.contributions.workers, all[0].task, &WorkerStory::task);
  if (all.size() == 1)
    return fmt::format("{}, after {}", in_words(all[0], e.tasks), counted(own->steps, "step", "steps"));
  std::vector<TaskId> who;
  for (const Trouble& t : all) who.push_back(t.task);
  return fmt::format("{} left training, the first of them {}", names_of(e, who), moment_in_words(all[0].from));
}

std::string left(const Evidence& e, std::span<const Trouble> all) {
  std::vector<TaskId> who;
  for (const Trouble& t : all) who.push_back(t.task);
  return fmt::format(
      "{}: the others trained on without {}, up to {:.3f} s.{} To do: let {} train as long as the others.",
      who_left(e, all), all.size() == 1 ? "it" : "them", in_seconds(training_ended(e)), gain_of(e, all),
      names_of(e, who));
}

}  // namespace

Told judge_went_on(const Evidence& e, std::span<const Verdict> said) {
  Told out;
  if (e.training == Training::none) return out;
  std::vector<Loss> told;
  for (const Loss& l : e.losses.processes)
    if (goes_on_without(e, l) && !all_stood_still(e, l.at, l.back)) told.push_back(l);
  for (const std::vector<Loss>& together : lost_together(e, told)) out.push_back(lost(e, together));
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    for (const Standstill& s : read_standstills(e, w))
      if (others_went_on(e, w, s) && is_of_its_own(e, e.contributions.workers[w].task, s) && !is_asleep(e, w, s))
        out.push_back(cut_off(e, w, s));
  std::vector<Trouble> leavers = e.troubles;
  std::erase_if(leavers, [&](const Trouble& t) { return !left_the_others(e, t); });
  if (!leavers.empty()) out.push_back(left(e, leavers));
  if (e.cut_short.empty() && says_any(said, {"ended_early"})) return out;  // of all workers, that tells it
  if (const auto all = out_of_data_before_the_end(e); !all.empty()) out.insert(out.begin(), ran_out(e, all));
  return out;
}

}  // namespace tarry
