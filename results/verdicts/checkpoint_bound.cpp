#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

namespace {

// That some servers save more slowly than the others.
bool is_of_slow_savers(const Proof& p) { return !p.a.empty(); }

// One is told: of slow servers, where nearly all of the time is theirs, or else of all.
bool is_told_by_another(const std::vector<Proof>& all, const Proof& p) {
  constexpr double kNearlyIt = 0.9;
  return std::ranges::any_of(all, [&](const Proof& o) {
    if (is_of_slow_savers(o) == is_of_slow_savers(p)) return false;
    return is_of_slow_savers(p) ? p.gain < kNearlyIt * o.gain : o.gain >= kNearlyIt * p.gain;
  });
}

}  // namespace

Told judge_checkpoint_bound(const Evidence& e, std::span<const Verdict>) {
  std::vector<Proof> all = proved(e, Proof::Cause::checkpoints);
  std::erase_if(all, &Proof::does_more);  // it has failed by one, and saved none without
  Told out;
  for (const Proof& p : all) {
    if (is_told_by_another(all, p)) continue;
    const std::string to_do = is_of_slow_savers(p) ? fmt::format("give {} a faster disk, or save less often", p.a)
                                                   : "save less often, or to a faster disk";
    out.push_back(fmt::format("It costs time that the chief saves checkpoints between its steps{}.{} To do: {}.",
                              is_of_slow_savers(p) ? ": " + p.what : "", in_words(p), to_do));
  }
  return out;
}

}  // namespace tarry
