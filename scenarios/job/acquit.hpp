// Faults that slow training down while it stands still for something else.
#pragma once

#include "scenarios/job/job.hpp"

namespace tarry {

// Of a run that stands still at its end, and would go on (EventLog::goes_on_at), with nothing wrong any more but what
// faults slow down, or of which a worker ends no step any more for nothing else: runs the job again without those
// faults, in a process of its own. Where that has stood still for half as long or more by then, or that worker, they
// are not what it waits for, and EventLog::slows_in_vain or slowed_in_vain says so; not where that run fails, and not
// of a run that is not looked at beyond its end (Job::looks_ahead).
void acquit_slow_faults(const Job& job, Outcome& outcome, KnownJob* known);

}  // namespace tarry
