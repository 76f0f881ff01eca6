// Faults that the hunt has to find, and how long it takes to find each: the check that the properties notice what they
// are there for.
#pragma once

#include "properties/placement/hunt.hpp"

namespace tarry {

// A mistake planted in the rules of 2.15, or one that an old release is known to make (docs/rules/placer.md#E.6).
struct KnownFault {
  std::string name;  // "tie_broken_backwards", "groups_together_in_1.12"
  std::string release = "2.15";
  PlantedBug bug = PlantedBug::none;
  std::string property = {};  // that it breaks; "" = any
  std::size_t nodes = 4;      // of the smallest graph that shows it, at most
};
[[nodiscard]] const std::vector<KnownFault>& planted_bugs();
[[nodiscard]] const std::vector<KnownFault>& quirks();  // of old releases

// Until something is found. `most`: cases; `shrinks`: tries to make it smaller. REQUIRES: `world` is of the fault's
// release.
[[nodiscard]] HuntReport hunt_fault(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seed,
                                    std::uint64_t most, std::uint64_t shrinks = 20'000);

// How many cases 95 % of the seeds 1 to `seeds` need at most; most + 1 when too many of them find nothing.
[[nodiscard]] std::uint64_t cases_needed(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seeds,
                                         std::uint64_t most);

// The table planted.txt: a fault and its number of cases a line.
using PlantedTable = std::map<std::string, std::uint64_t>;
[[nodiscard]] PlantedTable read_planted(const std::string& file);
[[nodiscard]] std::string to_text(const PlantedTable& table);

}  // namespace tarry
