#include "results/verdicts/proved.hpp"

#include <algorithm>

namespace tarry {

std::vector<Proof> proved(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> out;
  for (const Proof& p : e.proofs)
    if (p.cause == cause && (p.gain >= kWorthTelling || p.goes_on)) out.push_back(p);
  std::ranges::stable_sort(out, [](const Proof& a, const Proof& b) { return a.gain > b.gain; });
  return out;
}

std::string proof_of(const Evidence& e, std::span<const Trouble> troubles) {
  for (const Trouble& t : troubles)
    for (const Proof& p : e.proofs)
      if (p.cause == Proof::Cause::faults && p.task == t.task && p.a == t.a && p.b == t.b) return in_words(p);
  return "";
}

}  // namespace tarry
