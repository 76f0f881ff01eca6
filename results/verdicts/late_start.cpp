#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_late_start(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::late_start))
    out.push_back(fmt::format("{}.{} To do: start the workers together.", p.what, in_words(p)));
  return out;
}

}  // namespace tarry
