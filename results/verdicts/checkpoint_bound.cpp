#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_checkpoint_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::checkpoints)) {
    if (p.does_more) continue;  // it has failed by one, and saved none without
    out.push_back(
        fmt::format("It costs time that the chief saves checkpoints between its steps.{} To do: save less "
                    "often, or to a faster disk.",
                    in_words(p)));
  }
  return out;
}

}  // namespace tarry
