// Causes that hide each other: without one of them alone the work takes as long, since all wait for the other as well.
#pragma once

#include <span>
#include <vector>

#include "scenarios/job/prove.hpp"
#include "scenarios/job/settled.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Slow workers are no cause beside the faults, the variations or the interference that make them slow.
void leave_out_effects(std::vector<WhatIf>& all);

// Two that take the same away in two ways: variables spread by bytes or bytes split evenly, no checkpoints or short
// ones.
[[nodiscard]] inline bool are_alternatives(const Proof& a, const Proof& b) {
  return a.cause == b.cause && (a.cause == Proof::Cause::imbalance || a.cause == Proof::Cause::checkpoints);
}
// Of alternatives the one that gains most stays.
void leave_out_alternatives(std::vector<WhatIf>& all);

// A cause that gains less than a verdict tells (kWorthTelling) when it alone is taken away.
struct IdleCause {
  WhatIf cause;                  // with its gain
  bool changes_nothing = false;  // as does_the_same says of the run without it
};

// As long as both ran, steps began and ended, gradients came and aggregates were taken at the same moments, by the same
// tasks.
[[nodiscard]] bool does_the_same(const EventLog& a, const EventLog& b);

// All of a kind (slow workers, late ones, far hosts, slow cards), of which none is known to gain alone, are told by the
// group that gains with all of them: its members are idle no more, and the group is a known cause. Slow workers are
// not, where interference or variations that are idle make one of them slow. `groups`: those that are worth telling.
void tell_by_group(std::vector<WhatIf>& known, std::vector<IdleCause>& idle, const std::vector<WhatIf>& groups);

// Of idle causes, those that are bad alone, with all others taken away, each with the gain of the run without all of
// them, besides the races around clients that wait (settled.hpp). None where that gains no more than they do one by
// one, by as much as a verdict tells, or where there are so many to try that it would take more than twelve runs,
// three more where clients waited, and one for each known cause; of many, those that change nothing are not tried.
// None where one of the `known` causes, which gain alone, explains them: without both the work takes hardly less time
// than without that one. Fails: as Beside::run.
[[nodiscard]] StatusOr<std::vector<Proof>> hidden_causes(const Job& job, Beside& beside, Settled& settled,
                                                         std::vector<IdleCause> idle,
                                                         std::span<const WhatIf> known = {});

// Of `known` causes, which gain alone, those that other causes, known or idle, hide a part of: without all of them the
// work takes less time, by as much as a verdict tells, than what each gains alone adds up to. Each as it is, with what
// hides a part of it, and with the gain without all (Proof::beside). None where there are so many to try that it would
// take more than twelve runs. Fails: as Beside::run.
[[nodiscard]] StatusOr<std::vector<Proof>> partly_hidden(const Job& job, Beside& beside, Settled& settled,
                                                         std::span<const WhatIf> known,
                                                         const std::vector<IdleCause>& idle);

// That some workers are slow is left out where interference or variations that are told, partly hidden by others, gain
// nearly as much beside these.
void leave_out_slow_workers(std::vector<Proof>& proofs, const std::vector<Proof>& partly);

// Adds hidden causes to what else is told. All causes of one kind together (`together`) that gain as much say the same,
// and stay alone; but of the job's `faults` (what stops a task, host or path counts once, and so does what slows it)
// the hidden ones stay, where they are fewer. That some workers are slow is left out where hidden interference or
// variations say what makes them so.
void add_hidden(std::vector<Proof>& proofs, const std::vector<Proof>& hidden, std::size_t faults);

}  // namespace tarry
