#include "scenarios/job/prove.hpp"

#include <algorithm>

#include "results/evidence.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {
namespace {

constexpr double kNoticed = 0.01;  // a smaller gain is rounding

struct Progress {
  std::int64_t done = 0;
  Nanos time = 0;             // that it took; of a run that stands still at its end: all of it
  bool stands_still = false;  // at its end, or a client has failed
  [[nodiscard]] double pace() const { return time <= 0 ? 0 : static_cast<double>(done) / static_cast<double>(time); }
};

// A client left with an error, and was not back.
bool has_failed(const Evidence& e) {
  return std::ranges::any_of(e.troubles, [](const Trouble& t) { return t.kind == Trouble::Kind::failed && t.to < 0; });
}

bool has_everybody_left(const Evidence& e) {
  return std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& w) {
    return std::ranges::any_of(
        e.troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::left && t.task == w.task && t.to < 0; });
  });
}

Progress progress_of(const Job& job, const Outcome& o) {
  const Contributions c = read_contributions(o.log);
  const Evidence e = read_evidence(o.log, c, o.tasks);
  Progress p{.stands_still = (!e.standstills.empty() && e.standstills.back().to < 0) || has_failed(e)};
  const Nanos end = o.log.ended_at - o.log.started_at;
  Nanos last = 0;
  if (e.training == Training::synchronous) {
    p.done = std::ssize(e.first_accumulator().aggregates);
    if (p.done > 0) last = e.first_accumulator().aggregates.back().at;
  } else {
    for (const WorkerStory& w : c.workers) {
      p.done += w.steps;
      if (!w.step_ended.empty()) last = std::max(last, w.step_ended.back());
    }
  }
  p.time = p.stands_still || (job.stop.time && end >= *job.stop.time && !has_everybody_left(e)) ? end : last;
  return p;
}

std::int64_t training_steps_in(const EventLog& log) {
  return std::ranges::count_if(log.events(), [](const LoggedEvent& e) {
    const auto* began = std::get_if<StepBegan>(&e.event);
    return began != nullptr && began->purpose == Purpose::train;
  });
}

// Long enough to see whether it is better, and not for ever: where nothing limits it any more, a job may do a thousand
// times the work.
void limit(Job& job, const Progress& base, const Outcome& outcome) {
  const Nanos ran = outcome.log.ended_at - outcome.log.started_at;
  const Nanos enough = base.stands_still && !job.stop.time ? 2 * ran + 300 * kSecond : ran;
  job.stop.time = std::min(job.stop.time.value_or(enough), enough);
  constexpr std::int64_t kTimesTheWork = 3, kLeast = 16;
  if (!base.stands_still) job.stop.began = kTimesTheWork * training_steps_in(outcome.log) + kLeast;
  job.keep_kernels = false;
}

}  // namespace

StatusOr<std::vector<Proof>> prove(const Job& job, const Outcome& outcome, const ProofWatch& watch) {
  std::vector<Proof> proofs;
  const Progress base = progress_of(job, outcome);
  for (WhatIf& what_if : what_ifs(job, outcome)) {
    limit(what_if.job, base, outcome);
    if (watch) what_if.job.watch = [&](Nanos now, std::uint64_t) { watch(what_if.proof, now); };
    TARRY_ASSIGN(const Outcome other, run_apart(what_if.job));
    const Progress with = progress_of(what_if.job, other);
    Proof proof = std::move(what_if.proof);
    proof.goes_on = base.stands_still && !with.stands_still && with.done > base.done;
    proof.gain = with.pace() <= 0 ? 0 : 1 - base.pace() / with.pace();
    if (proof.goes_on || proof.gain >= kNoticed) proofs.push_back(std::move(proof));
  }
  return proofs;
}

}  // namespace tarry
