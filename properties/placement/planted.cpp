#include "properties/placement/planted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace tarry {
namespace {

HuntOptions options_of(std::uint64_t seed, std::uint64_t most, std::uint64_t shrinks) {
  HuntOptions options{.seed = seed, .cases = most, .most_shrinks = shrinks};
  for (const PlacementProperty& p : placement_properties()) options.properties.push_back(&p);
  return options;
}

}  // namespace

const std::vector<Planted>& planted_bugs() {
  using enum PlantedBug;
  static const std::vector<Planted> all = {
      {"own_name_not_joined", own_name_not_joined},
      {"reference_edge_ignored", reference_edge_ignored},
      {"request_of_resource_lost", request_of_resource_lost},
      {"tie_broken_backwards", tie_broken_backwards},
      {"ids_compared_as_numbers", ids_compared_as_numbers},
      {"default_device_ignored", default_device_ignored},
      {"soft_gives_up_job", soft_gives_up_job},
      {"hard_is_soft", hard_is_soft},
      {"kernel_priority_ignored", kernel_priority_ignored},
      {"preassigned_moves", preassigned_moves},
      {"group_does_not_follow", group_does_not_follow},
      {"generator_beside_first", generator_beside_first},
  };
  return all;
}

HuntReport hunt_planted(const PlacementWorld& world, PlantedBug bug, std::uint64_t seed, std::uint64_t most, std::uint64_t shrinks) {
  Rules rules = world.tables.rules;
  rules.planted = bug;
  return hunt(world, [&](const PlacementCase& c) { return place_case(c, world, rules); }, options_of(seed, most, shrinks));
}

std::uint64_t cases_needed(const PlacementWorld& world, PlantedBug bug, std::uint64_t seeds, std::uint64_t most) {
  std::vector<std::uint64_t> needed;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const HuntReport r = hunt_planted(world, bug, seed, most, 0);
    needed.push_back(r.quarry ? r.cases : most + 1);
  }
  std::ranges::sort(needed);
  return needed[(needed.size() * 95 + 99) / 100 - 1];
}

PlantedTable read_planted(const std::string& file) {
  PlantedTable table;
  std::ifstream in(file);
  std::uint64_t cases = 0;
  for (std::string bug; in >> bug >> cases;) table[bug] = cases;
  return table;
}

void write_planted(const std::string& file, const PlantedTable& table) {
  std::ofstream out(file);
  for (const auto& [bug, cases] : table) out << fmt::format("{} {}\n", bug, cases);
}

}  // namespace tarry
