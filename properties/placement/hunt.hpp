// Gives random cases to a placer until a property fails, and shrinks the counterexample.
//
// Shrinking keeps the property that failed; the result is 1-minimal (shrink.hpp). If it has more than four nodes, later
// cases are tried, and the smallest of a few counterexamples is reported.
#pragma once

#include "properties/placement/generate.hpp"
#include "properties/placement/judge.hpp"
#include "properties/placement/shrink.hpp"

namespace tarry {

struct HuntOptions {
  std::vector<const PlacementProperty*> properties;
  std::uint64_t seed = 1, cases = 20'000;
  GenerateOptions generate;
  std::uint64_t most_shrinks = 20'000;  // tries
  bool keep_going = false;              // after the first violation
  ShrinkWatch watch = {};               // empty = nobody looks
};

using Counterexample = CounterexampleOf<PlacementProperty, PlacementCase>;

struct HuntReport : ReportOf<PlacementProperty, PlacementCase> {
  std::uint64_t placed = 0;  // cases that got devices; the others got an error
};

[[nodiscard]] PlacementCase numbered_case(const Alphabet& alphabet, const HuntOptions& options, std::uint64_t number);

// Stops at the first violation, unless it is to keep going: then it counts all of them, and shrinks the first. Cases
// that were tried only to find a smaller one are not counted.
[[nodiscard]] HuntReport hunt(const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options,
                              const Progress& progress = {});

// The buckets of `cases` cases, without placing them.
[[nodiscard]] HuntReport audit(const PlacementWorld& world, const HuntOptions& options);

}  // namespace tarry
