#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_slow_card(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::slow_card))
    out.push_back(fmt::format("It costs time that {}.{} To do: {}.", p.what, in_words(p),
                              p.together ? "replace them, or look at the ports that they are at"
                                         : "replace it, or look at the port that it is at"));
  return out;
}

}  // namespace tarry
