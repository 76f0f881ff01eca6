#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_starved(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training != Training::synchronous) return out;
  const AccumulatorStory& a = e.first_accumulator();
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    if (a.pushed[w] > 2 && a.dropped[w] == a.pushed[w])
      out.push_back(
          fmt::format("All {} gradients that {} pushed to {} were dropped: each came with a token older than the "
                      "aggregate. It is too slow for {} gradients an aggregate; TensorFlow reports nothing. To do: "
                      "aggregate more gradients, or take the worker out.",
                      a.pushed[w], e.worker(w), a.variable, a.required));
  return out;
}

}  // namespace tarry
