// Random cases thrown at a placer until a property fails; the counterexample, shrunk.
//
// A case is named by (seed, number): its stream is a fork of the seed, so any one case can be made again alone. Shrinking keeps the property
// that failed; the result is 1-minimal (shrink.hpp).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

struct Quarry {  // what a hunt brings home
  const PlacementProperty* property = nullptr;
  std::uint64_t number = 0;  // of the case
  PlacementCase found;
  Shrunk shrunk;
  std::string wrong;  // of the smallest case
};

struct HuntReport {
  std::uint64_t cases = 0, judgements = 0;
  std::uint64_t placed = 0;                      // cases that got devices; the others an error
  std::map<std::string, std::uint64_t> buckets;  // only when audited
  std::optional<Quarry> quarry;                  // the first
};

[[nodiscard]] PlacementCase numbered_case(const Alphabet& alphabet, const HuntOptions& options, std::uint64_t number);

// Stops at the first violation. `progress` is called every so often with the number of cases done.
[[nodiscard]] HuntReport hunt(const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options, const std::function<void(std::uint64_t)>& progress = {});

// The buckets of `cases` cases, without placing them.
[[nodiscard]] HuntReport audit(const PlacementWorld& world, const HuntOptions& options);

}  // namespace tarry
