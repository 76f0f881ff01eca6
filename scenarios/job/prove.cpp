#include "scenarios/job/prove.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "scenarios/job/ceiling.hpp"
#include "scenarios/job/endless.hpp"
#include "scenarios/job/fault_run.hpp"
#include "scenarios/job/hidden.hpp"
#include "scenarios/job/kept.hpp"
#include "scenarios/job/luck.hpp"
#include "scenarios/job/same_time.hpp"
#include "scenarios/job/settled.hpp"
#include "scenarios/job/what_if.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

std::int64_t training_steps_in(const EventLog& log) {
  return std::ranges::count_if(log.events(), [](const LoggedEvent& e) {
    const auto* began = std::get_if<StepBegan>(&e.event);
    return began != nullptr && began->purpose == Purpose::train;
  });
}

struct PartLeft {
  double of = 1;
  bool is_of_work = false;  // and not of time
};
// Two that stand still do so for as long as one looks, whenever their runs ended: one of them may do more before, or
// the same sooner. Where a load is what was taken away and the other did nearly as much, it is a race which of the last
// aggregates were complete before workers left: what both did counts.
// A run that was cut off is compared in two ways, of which the one that gains less holds: a pause may come just before
// the one run had done as much and just after the other had, and a run that did more may have paused afterwards.
PartLeft share_of_time(Proof::Cause cause, WorkDone base, WorkDone with) {
  if (base.stands_still && !with.stands_still && with.done < base.done) return {};  // it ended with less
  if (!base.stands_still || !with.stands_still) {
    const double of_as_much = static_cast<double>(with.time_for_as_much_as(base)) / static_cast<double>(base.time);
    return {base.cut_off_at ? std::max(of_as_much, base.pace() / with.pace()) : of_as_much};
  }
  const double more = static_cast<double>(base.done) / static_cast<double>(with.done);
  const Nanos of_both = with.done < base.done ? base.time_for(with.done) : 0;
  if (of_both > 0 && !changes_what_is_done(cause) && with.did_nearly_as_much_as(base))
    return {static_cast<double>(with.progressed) / static_cast<double>(of_both)};
  if (with.done < base.done) return {more, true};  // what it did sooner was not the same
  base.time = base.progressed, with.time = with.progressed;
  const bool is_known = base.time > 0 && with.time > 0;
  if (is_known && !changes_what_is_done(cause))
    return {static_cast<double>(with.time_for_as_much_as(base)) / static_cast<double>(base.time)};
  const double at_its_pace = is_known ? base.pace() / with.pace() : more;
  return {std::min(more, at_its_pace), more <= at_its_pace};
}

bool is_about_one_fault(const Proof& p) { return p.cause == Proof::Cause::faults && !p.together; }

// Of one thing, so that what hides behind others may be its effect.
bool may_explain(const Proof& p) {
  using enum Proof::Cause;
  return !p.together && p.cause != network && p.cause != latency && p.cause != kernels;
}

bool is_worth_telling(const Proof& p) { return p.goes_on || p.gain >= kWorthTelling; }

// The job's beginning, until its clients' graphs are where they run. SimGrid has one engine in a process, and the runs
// to come need it.
Job beginning_of(const Job& job) {
  constexpr std::int64_t kStepsEach = 2;
  Job first = job;
  first.faults.clear();
  first.cluster.network.engine = FlowsBy::shared;
  first.keep_kernels = first.keep_causes = first.audits = false;
  first.watch = nullptr;
  first.stop.began = kStepsEach * std::ssize(job.clients);
  return first;
}

// Faults whose moments did not come.
std::int64_t faults_in_vain(const EventLog& log) {
  return std::ranges::count_if(log.events(), [&](const LoggedEvent& e) {
    const auto* c = std::get_if<ConditionChanged>(&e.event);
    return c != nullptr && log.name(c->kind) == kNeverHappened && !log.name(c->a).empty();
  });
}

}  // namespace

Beside::Beside(const Job& job, const Outcome& outcome, const ProofWatch& watch)
    : job_(job), outcome_(outcome), watch_(watch), base_(work_done(job, outcome)) {}

void Beside::limit(Job& other, For how_long) const {
  const Nanos ran = outcome_.log.ended_at - outcome_.log.started_at;
  const Nanos longest = std::min(ran, std::numeric_limits<Nanos>::max() / 10);
  // A run that takes a little longer has its whole time, too.
  const Nanos most = how_long == For::the_same_time ? ran + longest / 10 : longest * 10;
  if (!base_.stands_still)
    other.stop.time = std::min(other.stop.time.value_or(most), most);
  else if (!other.stop.time)
    other.stop.time = 2 * ran + 300 * kSecond;
  constexpr std::int64_t kTimesTheWork = 3, kLeast = 16;
  const bool has_its_time = how_long == For::ten_times_it && training_steps_in(outcome_.log) == 0;
  if (!base_.stands_still && !has_its_time) other.stop.began = kTimesTheWork * training_steps_in(outcome_.log) + kLeast;
  other.keep_kernels = other.audits = false;
}

// One run alone would not make up for what it takes to know more.
KnownJob* Beside::known() {
  if (++runs_ != 2) return known_.get();
  known_ = std::make_unique<KnownJob>();
  try {
    (void)run_here(beginning_of(job_), known_.get());
  } catch (const Refused&) {  // an instant of it has no end: what it has found out before is true
  }
  return known_.get();
}

StatusOr<WorkDone> Beside::run(const Proof& tried, Job other) {
  TARRY_ASSIGN(const Ran ran, run_and_keep(tried, std::move(other)));
  return ran.work;
}

Job Beside::prepared(const Trial& trial) const {
  Job other = trial.job;
  limit(other, trial.how_long);
  if (trial.how_long == For::its_own_time)
    other.stop = {.aggregates = other.stop.aggregates, .time = trial.job.stop.time};
  return other;
}

StatusOr<Beside::Ran> Beside::judged(const Trial& trial, StatusOr<Outcome> outcome) const {
  if (!outcome.ok() && is_endless(outcome.status())) return Ran{{.done = base_.done + 1}, {}};
  TARRY_RETURN_IF_ERROR(outcome.status());
  if (job_.interrupted && job_.interrupted()) return error(Code::kCancelled, "interrupted");
  Job ran = prepared(trial);
  if (base_.stands_still && trial.how_long != For::its_own_time) ran.stop.time = job_.stop.time;  // both had that time
  // What it gains may be that a fault, whose moment did not come, was missing.
  if (trial.tried.cause != Proof::Cause::faults && faults_in_vain(outcome->log) > faults_in_vain(outcome_.log))
    return Ran{base_, *std::move(outcome)};
  WorkDone work = work_done(ran, *outcome);
  // Workers that had done their steps left the others waiting: until then it worked, and did nearly as much.
  if (!base_.stands_still && work.left_waiting && work.did_nearly_as_much_as(base_)) work.time = work.progressed;
  return Ran{work, *std::move(outcome)};
}

StatusOr<Beside::Ran> Beside::run_and_keep(const Proof& tried, Job other, For how_long) {
  const Trial trial{tried, std::move(other), how_long};
  Job job = prepared(trial);
  if (watch_) job.watch = [&](Nanos now, std::uint64_t) { watch_(tried, now); };
  return judged(trial, run_apart(job, known()));
}

Status Beside::run_each(const std::vector<Trial>& trials, const std::function<Status(std::size_t, Ran)>& visit) {
  const int at_once = good_at_once();
  KnownJob* known_to_all = nullptr;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    known_to_all = known();
    Job& job = jobs.emplace_back(prepared(trials[i]));
    if (watch_ && i % static_cast<std::size_t>(at_once) == 0)  // of those that run at once about one is shown
      job.watch = [this, &tried = trials[i].tried](Nanos now, std::uint64_t) { watch_(tried, now); };
  }
  Status first;
  run_each_apart(jobs, at_once, known_to_all, [&](std::size_t i, StatusOr<Outcome> outcome) {
    if (!outcome.ok() && at_once > 1 && outcome.status().code() == Code::kResourceExhausted)
      outcome = run_apart(jobs[i], known_to_all);  // beside fewer others
    StatusOr<Ran> ran = judged(trials[i], std::move(outcome));
    first = ran.ok() ? visit(i, *std::move(ran)) : ran.status();
    return first.ok();
  });
  return first;
}

Compared comparable(Proof::Cause cause, const WorkDone& base, const WorkDone& with) {
  using enum Proof::Cause;
  const bool may_lose = cause == faults || cause == checkpoints || cause == chiefs;
  if (may_lose && base.done > 0) return {base, with};
  return {base.as_if_nothing_was_lost(), with.as_if_nothing_was_lost()};
}

bool changes_what_is_done(Proof::Cause cause) {
  using enum Proof::Cause;
  return cause == faults || cause == late_start || cause == checkpoints || cause == polls || cause == replicas ||
         cause == tokens || cause == chiefs || cause == data || cause == stops || cause == epochs || cause == planned ||
         cause == absent;
}

void set_gain(Proof& proof, const WorkDone& own, const WorkDone& other) {
  const auto [base, with] = comparable(proof.cause, own, other);
  using enum Proof::Cause;
  const bool may_hold_up_the_first = proof.cause == absent || proof.cause == input || proof.cause == faults;
  constexpr std::int64_t kSeveral = 3;  // a run that ends just before its first aggregate lacks time, and no more
  const bool is_so_slow = proof.cause == slow_worker && with.done >= kSeveral;
  const bool begins = (may_hold_up_the_first || is_so_slow) && base.done == 0 && base.lost == 0;
  proof.goes_on = (base.stands_still || begins) && !with.stands_still && with.done > 0 &&
                  (with.done >= base.done || with.reached_its_end);
  const bool has_nothing_to_compare = base.done == 0 || with.done == 0 || base.time <= 0;
  const PartLeft left = has_nothing_to_compare ? PartLeft{1}
                        : with.time <= 0       ? PartLeft{0}
                                               : share_of_time(proof.cause, base, with);
  proof.gain = 1 - left.of;
  proof.does_more = left.is_of_work && proof.gain > 0;
}

namespace {

StatusOr<std::vector<WhatIf>> likely_causes(const Job& job, const Outcome& outcome, Beside& beside) {
  std::vector<WhatIf> all = what_ifs(job, outcome);
  TARRY_ASSIGN(const std::set<TaskId> by_chance, slow_by_chance(all, job, beside));
  return by_chance.empty() ? std::move(all) : what_ifs(job, outcome, Scope::likely, by_chance);
}

// What was tried.
struct Tried {
  std::vector<Proof> proofs;     // of what gains something
  std::vector<IdleCause> idle;   // causes that gain little
  std::vector<WhatIf> known;     // those that are worth telling
  std::vector<WhatIf> groups;    // the same of several together
  std::vector<WhatIf> places;    // of these, cards and paths, and several of them together
  std::vector<WhatIf> networks;  // bandwidth and latency, where these are worth telling

  void keep(const WhatIf& cause) {
    if (may_explain(cause.proof)) known.push_back(cause);
    if (cause.proof.together) groups.push_back(cause);
    if (is_of_one_place(cause.proof)) places.push_back(cause);
    if (is_of_all_places(cause.proof)) networks.push_back(cause);
  }
};

// The first `causes` are causes, the others designs.
StatusOr<Tried> try_each(std::vector<WhatIf> all, std::size_t causes, const EventLog& log, Beside& beside,
                         Settled& settled, Ceiling ceiling) {
  std::vector<Beside::Trial> trials;
  for (const WhatIf& w : all) trials.push_back({w.proof, w.job});
  Tried out;
  TARRY_RETURN_IF_ERROR(beside.run_each(trials, [&](std::size_t i, const Beside::Ran& with) -> Status {
    set_gain(all[i].proof, beside.base(), with.work);
    const bool is_luck = ceiling.lessen(all[i].proof);
    TARRY_RETURN_IF_ERROR(settled.lessen(all[i].proof, all[i].job, with.outcome));
    if (is_noticed(all[i].proof)) out.proofs.push_back(all[i].proof);
    if (i < causes && is_worth_telling(all[i].proof)) out.keep(all[i]);
    if (i >= causes || is_worth_telling(all[i].proof) || is_luck) return {};
    out.idle.push_back({std::move(all[i]), with.outcome && does_the_same(log, with.outcome->log)});
    return {};
  }));
  return out;
}

bool is_about_paths(const WhatIf& w) {
  using enum Proof::Cause;
  const Proof::Cause c = w.proof.cause;
  return c == slow_card || c == far_host || c == trunks || c == card_variations || c == imbalance;
}

// A load may hide behind the bandwidth of all, and that behind it. What has less of it than others is a part of that.
std::vector<WhatIf> with_bandwidth(const Tried& tried) {
  std::vector<WhatIf> known = tried.known;
  if (std::ranges::any_of(known, is_about_paths)) return known;
  const auto add = [&](const WhatIf& w) {
    if (w.proof.cause == Proof::Cause::network && w.proof.b.empty()) known.push_back(w);
  };
  std::ranges::for_each(tried.networks, add);
  for (const IdleCause& i : tried.idle) add(i.cause);
  return known;
}

}  // namespace

StatusOr<std::vector<Proof>> prove(const Job& job, const Outcome& outcome, const ProofWatch& watch,
                                   std::vector<WhatIf> designs) {
  Beside beside(job, outcome, watch);
  if (!beside.base().left_waiting) std::erase_if(designs, [](const WhatIf& w) { return w.proof.b == kForStandstills; });
  TARRY_ASSIGN(std::vector<WhatIf> all, likely_causes(job, outcome, beside));
  const std::size_t causes = all.size();
  const auto faults = std::ranges::count_if(all, is_about_one_fault, &WhatIf::proof);
  std::ranges::move(designs, std::back_inserter(all));
  Settled settled(job, outcome, beside);
  TARRY_ASSIGN(Tried tried,
               try_each(std::move(all), causes, outcome.log, beside, settled, Ceiling(job, outcome, beside.base())));
  TARRY_RETURN_IF_ERROR(leave_out_same_time(tried.proofs, job, beside, tried.places, tried.networks));
  tell_by_group(tried.known, tried.idle, tried.groups);
  TARRY_ASSIGN(const std::vector<Proof> partly, partly_hidden(job, beside, settled, with_bandwidth(tried), tried.idle));
  for (Proof& p : tried.proofs)
    for (const Proof& known : partly)
      if (p.cause == known.cause && p.together == known.together && p.what == known.what) p = known;
  leave_out_slow_workers(tried.proofs, partly);
  TARRY_ASSIGN(const std::vector<Proof> hidden,
               hidden_causes(job, beside, settled, std::move(tried.idle), tried.known));
  add_hidden(tried.proofs, hidden, static_cast<std::size_t>(faults));
  std::ranges::stable_sort(tried.proofs, comes_first);
  return std::move(tried.proofs);
}

}  // namespace tarry
