#include "scenarios/job/acquit.hpp"

#include <algorithm>

#include "results/work_done.hpp"

namespace tarry {
namespace {

bool is_slowing(const Fault& f) { return slows_down_only(key_of(f)); }

// From the last progress on to the end.
Nanos last_pause(const Outcome& o) {
  const Contributions contributions = read_contributions(o.log);
  const std::vector<Nanos> progress = progress_of(read_evidence(o.log, contributions, o.tasks));
  return o.log.ended_at - o.log.started_at - (progress.empty() ? 0 : progress.back());
}

// All else that was wrong is over.
bool waits_for_slow_ones_alone(const Outcome& o) {
  const Contributions contributions = read_contributions(o.log);
  const Evidence e = read_evidence(o.log, contributions, o.tasks);
  if (!e.is_stuck()) return false;
  const std::vector<Trouble>& causes = e.standstills.back().waits.troubles;
  return std::ranges::any_of(causes, [](const Trouble& t) { return only_slows_down(t); }) &&
         std::ranges::all_of(causes, [](const Trouble& t) { return only_slows_down(t) || t.to >= 0; });
}

}  // namespace

void acquit_slow_faults(const Job& job, Outcome& outcome, KnownJob* known) {
  const bool may_be = outcome.log.goes_on_at >= 0 && std::ranges::any_of(job.faults, is_slowing);
  if (!may_be || !waits_for_slow_ones_alone(outcome)) return;
  Job other = job;
  std::erase_if(other.faults, is_slowing);
  other.looks_ahead = other.keep_kernels = other.keep_causes = other.audits = false;
  const auto without = run_apart(other, known);
  if (!without.ok() || (job.interrupted && job.interrupted())) return;
  outcome.log.slows_in_vain = 2 * last_pause(*without) >= last_pause(outcome);
}

}  // namespace tarry
