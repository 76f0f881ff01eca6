#include "scenarios/job/same_time.hpp"

#include <algorithm>

#include "scenarios/job/difference.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

class SameTime {
 public:
  SameTime(const Job& job, Beside& beside, std::span<const WhatIf> places)
      : job_(job), beside_(beside), without_places_(job) {
    for (const WhatIf& p : places) make_difference(without_places_, job, p.job);
    if (places.size() == 1) gain_ = places.front().proof.gain;
  }

  StatusOr<bool> is_of_places(const WhatIf& network) {
    if (!gain_) {
      TARRY_ASSIGN(gain_, gain_of(network.proof, without_places_));
    }
    Job without_both = without_places_;
    make_difference(without_both, job_, network.job);
    TARRY_ASSIGN(const double both, gain_of(network.proof, std::move(without_both)));
    return both < *gain_ + kWorthTelling;
  }

 private:
  StatusOr<double> gain_of(Proof tried, Job other) {
    TARRY_ASSIGN(const WorkDone with, beside_.run(tried, std::move(other)));
    set_gain(tried, beside_.base(), with);
    return tried.gain;
  }

  const Job& job_;
  Beside& beside_;
  Job without_places_;
  std::optional<double> gain_;  // without all of the places; nullopt = not run yet
};

}  // namespace

bool is_of_one_place(const Proof& p) {
  return p.cause == Cause::slow_card || p.cause == Cause::far_host || (p.cause == Cause::network && !p.b.empty());
}
bool is_of_all_places(const Proof& p) {
  return (p.cause == Cause::network && p.b.empty()) || p.cause == Cause::latency;
}

Status leave_out_same_time(std::vector<Proof>& proofs, const Job& job, Beside& beside, std::span<const WhatIf> places,
                           std::span<const WhatIf> networks) {
  if (places.empty() || beside.base().stands_still) return {};
  SameTime same(job, beside, places);
  for (const WhatIf& network : networks) {
    TARRY_ASSIGN(const bool is_told, same.is_of_places(network));
    if (is_told) std::erase_if(proofs, [&](const Proof& p) { return is_same_cause(p, network.proof); });
  }
  return {};
}

}  // namespace tarry
