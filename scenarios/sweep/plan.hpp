// A plan of a sweep: a scenario, what is varied, how often each variant runs, and what is measured.
//
// Read from YAML:
//   scenario: 015_workers64_backup4
//   axes:
//     cluster.workers: [8, 16, 32]
//     policy:
//       sync: {build.protocol: sync}
//       backup: {build.protocol: sync, build.backup_workers: 1}
//   seeds: 30
//   measures: [gradients_per_second, step_time_p99]
// An axis is a key and its values, or a name and for each of its values the keys that it sets. Every value of an axis
// meets every value of the others; later axes vary faster. A key belongs to one axis. All arms run with the same seeds,
// so that their draws are the same wherever their jobs are.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/file/load.hpp"
#include "scenarios/sweep/measure.hpp"

namespace tarry {

struct Arm {
  std::vector<std::string> values;  // of each axis, as the plan has them
  ScenarioText scenario;
};

// More seeds until the interval of a measure is narrow enough in every arm.
struct Until {
  double half_width = 0;  // of the interval, as a share of the mean
  const Measure* of = nullptr;
};

struct SweepPlan {
  std::string title;
  std::vector<std::string> axes;
  std::vector<Arm> arms;  // at least one
  std::vector<std::uint64_t> seeds;
  std::optional<Until> until;  // then `seeds` are those that there are at the most
  double confidence = 0.95;
  std::vector<const Measure*> measures;
  std::map<std::string, std::string> files = {};  // that the arms name, by name: digests of what is in them
};

inline constexpr std::size_t kMostArms = 10'000, kMostSeeds = 100'000;

// Finds the scenario that a plan names.
using FindScenario = std::function<StatusOr<ScenarioText>(const std::string&)>;

// Reads a plan, and checks every arm's scenario. Fails: NOT_FOUND and INVALID_ARGUMENT, "file:line:column: what is
// wrong; what was expected".
[[nodiscard]] StatusOr<SweepPlan> load_plan(const std::string& file, const FindScenario& find);

// Two scenarios as they are, with these seeds.
[[nodiscard]] SweepPlan plan_of_two(const ScenarioText& a, const ScenarioText& b, std::vector<std::uint64_t> seeds);

// What it compares, without the seeds: rows of plans that are the same in this can stand in one table.
[[nodiscard]] std::string identity_of(const SweepPlan& plan);

}  // namespace tarry
