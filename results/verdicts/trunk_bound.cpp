#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_trunk_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::trunks))
    out.push_back(fmt::format("The trunks of the racks cost time: {}.{} To do: wider trunks{}, or fewer bytes a step.",
                              p.what, in_words(p),
                              e.tasks.have_servers() ? ", parameter servers nearer to their workers" : ""));
  return out;
}

}  // namespace tarry
