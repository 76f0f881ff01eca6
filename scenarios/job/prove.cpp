#include "scenarios/job/prove.hpp"

#include <algorithm>

#include "scenarios/job/kept.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {
namespace {

constexpr double kNoticed = 0.01;  // a smaller gain is rounding

std::int64_t training_steps_in(const EventLog& log) {
  return std::ranges::count_if(log.events(), [](const LoggedEvent& e) {
    const auto* began = std::get_if<StepBegan>(&e.event);
    return began != nullptr && began->purpose == Purpose::train;
  });
}

// Long enough to see whether it is better, and not for ever: where nothing limits it any more, a job may do a thousand
// times the work.
void limit(Job& job, const WorkDone& base, const Outcome& outcome) {
  const Nanos ran = outcome.log.ended_at - outcome.log.started_at;
  if (!base.stands_still)
    job.stop.time = std::min(job.stop.time.value_or(ran), ran);
  else if (!job.stop.time)
    job.stop.time = 2 * ran + 300 * kSecond;
  constexpr std::int64_t kTimesTheWork = 3, kLeast = 16;
  if (!base.stands_still) job.stop.began = kTimesTheWork * training_steps_in(outcome.log) + kLeast;
  job.keep_kernels = false;
}

}  // namespace

StatusOr<std::vector<Proof>> prove(const Job& job, const Outcome& outcome, const ProofWatch& watch) {
  std::vector<Proof> proofs;
  const WorkDone base = work_done(job, outcome);
  for (WhatIf& what_if : what_ifs(job, outcome)) {
    limit(what_if.job, base, outcome);
    if (watch) what_if.job.watch = [&](Nanos now, std::uint64_t) { watch(what_if.proof, now); };
    TARRY_ASSIGN(const Outcome other, run_apart(what_if.job));
    if (base.stands_still) what_if.job.stop.time = job.stop.time;  // both had the same time
    const WorkDone with = work_done(what_if.job, other);
    Proof proof = std::move(what_if.proof);
    proof.goes_on = base.stands_still && !with.stands_still && with.done > base.done;
    proof.gain = with.pace() <= 0 ? 0 : 1 - base.pace() / with.pace();
    if (proof.goes_on || proof.gain >= kNoticed) proofs.push_back(std::move(proof));
  }
  return proofs;
}

}  // namespace tarry
