// Causes, proved: the job is run again with each of them taken away (scenarios/job/what_if.hpp).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "results/proof.hpp"
#include "results/work_done.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Called every so many events, with what is being tried and simulated time; empty = nobody looks.
using ProofWatch = std::function<void(const Proof& tried, Nanos now)>;

// Runs other jobs beside one that has run, in processes of their own: long enough to see which is better, and not for
// ever, since a job that nothing limits any more may do a thousand times the work. From the second run on, they find
// ready what the job's graphs become (known_job.hpp).
class Beside {
 public:
  // REQUIRES: all arguments outlive it.
  Beside(const Job& job, const Outcome& outcome, const ProofWatch& watch);
  [[nodiscard]] const WorkDone& base() const { return base_; }
  // What `other` did; where an instant of it has no end, more than the base, in no time. `tried` is for the watch.
  // Fails: INTERNAL when a process dies; CANCELLED where the job is interrupted (Job::interrupted).
  [[nodiscard]] StatusOr<WorkDone> run(const Proof& tried, Job other);

  struct Ran {
    WorkDone work;
    std::optional<Outcome> outcome;  // nullopt where an instant has no end
  };
  enum class For : std::uint8_t {
    the_same_time,  // as the one that has run: enough to see what gains
    ten_times_it,   // where it does the same work in that: enough to see what it costs
    its_own_time,   // as the other job says
  };
  // The same, with its outcome.
  [[nodiscard]] StatusOr<Ran> run_and_keep(const Proof& tried, Job other, For how_long = For::the_same_time);

  struct Trial {
    Proof tried;
    Job job;
    For how_long = For::the_same_time;
  };
  // The same of each, as many at once as is good (sim/runner.hpp); what the machine had too little for is run once
  // more. `visit` gets them in their order, and may run others; the first error, of a run or of `visit`, is the result,
  // and then no more are run.
  [[nodiscard]] Status run_each(const std::vector<Trial>& trials, const std::function<Status(std::size_t, Ran)>& visit);

 private:
  void limit(Job& other, For how_long) const;
  [[nodiscard]] Job prepared(const Trial& trial) const;
  [[nodiscard]] StatusOr<Ran> judged(const Trial& trial, StatusOr<Outcome> outcome) const;
  [[nodiscard]] KnownJob* known();

  const Job& job_;
  const Outcome& outcome_;
  const ProofWatch& watch_;
  const WorkDone base_;
  int runs_ = 0;
  std::unique_ptr<KnownJob> known_;  // null before the second run
};

// What is compared of two runs. What the global step took back when it went back was work all the same where the cause
// has no part in that (a network has none; faults, checkpoints and several chiefs have), or where nothing else is left.
struct Compared {
  WorkDone base, with;
};
[[nodiscard]] Compared comparable(Proof::Cause cause, const WorkDone& base, const WorkDone& with);
// Without it a job may do more, or less, before it stands still. Of all others only how long things take is another: if
// more is done then, that is a race.
[[nodiscard]] bool changes_what_is_done(Proof::Cause cause);
// Sets gain and goes_on of a proof.
void set_gain(Proof& proof, const WorkDone& base, const WorkDone& with);

// Runs each job of `what_ifs`. Gives those that gain a hundredth or more, or go on where the run stands still, in the
// order of comes_first. Of the others, those that hide each other are given with what they gain together (hidden.hpp);
// loads gain nothing by a race (settled.hpp). `designs` are run as well. Fails: INTERNAL when a process dies; CANCELLED
// where the job is interrupted.
[[nodiscard]] StatusOr<std::vector<Proof>> prove(const Job& job, const Outcome& outcome, const ProofWatch& watch = {},
                                                 std::vector<WhatIf> designs = {});

}  // namespace tarry
