// What a saved finding says of itself to somebody who has never seen its job: a title, and a document.
#pragma once

#include <string>
#include <vector>

#include "properties/cluster/hunt.hpp"
#include "results/proof.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

// What a run of the smallest faults came to, told as `tarry run` tells it.
struct FindingTold {
  Breach broken;
  std::vector<Verdict> verdicts;
  std::vector<Proof> proofs;  // what the run gains without a cause
  bool has_outcome = true;    // else an instant of it has no end
};

struct FindingOrigin {
  std::string scenario;     // as the user named it, or how it was drawn
  bool had_faults = false;  // of its own, which the hunt left out
  std::string must;         // what the job must keep to; "" = the laws of the runtime only
  std::string command;      // that found it
};

// "Training stands still: kill worker/2 at 0s".
[[nodiscard]] std::string finding_title(const ClusterFinding& finding, const ClusterSpec& cluster);

// What happens without a fault, one of those that are needed, and what the cures gain that no verdict tells: "Leave
// out the fault, and this does not happen (1 run was checked). Run again without ..."; "" where nobody knows.
[[nodiscard]] std::string without_a_fault(const ClusterFinding& finding, const FindingTold& told);

// The text of README.md: what goes wrong and by which faults, what each of them is, what is broken and why, what
// happens without the faults, how to run it again, and where it comes from.
[[nodiscard]] std::string finding_document(const ClusterFinding& finding, const ClusterSpec& cluster,
                                           const FindingOrigin& origin, const FindingTold& told);

}  // namespace tarry
