#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_slow_card(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::slow_card))
    out.push_back(fmt::format("It costs time that {}.{} To do: replace it, or look at the port that it is at.", p.what,
                              in_words(p)));
  return out;
}

}  // namespace tarry
