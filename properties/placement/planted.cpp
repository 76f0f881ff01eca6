#include "properties/placement/planted.hpp"

#include <fstream>

namespace tarry {
namespace {

HuntOptions options_of(const KnownFault& fault, std::uint64_t seed, std::uint64_t most, std::uint64_t shrinks) {
  HuntOptions options{.seed = seed, .cases = most, .most_shrinks = shrinks};
  for (const PlacementProperty& p : placement_properties())
    if (fault.property.empty() || fault.property == p.name) options.properties.push_back(&p);
  return options;
}

KnownFault quirk(const std::string& release, const std::string& property, std::size_t nodes) {
  return {.name = fmt::format("{}_in_{}", property, release), .release = release, .property = property, .nodes = nodes};
}

}  // namespace

const std::vector<KnownFault>& planted_bugs() {
  using enum PlantedBug;
  static const std::vector<KnownFault> all = {
      {.name = "own_name_not_joined", .bug = own_name_not_joined},
      {.name = "reference_edge_ignored", .bug = reference_edge_ignored},
      {.name = "request_of_resource_lost", .bug = request_of_resource_lost},
      {.name = "tie_broken_backwards", .bug = tie_broken_backwards},
      {.name = "ids_compared_as_numbers", .bug = ids_compared_as_numbers},
      {.name = "default_device_ignored", .bug = default_device_ignored},
      {.name = "soft_gives_up_job", .bug = soft_gives_up_job},
      {.name = "hard_is_soft", .bug = hard_is_soft},
      {.name = "kernel_priority_ignored", .bug = kernel_priority_ignored},
      {.name = "preassigned_moves", .bug = preassigned_moves},
      {.name = "group_does_not_follow", .bug = group_does_not_follow},
      {.name = "generator_beside_first", .bug = generator_beside_first},
  };
  return all;
}

// A request is lost (docs/rules/placer.md#Q6), a group is split (docs/rules/placer.md#Q2), a heuristic leaves the
// candidates (docs/rules/placer.md#Q1), a pre-assigned member pulls nobody (docs/rules/placer.md#Q15), a request for
// another job gives way to a group that has one of its own (docs/rules/placer.md#C.2).
const std::vector<KnownFault>& quirks() {
  static const std::vector<KnownFault> all = {
      quirk("0.9", "request_respected", 3),   quirk("0.9", "task_respected", 3),
      quirk("0.9", "groups_together", 3),     quirk("0.9", "ref_edges_together", 2),
      quirk("0.9", "idempotent", 3),          quirk("0.12", "request_respected", 3),
      quirk("0.12", "task_respected", 2),     quirk("0.12", "groups_together", 3),
      quirk("0.12", "ref_edges_together", 2), quirk("0.12", "idempotent", 3),
      quirk("1.12", "request_respected", 3),  quirk("1.12", "task_respected", 2),
      quirk("1.12", "groups_together", 3),    quirk("1.12", "ref_edges_together", 2),
      quirk("1.12", "idempotent", 3),         quirk("1.15", "request_respected", 2),
      quirk("1.15", "task_respected", 2),
  };
  return all;
}

HuntReport hunt_fault(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seed, std::uint64_t most,
                      std::uint64_t shrinks) {
  Rules rules = world.tables.rules;
  rules.planted = fault.bug;
  return hunt(
      world, [&](const PlacementCase& c, Graph& g) { return place_imported(c, g, world, rules); },
      options_of(fault, seed, most, shrinks));
}

std::uint64_t cases_needed(const PlacementWorld& world, const KnownFault& fault, std::uint64_t seeds,
                           std::uint64_t most) {
  std::vector<std::uint64_t> needed;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const HuntReport r = hunt_fault(world, fault, seed, most, 0);
    needed.push_back(r.counterexample ? r.cases : most + 1);
  }
  std::ranges::sort(needed);
  return needed[(needed.size() * 95 + 99) / 100 - 1];
}

PlantedTable read_planted(const std::string& file) {
  PlantedTable table;
  std::ifstream in(file);
  std::uint64_t cases = 0;
  for (std::string fault; in >> fault >> cases;) table[fault] = cases;
  return table;
}

std::string to_text(const PlantedTable& table) {
  std::string text;
  for (const auto& [fault, cases] : table) text += fmt::format("{} {}\n", fault, cases);
  return text;
}

}  // namespace tarry
