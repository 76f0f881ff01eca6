// The two things that `tarry hunt` measures once and for all: how soon known faults are found, and whether any small
// graph tells us from the reference.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "properties/cli/hunt.hpp"
#include "properties/placement/exhaustive.hpp"
#include "properties/placement/planted.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kSeeds = 30, kMost = 20'000;
constexpr const char* kReleases[] = {"0.9", "0.12", "1.12", "1.15", "2.15"};

// ---- known faults ----

StatusOr<PlantedTable> measured(const std::string& data) {
  PlantedTable table;
  ProgressLine line;
  for (const auto* faults : {&planted_bugs(), &quirks()})
    for (const KnownFault& fault : *faults) {
      TARRY_ASSIGN(const PlacementWorld world, placement_world(data, fault.release));
      line.show([&](double) { return fault.name; });
      table[fault.name] = cases_needed(world, fault, kSeeds, kMost);
    }
  return table;
}

bool all_found(const PlantedTable& table) {
  return std::ranges::all_of(table, [](const auto& row) { return row.second <= kMost; });
}

// ---- small graphs ----

void print_compared(const HuntArguments& a, const std::string& release, const ExhaustiveReport& r) {
  if (a.json)
    return fmt::print("{}\n", Json{{"rules", release},
                                   {"shapes", r.shapes},
                                   {"graphs", r.graphs},
                                   {"placed", r.placed},
                                   {"different", r.different},
                                   {"first", r.first}}
                                  .dump());
  fmt::print(
      "rules {}: {} graphs ({} shapes with their marks; {} placed, {} refused), {} differences from the reference\n",
      release, r.graphs, r.shapes, r.placed, r.graphs - r.placed, r.different);
  if (!r.first.empty()) fmt::print("{}", r.first);
}

StatusOr<std::uint64_t> compare_release(const HuntArguments& a, const std::string& release, const std::string& data) {
  TARRY_ASSIGN(const PlacementWorld world, placement_world(data, release));
  const ExhaustiveReport r = [&] {
    ProgressLine line;
    return compare_all(world, {.nodes = std::min(a.max_nodes, 4), .marks = a.marks}, [&](std::uint64_t shapes) {
      line.show([&](double) { return fmt::format("rules {}: {} shapes", release, shapes); });
    });
  }();
  print_compared(a, release, r);
  return r.different;
}

}  // namespace

int measure_faults(const HuntArguments& a, const std::string& data) {
  if (const Status s = uses_only(a, "--planted", {"--planted", "--json"}); !s.ok()) return refuse(s);
  const auto table = measured(data);
  if (!table.ok()) return refuse(table.status());
  fmt::print("{}", a.json ? Json(*table).dump(1) + "\n" : to_text(*table));
  return all_found(*table) ? kOk : kExpectationFailed;
}

int hunt_exhaustively(const HuntArguments& a, const std::string& data) {
  if (const Status s = uses_only(a, "--exhaustive", {"--exhaustive", "--rules", "--max-nodes", "--marks", "--json"});
      !s.ok())
    return refuse(s);
  std::vector<std::string> releases = {a.rules};
  if (a.rules == "all") releases.assign(std::begin(kReleases), std::end(kReleases));
  std::uint64_t different = 0;
  for (const std::string& release : releases) {
    const auto found = compare_release(a, release, data);
    if (!found.ok()) return refuse(found.status());
    different += *found;
  }
  return different == 0 ? kOk : kSafety;
}

}  // namespace tarry
