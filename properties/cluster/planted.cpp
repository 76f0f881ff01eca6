#include "properties/cluster/planted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "placer/core/check.hpp"
#include "placer/core/hash.hpp"
#include "properties/hunting/hunting.hpp"

namespace tarry {

namespace {

using Bug = PlantedClusterBug;
constexpr KnownClusterBug kBugs[] = {
    {"stale_accepted", Bug::stale_accepted, "staleness"},
    {"barrier_one_short", Bug::barrier_one_short, "aggregates_whole"},
    {"take_twice", Bug::take_twice, "aggregates_whole"},
    {"token_lost", Bug::token_lost, "tokens_conserved"},
    {"token_doubled", Bug::token_doubled, "tokens_conserved"},
    {"credit_kept_on_abort", Bug::credit_kept_on_abort, "ended_steps_rest"},
    {"close_does_not_wake", Bug::close_does_not_wake, "nothing_left"},
    {"dead_step_counted", Bug::dead_step_counted, "ended_steps_rest"},
    {"incarnation_unchecked", Bug::incarnation_unchecked, "incarnations_apart"},
    {"request_id_forgotten", Bug::request_id_forgotten, "requests_once"},
    {"abort_skips_waiter", Bug::abort_skips_waiter, "ended_steps_rest"},
    {"clean_up_leaves_tensor", Bug::clean_up_leaves_tensor, "nothing_left"},
    {"sessions_kept", Bug::sessions_kept, "nothing_left"},
    {"failed_step_not_cleaned", Bug::failed_step_not_cleaned, "nothing_left"},
    {"retry_after_executed", Bug::retry_after_executed, "requests_once"},
    {"filter_ignored", Bug::filter_ignored, "filters_kept"},
    {"session_not_anew", Bug::session_not_anew, "clients_recover"},
    {"restart_forgets_step", Bug::restart_forgets_step, "checkpoints_count"},
    {"restore_skips_variable", Bug::restore_skips_variable, "restored_whole"},
    {"checkpoint_listed_early", Bug::checkpoint_listed_early, "checkpoints_count"},
    {"timer_of_dead_process", Bug::timer_of_dead_process, "steps_end_once"},
};

constexpr const char* kPlantedIn[] = {"040_worker_dies", "047_chief_dies_checkpoint", "049_second_ps_dies",
                                      "055_async_worker_dies"};
constexpr int kMostFaults = 4;
constexpr std::string_view kLaw = "law ";  // Breach::property of a law

// Or an instant has no end.
bool stands_still(const StatusOr<Trial>& ran) { return !ran.ok() || ran->is_deadlocked; }

}  // namespace

std::span<const KnownClusterBug> planted_cluster_bugs() { return kBugs; }

PlantedHunt::PlantedHunt(const std::function<Job(const std::string&)>& job_of) {
  for (const char* name : kPlantedIn) {
    jobs_.push_back(std::make_unique<Trials>(job_of(name), Must()));
    check(jobs_.back()->without_faults().ok(), "a job that ships has an instant without an end");
  }
}

PlantedHunt::Strategies PlantedHunt::make_strategies(StrategyKind kind, std::uint64_t seed) const {
  Strategies all;
  for (const auto& job : jobs_) all.push_back(make_strategy({kind, seed, kMostFaults}, job->cluster(), job->course()));
  return all;
}

std::optional<FoundBug> PlantedHunt::tried(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t number,
                                           const Strategies& strategies) {
  const std::size_t which = number % jobs_.size();
  Trials& job = *jobs_[which];
  Strategy& strategy = *strategies[which];
  const std::uint64_t turn = number / jobs_.size();
  const Schedule schedule = strategy.schedule(turn);
  TrialOptions how{.wants_features = strategy.wants_features(), .planted = bug, .seed = hash64("job", seed + number)};
  const auto ran = job.run(schedule, how);
  if (ran.ok()) strategy.learn(turn, schedule, ran->features);
  FoundBug found{number + 1, "stands_still", "nothing happens any more", kPlantedIn[which], *how.seed, schedule};
  if (ran.ok() && !ran->broken.empty()) {
    found.law = ran->broken[0].property.substr(kLaw.size());
    found.text = ran->broken[0].text;
    return found;
  }
  if (!stands_still(ran)) return std::nullopt;
  how.planted = PlantedClusterBug::none;
  if (stands_still(job.run(schedule, how))) return std::nullopt;
  return found;
}

std::optional<FoundBug> PlantedHunt::find(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t most,
                                          StrategyKind strategy) {
  const Strategies strategies = make_strategies(strategy, seed);
  for (std::uint64_t n = 0; n < most; ++n)
    if (auto told = tried(bug, seed, n, strategies)) return told;
  return std::nullopt;
}

std::uint64_t PlantedHunt::count(PlantedClusterBug bug, std::uint64_t seed, std::uint64_t runs) {
  const Strategies strategies = make_strategies(StrategyKind::random, seed);
  std::uint64_t told = 0;
  for (std::uint64_t n = 0; n < runs; ++n) told += tried(bug, seed, n * jobs_.size() + 1, strategies) ? 1 : 0;
  return told;
}

// ---- the table ----

RunsNeeded runs_needed(PlantedHunt& hunt, const KnownClusterBug& bug, std::uint64_t seeds, std::uint64_t most,
                       StrategyKind strategy) {
  std::vector<std::uint64_t> runs;
  std::map<std::string, int> laws;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto told = hunt.find(bug.bug, seed, most, strategy);
    runs.push_back(told ? told->runs : most + 1);
    if (told) ++laws[told->law];
  }
  std::ranges::sort(runs);
  const auto common = std::ranges::max_element(laws, {}, [](const auto& entry) { return entry.second; });
  return {std::string(bug.name), common == laws.end() ? "-" : common->first, runs[runs.size() / 2],
          runs[(runs.size() * 95 + 99) / 100 - 1]};
}

std::vector<RunsNeeded> read_runs_needed(const std::string& file) {
  std::vector<RunsNeeded> table;
  std::ifstream in(file);
  for (RunsNeeded r; in >> r.bug >> r.law >> r.median >> r.most;) table.push_back(r);
  return table;
}

std::string to_text(const std::vector<RunsNeeded>& table) {
  std::string text;
  for (const RunsNeeded& r : table) text += fmt::format("{} {} {} {}\n", r.bug, r.law, r.median, r.most);
  return text;
}

}  // namespace tarry
