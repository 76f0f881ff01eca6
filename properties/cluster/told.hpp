// What a finding comes to, with proofs: what a hunt prints, and what a saved finding's document says.
#pragma once

#include "properties/cluster/finding_document.hpp"

namespace tarry {

struct ToldRun {
  FindingTold told;
  Outcome outcome;
  std::vector<Breach> of_must;  // all that the run broke of it
};

// Runs `job`, which has the smallest faults of the finding, and again without each of its causes. Fails: INTERNAL when
// the run is not the finding's, or does not break the same; as run_apart and prove.
[[nodiscard]] StatusOr<ToldRun> tell(const ClusterFinding& finding, Job job, const Must& must);

// Whether one run of the job shows what is broken: neither an instant without an end nor two runs that differ is shown
// so, and neither has proofs.
[[nodiscard]] bool is_shown_by_one_run(const Breach& broken);
// The same as tell() for a finding of a hunt in this job without faults, where one run shows it; else
// told_without_proofs.
[[nodiscard]] StatusOr<FindingTold> told_of(const ClusterFinding& finding, const Job& job, const Must& must);
// What is known of a finding without another run.
[[nodiscard]] FindingTold told_without_proofs(const ClusterFinding& finding);

}  // namespace tarry
