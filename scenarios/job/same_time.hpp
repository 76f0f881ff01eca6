// The whole network, beside a card or a path that is told: where the run without that one gains hardly more with the
// whole network free as well, both are the same time, and the network is not told again.
#pragma once

#include <span>
#include <vector>

#include "scenarios/job/prove.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Of a card or a path that is worse than the others', or of several of them, or of the paths within hosts.
[[nodiscard]] bool is_of_one_place(const Proof& proof);
// Of the bandwidth, or the latency, of all cards and paths.
[[nodiscard]] bool is_of_all_places(const Proof& proof);

// Takes out of `proofs` those of bandwidth and of latency that gain less than a verdict tells (kWorthTelling) beside
// all of `places`, which are told; `networks` are theirs. Two runs for each, at most. Fails: as Beside::run.
[[nodiscard]] Status leave_out_same_time(std::vector<Proof>& proofs, const Job& job, Beside& beside,
                                         std::span<const WhatIf> places, std::span<const WhatIf> networks);

}  // namespace tarry
