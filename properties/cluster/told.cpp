#include "properties/cluster/told.hpp"

#include <algorithm>

#include "scenarios/job/kept.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {

StatusOr<ToldRun> tell(const ClusterFinding& f, Job job, const Must& must) {
  job.audits = true;
  TARRY_ASSIGN(Outcome outcome, run_apart(job));
  TARRY_ASSIGN(std::vector<Proof> proofs, prove(job, outcome));
  std::vector<Verdict> verdicts =
      judge(outcome.log, read_contributions(outcome.log), outcome.tasks, proofs, outcome.breaches);
  std::vector<Breach> broken = law_breaches(outcome);
  TARRY_ASSIGN(std::vector<Breach> of_must, breaches(must, job, outcome, verdicts));
  broken.insert(broken.end(), of_must.begin(), of_must.end());
  const auto same = std::ranges::find(broken, fingerprint(f.broken), fingerprint);
  if (outcome.log.hash() != f.hash || same == broken.end())
    return error(Code::kInternal, "run again, '{}' does not do what the finding did", f.hazard);
  return ToldRun{{*same, std::move(verdicts), std::move(proofs)}, std::move(outcome), std::move(of_must)};
}

bool is_shown_by_one_run(const Breach& broken) {
  return broken.property != kEndless && broken.property != kDeterminism;
}

StatusOr<FindingTold> told_of(const ClusterFinding& f, const Job& job, const Must& must) {
  if (!is_shown_by_one_run(f.broken)) return told_without_proofs(f);
  Job faulty = job;
  faulty.faults = f.shrunk.smallest.faults;
  TARRY_ASSIGN(ToldRun run, tell(f, std::move(faulty), must));
  return std::move(run.told);
}

FindingTold told_without_proofs(const ClusterFinding& f) {
  return {f.broken, f.verdicts, {}, f.broken.property != kEndless};
}

}  // namespace tarry
