#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_device_queue(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::threads))
    out.push_back(
        fmt::format("It costs time that {}.{} To do: give the task more inter-op threads, or its work to more tasks.",
                    p.what, in_words(p)));
  return out;
}

}  // namespace tarry
