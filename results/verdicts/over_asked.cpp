#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_over_asked(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck", "no_aggregate"})) return {};
  Told out;
  const std::int64_t workers = std::ssize(e.contributions.workers), required = e.first_accumulator().required;
  if (required <= workers) return {};
  const std::int64_t one_of_each = std::max(workers, e.contributions.planned_workers);  // of those that it is built for
  for (const Proof& p : proved(e, Proof::Cause::replicas))
    out.push_back(
        fmt::format("An aggregate needs {} gradients, and {}: it takes several steps of some of them.{} That is for as "
                    "many aggregates, each of {} in place of {}. To do: aggregate no more gradients than there are "
                    "workers.",
                    required, counted(workers, "worker trains", "workers train"), in_words(p),
                    counted(one_of_each, "gradient", "gradients"), required));
  return out;
}

}  // namespace tarry
