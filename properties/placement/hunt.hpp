// Random cases thrown at a placer until a property fails; the counterexample, shrunk.
//
// Shrinking keeps the property that failed; the result is 1-minimal (shrink.hpp). Where it has more than four nodes,
// cases that follow are tried: what comes home is the smallest of a few.
#pragma once

#include "properties/placement/generate.hpp"
#include "properties/placement/judge.hpp"
#include "properties/placement/shrink.hpp"

namespace tarry {

struct HuntOptions {
  std::vector<const PlacementProperty*> properties;
  std::uint64_t seed = 1, cases = 10'000;
  GenerateOptions generate;
  std::uint64_t most_shrinks = 20'000;  // tries
};

using Counterexample = CounterexampleOf<PlacementProperty, PlacementCase>;

struct HuntReport : ReportOf<PlacementProperty, PlacementCase> {
  std::uint64_t placed = 0;  // cases that got devices; the others an error
};

[[nodiscard]] PlacementCase numbered_case(const Alphabet& alphabet, const HuntOptions& options, std::uint64_t number);

// Stops at the first violation, counts no case that was tried for a smaller one.
[[nodiscard]] HuntReport hunt(const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options,
                              const Progress& progress = {});

// The buckets of `cases` cases, without placing them.
[[nodiscard]] HuntReport audit(const PlacementWorld& world, const HuntOptions& options);

}  // namespace tarry
