#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/client_error.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/lost_round.hpp"
#include "results/verdicts/never_came.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/several_chiefs.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// Of those without which the job goes on.
std::vector<Proof> decisive(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> out;
  for (const Proof& p : e.proofs)
    if (p.cause == cause && p.goes_on) out.push_back(p);
  return out;
}

// "worker 1 and worker 2 are in steps that wait": whose training steps have begun and not ended; "" = nobody's.
std::string in_unfinished_steps(const Evidence& e) {
  std::map<StepId, TaskId> open;
  for (const LoggedEvent& event : e.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event); began != nullptr && began->purpose == Purpose::train)
      open[began->step] = began->task;
    if (const auto* ended = std::get_if<StepEnded>(&event.event)) open.erase(ended->step);
    if (const auto* ended = std::get_if<ProcessEnded>(&event.event))
      std::erase_if(open, [&](const auto& step) { return step.second == ended->task; });
  }
  std::set<TaskId> who;
  for (const auto& [step, task] : open) who.insert(task);
  if (who.empty()) return "";
  return fmt::format("{} {}", names_of(e, {who.begin(), who.end()}),
                     who.size() == 1 ? "is in a step that waits" : "are in steps that wait");
}

// "worker 0": in whose training steps aggregates are taken, which is the sync thread's to do.
std::string who_takes_in_training(const Evidence& e) {
  std::map<StepId, TaskId> training;
  std::set<std::string> who;
  for (const LoggedEvent& event : e.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event); began != nullptr && began->purpose == Purpose::train)
      training[began->step] = began->task;
    if (const auto* take = std::get_if<TakeIssued>(&event.event); take != nullptr && training.contains(take->step))
      who.insert(e.tasks.show(training[take->step]));
  }
  return join(std::vector(who.begin(), who.end()), ", ");
}

std::string nobody_takes(const Evidence& e) {
  const AccumulatorStory& a = e.first_accumulator();
  return fmt::format(
      " {} in the accumulator of {}, and nobody ever asked for an aggregate: the thread that takes them "
      "and hands out tokens never ran. To do: have the chief start the queue runner of SyncReplicasOptimizer (its "
      "session hook does).",
      counted(sum(a.left), "gradient waits", "gradients wait"), a.variable);
}

std::string takes_of_its_own(const Evidence& e, const WaitsFor& waits, const std::string& who) {
  return fmt::format(
      "{} The training steps of {} take aggregates of their own: what they get, the thread that hands out tokens "
      "lacks, and each waits for gradients that nobody will push. To do: fetch no aggregated gradient in a training "
      "step; look at the gradients before they are pushed.",
      who_waits(e, waits), who);
}

// Nothing was wrong with the cluster: the job waits for itself.
std::string circle(const Evidence& e, const WaitsFor& waits) {
  const std::int64_t workers = std::ssize(e.contributions.workers);
  const std::vector<TaskId> absent = workers_that_never_came(e);
  const std::string why = waits.required > workers
                              ? fmt::format(" An aggregate needs {} gradients, and {}; each worker brings one.{}",
                                            waits.required, counted(workers, "worker trains", "workers train"),
                                            absent.empty() ? "" : fmt::format(" Never came: {}.", names_of(e, absent)))
                              : std::string(" One round has lost more tokens than there are to spare.");
  return fmt::format(
      "{}{} Tokens come with the next aggregate only: each waits for the other. To do: aggregate no more gradients "
      "than "
      "there are workers, or {}.",
      who_waits(e, waits), why, absent.empty() ? "let more workers train" : "start the workers that are missing");
}

// Every worker has a part in what lets the others go on.
bool has_barrier(const Evidence& e) {
  return e.training == Training::stale_synchronous || e.training == Training::replicated;
}

// Of the program's own accumulators the first whose aggregate somebody waits for in vain. Null: there is none.
const OwnAccumulator* lacking_gradients(const Evidence& e) {
  const auto& own = e.contributions.own;
  const auto it =
      std::ranges::find_if(own, [](const OwnAccumulator& a) { return a.open_takes > 0 && sum(a.left) < a.required; });
  return it == own.end() ? nullptr : &*it;
}

// Workers that gave it gradients before, and then left training.
std::vector<Trouble> former_givers(const Evidence& e, const OwnAccumulator& a) {
  std::vector<Trouble> out;
  for (const Trouble& t : e.troubles)
    for (std::size_t w = 0; w < a.given.size(); ++w)
      if (t.kind == Trouble::Kind::left && t.to < 0 && t.task == e.contributions.workers[w].task && a.given[w] > 0)
        out.push_back(t);
  return out;
}

std::string lacks_gradients(const Evidence& e, const OwnAccumulator& a, const std::string& waiting) {
  WaitsFor left;
  left.troubles = former_givers(e, a);
  const bool has_left = !left.troubles.empty();
  return fmt::format(
      " {} for an aggregate of the program's own accumulator {} on {}: it needs {}, and has {}.{} To do: {}let the "
      "program take fewer gradients for an aggregate.",
      waiting, a.name, e.tasks.show(a.task), counted(a.required, "gradient", "gradients"), sum(a.left),
      has_left ? fmt::format(" Before, others brought some: {}.", causes_in_words(e, left)) : "",
      has_left ? cure_of(e, left.troubles) + ", or " : "");
}

std::string unexplained(const Evidence& e) {
  const std::string waiting = in_unfinished_steps(e);
  if (waiting.empty()) return " Clients wait for a session that never gets ready.";
  if (const auto planned = decisive(e, Proof::Cause::planned); !planned.empty())
    return fmt::format(
        " The cause: {}, and every worker has a part in what lets the others go on; {} for that.{} To do: build the "
        "graph for {}.",
        planned[0].what, waiting, in_words(planned[0]),
        counted(std::ssize(e.contributions.workers), "worker", "workers"));
  if (const std::vector<TaskId> absent = workers_that_never_came(e); has_barrier(e) && !absent.empty())
    return fmt::format(
        " The cause: {} never came, and every worker has a part in what lets the others go on; {} for "
        "that. To do: start the workers that are missing.",
        names_of(e, absent), waiting);
  if (const OwnAccumulator* a = lacking_gradients(e)) return lacks_gradients(e, *a, waiting);
  return fmt::format(
      " {} for what nobody will give: a queue or an accumulator that stays empty, or a task that is gone.", waiting);
}

std::string synchronous(const Evidence& e, const WaitsFor& waits) {
  if (const std::string who = who_takes_in_training(e); !who.empty()) return takes_of_its_own(e, waits, who);
  if (waits.never_taken) return nobody_takes(e);
  if (const std::string split = split_aggregates(e); !split.empty()) return who_waits(e, waits) + split;
  return waits.is_circle || e.log.is_deadlocked ? circle(e, waits) : unexplained(e);
}

// No fault, and no end of data, told it to.
bool left_at_its_stop(const Trouble& t) {
  return t.kind == Trouble::Kind::left && t.fault.empty() && !is_end_of_data(t.text);
}

// With a stop for all together in place of one for each, the job goes on; where it does so neither with that alone nor
// without faults alone, the proof of both. Null: there is no such proof.
const Proof* shared_stop(const Evidence& e) {
  const auto first = [&](Proof::Cause cause, bool together) {
    const auto p = std::ranges::find_if(
        e.proofs, [&](const Proof& o) { return o.cause == cause && o.goes_on && o.together == together; });
    return p == e.proofs.end() ? nullptr : &*p;
  };
  const Proof* alone = first(Proof::Cause::stops, false);
  const bool suffice_faults =
      first(Proof::Cause::faults, false) != nullptr || first(Proof::Cause::faults, true) != nullptr;
  return alone != nullptr || suffice_faults ? alone : first(Proof::Cause::stops, true);
}

// Nothing is wrong with the cluster at the end, or clients only left as they were told to: a fault that was over by
// then may have been the cause, unless another one told them to.
WaitsFor with_decisive_faults(const Evidence& e, WaitsFor waits) {
  const auto has_left = [](const Trouble& t) { return t.kind == Trouble::Kind::left; };
  if (!std::ranges::all_of(waits.troubles, has_left)) return waits;
  std::vector<Trouble> decisive;
  std::vector<Trouble> explained = waits.troubles;
  std::erase_if(explained, [](const Trouble& t) { return t.fault.empty(); });
  for (const Proof& p : decisive_besides(e, explained))
    for (const Trouble& t : e.troubles)
      if (is_about(p, t) && std::ranges::count(decisive, t) == 0 && std::ranges::count(waits.troubles, t) == 0)
        decisive.push_back(t);
  std::ranges::stable_sort(decisive, {}, &Trouble::from);
  waits.troubles.insert(waits.troubles.begin(), decisive.begin(), decisive.end());
  return waits;
}

// Where the job goes on without the fault of one of them, or with a stop that all share, another fault without which it
// stands still all the same is no cause; nor is the end of a client's data.
WaitsFor without_idle_causes(const Evidence& e, WaitsFor waits) {
  const std::vector<Proof> decisive = decisive_faults(e);
  const auto is_decisive = [&](const Trouble& t) {
    return std::ranges::any_of(decisive, [&](const Proof& p) { return is_about(p, t); });
  };
  const Proof* stop = shared_stop(e);
  const bool is_by_leaving =
      stop != nullptr && !stop->together && std::ranges::any_of(waits.troubles, left_at_its_stop);
  if (!is_by_leaving && std::ranges::none_of(waits.troubles, is_decisive)) return waits;
  const std::vector<Trouble> all = waits.troubles;
  std::erase_if(waits.troubles, [&](const Trouble& t) {
    const bool is_of_a_fault = t.kind == Trouble::Kind::gone || !t.fault.empty();
    return (is_of_a_fault && !is_decisive(t)) || has_no_part(e, t, all);
  });
  return waits;
}

// Clients that only left as they were told to did so since the fault was over: that is what to look at.
std::string what_to_do(const Evidence& e, const WaitsFor& waits, std::span<const Proof> besides) {
  const auto has_left = [](const Trouble& t) { return t.kind == Trouble::Kind::left; };
  const bool only_left = std::ranges::all_of(waits.troubles, has_left);
  if (only_left && !besides.empty() && !besides.front().b.empty())
    return fmt::format("look at the path between {} and {}", e.tasks.in_plain(besides.front().a),
                       e.tasks.in_plain(besides.front().b));
  // Where other runs were tried, one with such a stop does not go on.
  const std::string counting_anew = e.proofs.empty() ? cure_of_counting_anew(e, waits.troubles) : "";
  return counting_anew.empty() ? cure_of(e, waits.troubles) : counting_anew;
}

// Of what slowed down only until some time before the end.
std::string still_under_way(const Evidence& e, const WaitsFor& waits) {
  Nanos last = -1;
  for (const Trouble& t : waits.troubles)
    if (slows_at(t, e.log.ended_at - e.log.started_at)) last = std::max(last, t.to);
  return last < 0 ? "" : fmt::format(" What had begun by {:.3f} s was still under way at the end.", in_seconds(last));
}

// Workers left as they were told to, and others began too late to be done by then, or each leaves after steps of its
// own, or aggregates of some let others fall behind: with another start, another stop, or aggregates of all, the job
// goes on.
struct Parting {
  std::vector<Proof> late;
  const Proof* stop = nullptr;     // null: such a stop changes nothing
  const Proof* in_step = nullptr;  // null: nothing is known of aggregates of all
  const Proof* behind = nullptr;   // of what made those slow who had fewer steps; null: it lets nothing go on
  [[nodiscard]] bool is_known() const {
    return !late.empty() || stop != nullptr || in_step != nullptr || behind != nullptr;
  }
};

Parting parting_of(const Evidence& e, const WaitsFor& waits) {
  if (std::ranges::none_of(waits.troubles, left_at_its_stop)) return {};
  const Proof* stop = shared_stop(e);
  const auto in_step = std::ranges::find_if(e.proofs, [](const Proof& p) {
    return p.cause == Proof::Cause::replicas && p.goes_on && p.b == kForStandstills;
  });
  const bool is_by_lag = stop == nullptr && in_step != e.proofs.end();
  const Proof* behind = what_held_back(e);
  if (behind != nullptr && behind->cause == Proof::Cause::late_start) behind = nullptr;  // it is told as such
  return {decisive(e, Proof::Cause::late_start), stop, is_by_lag ? &*in_step : nullptr, behind};
}

// Who was late or slow, what else was wrong, that each leaves after so many steps, and who left.
std::string causes_of(const Evidence& e, const WaitsFor& waits, const Parting& p) {
  WaitsFor others = waits, left = waits;
  std::erase_if(others.troubles, left_at_its_stop);
  std::erase_if(left.troubles, [](const Trouble& t) { return !left_at_its_stop(t); });
  std::vector<std::string> causes;
  for (const Proof& late : p.late) causes.push_back(late.what);
  if (p.behind != nullptr) causes.push_back(p.behind->what);
  if (!others.troubles.empty()) causes.push_back(causes_in_words(e, others));
  if (p.stop != nullptr) causes.push_back(p.stop->what);
  if (p.in_step != nullptr) causes.push_back(p.in_step->what);
  causes.push_back(causes_in_words(e, left));
  return join(causes, "; and ");
}

std::string cure_of_parting(const Evidence& e, const WaitsFor& waits, const Parting& p) {
  std::vector<std::string> cures;
  for (const Proof& late : p.late) cures.emplace_back(cure_of_lateness(late));
  const std::string anew = cure_of_counting_anew(e, waits.troubles);
  if (p.stop != nullptr) cures.push_back(anew.empty() ? kStopForAll : anew);
  if (p.in_step != nullptr) cures.emplace_back(kAllInStep);
  if (cures.empty()) return cure_of(e, waits.troubles);
  const auto left = std::ranges::find_if(waits.troubles, left_at_its_stop);
  if (p.stop == nullptr || !p.stop->together) return join(cures, ", or ") + no_initial_tokens(e, *left);
  std::vector<Trouble> faults = waits.troubles;
  std::erase_if(faults, left_at_its_stop);
  return join(cures, ", or ") + (faults.empty() ? "" : "; and " + cure_of(e, faults));
}

std::string why_parted(const Evidence& e, const WaitsFor& waits, const Parting& p) {
  std::string proofs = proof_that_it_goes_on(e, waits.troubles);
  for (const Proof& late : p.late) proofs += in_words(late);
  for (const Proof* proof : {p.behind, p.stop, p.in_step})
    if (proof != nullptr) proofs += in_words(*proof);
  return fmt::format(" The cause: {}.{}{} To do: {}.", causes_of(e, waits, p), who_waits(e, waits), proofs,
                     cure_of_parting(e, waits, p));
}

// With a gradient of each worker, and one for each initial token, the first aggregate lacks some.
bool lacks_credits(const Evidence& e) {
  const AccumulatorStory& a = e.first_accumulator();
  return a.aggregates.empty() &&
         std::cmp_less(e.contributions.workers.size() + e.contributions.initial_tokens.size(), a.required);
}

// The job waits for itself, whatever else was wrong.
bool is_by_itself(const Evidence& e, const WaitsFor& waits) {
  if (has_barrier(e)) return !workers_that_never_came(e).empty();
  if (e.training != Training::synchronous) return false;
  return waits.never_taken || lacks_credits(e) || !who_takes_in_training(e).empty();
}

// What was wrong is over, and no run without it goes on.
bool is_over_for_nothing(const Evidence& e, const WaitsFor& waits) {
  return std::ranges::none_of(waits.troubles, [](const Trouble& t) { return t.to < 0; }) &&
         proof_that_it_goes_on(e, waits.troubles).empty();
}

std::string why(const Evidence& e, const WaitsFor& known) {
  const WaitsFor waits = without_idle_causes(e, with_decisive_faults(e, known));
  const std::vector<Proof> besides = decisive_besides(e, waits.troubles);
  const Parting parting = parting_of(e, waits);
  if (parting.is_known()) return why_parted(e, waits, parting);
  if (decisive_faults(e).empty() && !decisive(e, Proof::Cause::planned).empty()) return unexplained(e);
  const bool is_own = is_by_itself(e, waits) && is_over_for_nothing(e, waits);
  if (!waits.troubles.empty() && !is_own) {
    const std::optional<LostRound> lost = lost_round(e, waits.troubles);
    return fmt::format(" The cause: {}.{}{}{}{}{} To do: {}.", causes_in_words(e, waits),
                       lost ? in_words(*lost, e) : "", still_under_way(e, waits), who_waits(e, waits),
                       proof_that_it_goes_on(e, waits.troubles), behind_it(e, besides),
                       lost ? cure_of(*lost, e, waits.troubles) : what_to_do(e, waits, besides));
  }
  if (!besides.empty())
    return fmt::format("{}{}{}", who_waits(e, waits), behind_it(e, besides),
                       besides.front().b.empty() ? "" : fmt::format(" To do: {}.", what_to_do(e, waits, besides)));
  return e.training == Training::synchronous ? synchronous(e, waits) : unexplained(e);
}

// What is slow, or far away, moves, unless what it waits for is not there.
bool moves(const WaitsFor& waits) {
  const auto is_for_good = [](const Trouble& t) { return t.to < 0 && t.back < 0 && !only_slows_down(t); };
  return std::ranges::any_of(waits.troubles, only_slows_down) && std::ranges::none_of(waits.troubles, is_for_good);
}

}  // namespace

Told judge_stuck(const Evidence& e, std::span<const Verdict>) {
  if (!e.is_stuck()) return {};
  const Standstill& s = e.standstills.back();
  return {fmt::format("{}: {} after {:.3f} s, to the end at {:.3f} s.{}",
                      moves(s.waits) ? "Training stood still" : "Nothing moves any more",
                      e.training == Training::synchronous ? "no aggregate was complete" : "no step ended",
                      in_seconds(s.from), in_seconds(e.log.ended_at - e.log.started_at), why(e, s.waits))};
}

}  // namespace tarry
