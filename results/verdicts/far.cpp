#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_far(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::far_host))
    out.push_back(
        fmt::format("It costs time that {}.{} To do: bring it nearer to the parameter servers.", p.what, in_words(p)));
  return out;
}

}  // namespace tarry
