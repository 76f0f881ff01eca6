// Planted mistakes, and how long the hunt takes to find each: the check that the properties notice what they are there for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "properties/placement/hunt.hpp"

namespace tarry {

struct Planted {
  std::string name;  // "tie_broken_backwards"
  PlantedBug bug = PlantedBug::none;
};
[[nodiscard]] const std::vector<Planted>& planted_bugs();

// All properties, with the rules of 2.15 and one mistake, until something is found. `most`: cases; `shrinks`: tries to make it smaller.
[[nodiscard]] HuntReport hunt_planted(const PlacementWorld& world_of_2_15, PlantedBug bug, std::uint64_t seed, std::uint64_t most, std::uint64_t shrinks = 20'000);

// How many cases 95 % of the seeds 1 to `seeds` need at most; most + 1 when too many of them find nothing.
[[nodiscard]] std::uint64_t cases_needed(const PlacementWorld& world_of_2_15, PlantedBug bug, std::uint64_t seeds, std::uint64_t most);

// The table planted.txt: a bug and its number of cases a line.
using PlantedTable = std::map<std::string, std::uint64_t>;
[[nodiscard]] PlantedTable read_planted(const std::string& file);
void write_planted(const std::string& file, const PlantedTable& table);

}  // namespace tarry
