#include <fmt/format.h>

#include <utility>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

bool aggregates_of_all(const Evidence& e) {
  return e.training == Training::synchronous &&
         std::cmp_greater_equal(e.first_accumulator().required, e.contributions.workers.size());
}

}  // namespace

// Whoever sets the pace of the others, or brings less than they do.
Told judge_straggler(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::slow_worker))
    out.push_back(fmt::format(
        "{} {}: {}.{} To do: look at what else its host does, or give it a smaller batch{}.", e.tasks.show(p.task),
        aggregates_of_all(e) || e.training == Training::replicated ? "is what the others wait for"
                                                                   : "is slower than the others",
        p.what, in_words(p),
        aggregates_of_all(e) ? ", or have a backup worker (aggregate one gradient fewer than there are workers)" : ""));
  return out;
}

}  // namespace tarry
