// Bugs planted in the runtime that random faults must find, and how many runs that takes: a check that the laws and the
// schedules detect what they should.
#pragma once

#include <functional>
#include <span>

#include "properties/cluster/strategy.hpp"

namespace tarry {

struct KnownClusterBug {
  std::string_view name;  // "stale_accepted"
  PlantedClusterBug bug = PlantedClusterBug::none;
  std::string_view law;  // that tells it
};
[[nodiscard]] std::span<const KnownClusterBug> planted_cluster_bugs();

// How a bug was told.
struct FoundBug {
  std::uint64_t runs = 0;  // including the one that told it
  std::string law;         // "stands_still": the job stands still, and without the bug it does not
  std::string text;
  std::string scenario;    // of the job
  std::uint64_t seed = 0;  // likewise
  Schedule schedule;
};

// The small jobs that bugs are planted in; each run takes the next of them.
class PlantedHunt {
 public:
  // `job_of` gives the job of a scenario that ships.
  explicit PlantedHunt(const std::function<Job(const std::string&)>& job_of);

  // Schedules of the strategy until one tells the bug; nullopt = none of `most` did.
  [[nodiscard]] std::optional<FoundBug> find(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t most,
                                             StrategyKind strategy = StrategyKind::random);
  // How many of the first `runs` random schedules of the second job tell it.
  [[nodiscard]] std::uint64_t count(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t runs);

 private:
  // A strategy for each job.
  using Strategies = std::vector<std::unique_ptr<Strategy>>;
  [[nodiscard]] Strategies make_strategies(StrategyKind kind, std::uint64_t seed) const;
  // One run: the number of a schedule says which job, and which seed of the job.
  [[nodiscard]] std::optional<FoundBug> tried(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t number,
                                              const Strategies& strategies);

  std::vector<std::unique_ptr<Trials>> jobs_;  // of kPlantedIn
};

// A line of planted.txt.
struct RunsNeeded {
  std::string bug, law;
  std::uint64_t median = 0, most = 0;  // of the seeds 1 to `seeds`: the median, and what 95 % of them need
  friend bool operator==(const RunsNeeded&, const RunsNeeded&) = default;
};
[[nodiscard]] RunsNeeded runs_needed(PlantedHunt& hunt, const KnownClusterBug& bug, std::uint64_t seeds,
                                     std::uint64_t most, StrategyKind strategy = StrategyKind::random);
[[nodiscard]] std::vector<RunsNeeded> read_runs_needed(const std::string& file);
[[nodiscard]] std::string to_text(const std::vector<RunsNeeded>& table);

}  // namespace tarry
