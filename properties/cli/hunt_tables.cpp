// `tarry hunt planted`, how soon known faults are found; and `tarry hunt exhaustive`, whether any small graph tells our
// placer from the reference.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "placer/place/rules.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/placement/exhaustive.hpp"
#include "properties/placement/planted.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kSeeds = 30, kMost = 20'000;

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

int measure_faults(bool json, const Home& home) {
  const auto table = measured(home.recordings());
  if (!table.ok()) return refuse(table.status());
  fmt::print("{}", json ? Json(*table).dump(1) + "\n" : to_text(*table));
  return all_found(*table) ? kOk : kExpectationFailed;
}

// ---- small graphs ----

struct ExhaustiveArguments {
  std::string rules = "2.15";
  int max_nodes = 4, marks = 2;
  bool json = false;
};

void print_compared(const ExhaustiveArguments& a, const std::string& release, const ExhaustiveReport& r) {
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

StatusOr<std::uint64_t> compare_release(const ExhaustiveArguments& a, const std::string& release,
                                        const std::string& data) {
  TARRY_ASSIGN(const PlacementWorld world, placement_world(data, release));
  const ExhaustiveReport r = [&] {
    ProgressLine line;
    return compare_all(world, {.nodes = a.max_nodes, .marks = a.marks}, [&](std::uint64_t shapes) {
      line.show([&](double) { return fmt::format("rules {}: {} shapes", release, shapes); });
    });
  }();
  print_compared(a, release, r);
  return r.different;
}

int hunt_exhaustively(const ExhaustiveArguments& a, const Home& home) {
  std::vector<std::string> chosen = {a.rules};
  if (a.rules == "all") {
    chosen.clear();
    for (const ReleaseRules& r : releases()) chosen.emplace_back(r.name);
  }
  std::uint64_t different = 0;
  for (const std::string& release : chosen) {
    const auto found = compare_release(a, release, home.recordings());
    if (!found.ok()) return refuse(found.status());
    different += *found;
  }
  return different == 0 ? kOk : kSafety;
}

}  // namespace

void add_hunt_planted(CommandLine& line, CLI::App& hunt) {
  auto json = std::make_shared<bool>(false);
  CLI::App* c = hunt.add_subcommand(
      "planted", "Measure how many cases it takes to find each planted bug and each known fault of an old release.");
  c->footer("Example:\n  tarry hunt planted --json");
  c->add_flag("--json", *json, "Print one JSON object");
  c->callback([json, &line] { line.exit_code = measure_faults(*json, line.home); });
}

void add_hunt_exhaustive(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<ExhaustiveArguments>();
  CLI::App* c = hunt.add_subcommand("exhaustive", "Compare tarry's placer with the reference on every small graph.");
  c->footer("Example:\n  tarry hunt exhaustive --rules 1.12 --max-nodes 3");
  c->add_option("--rules", a->rules, "A release, or all")->capture_default_str();
  c->add_option("--max-nodes", a->max_nodes, "The size of the largest graphs")
      ->capture_default_str()
      ->check(CLI::Range(1, 4));
  c->add_option("--marks", a->marks, "Requests, keys and assigned devices in a graph, at most")
      ->capture_default_str()
      ->check(CLI::Range(0, 8));
  c->add_flag("--json", a->json, "Print a JSON object a release");
  c->callback([a, &line] { line.exit_code = hunt_exhaustively(*a, line.home); });
}

}  // namespace tarry
