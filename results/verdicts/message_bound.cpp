#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_message_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::messages))
    out.push_back(fmt::format(
        "It costs time that sending and receiving tensors keeps CPUs busy.{} To do: have fewer and "
        "larger tensors{}.",
        in_words(p), e.tasks.have_servers() ? ", or spread the variables over more parameter servers" : ""));
  return out;
}

}  // namespace tarry
