#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_late_start(const Evidence& e, std::span<const Verdict>) {
  Told out;
  double told = 0;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::late_start)) {
    told = std::max(told, p.gain);
    out.push_back(fmt::format("{}.{} To do: start the workers together.", p.what, in_words(p)));
  }
  for (const Proof& p : proved(e, Proof::Cause::polls))  // a chief that was late may be why no model was ready
    if (p.gain > told)
      out.push_back(
          fmt::format("{}.{} To do: start the workers after the chief has made the model, or let them look again "
                      "sooner (recovery_wait_secs).",
                      p.what, in_words(p)));
  return out;
}

}  // namespace tarry
