// Faults that the hunt must find, and how many cases it needs for each: a check that the properties detect what they
// should.
#pragma once

#include "properties/placement/hunt.hpp"

namespace tarry {

// A mistake planted in the rules of 2.15, or one that an old release is known to make (docs/rules/placer.md#E.6).
struct KnownFault {
  std::string name;  // "tie_broken_backwards", "groups_together_in_1.12"
  std::string release = "2.15";
  PlantedBug bug = PlantedBug::none;
  std::string property = {};  // the property that it breaks; "" = any
  std::size_t nodes = 4;      // at most so many in the smallest graph that shows it
};
[[nodiscard]] const std::vector<KnownFault>& planted_bugs();
[[nodiscard]] const std::vector<KnownFault>& quirks();  // known mistakes of old releases

// Hunts until something is found, in at most `most` cases and with at most `shrinks` shrinking tries. REQUIRES: `world`
// is that of the fault's release.
[[nodiscard]] HuntReport hunt_fault(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seed,
                                    std::uint64_t most, std::uint64_t shrinks = 20'000);

// The number of cases within which 95 % of the seeds 1 to `seeds` find the fault; most + 1 when fewer do.
[[nodiscard]] std::uint64_t cases_needed(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seeds,
                                         std::uint64_t most);

// The table planted.txt: each line has a fault and its number of cases.
using PlantedTable = std::map<std::string, std::uint64_t>;
[[nodiscard]] PlantedTable read_planted(const std::string& file);
[[nodiscard]] std::string to_text(const PlantedTable& table);

}  // namespace tarry
