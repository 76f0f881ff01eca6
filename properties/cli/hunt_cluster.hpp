// What `tarry hunt cluster` was asked: with a scenario, faults against its job; without one, clusters drawn at random.
#pragma once

#include <optional>
#include <string>

#include "properties/cluster/strategy.hpp"
#include "properties/cluster/told.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/held_interrupt.hpp"

namespace tarry {

struct ClusterArguments {
  std::string scenario, strategy = "portfolio";  // "" = drawn clusters
  std::optional<std::string> must, time;
  std::string save, bugs, junit;
  std::uint64_t seed = 1, runs = 1'000;
  std::optional<std::uint64_t> each;  // runs of a drawn cluster
  std::uint64_t check_share = kUsualCheckShare;
  int most_faults = 4, processes = 1;
  bool json = false, keep_going = false, decisive = false;
  bool heals = false, only_recoverable = false;
};

// Fails: INVALID_ARGUMENT with a suggestion.
[[nodiscard]] StatusOr<StrategyKind> strategy_of(const std::string& key);
// Fails: INVALID_ARGUMENT where `never` names a verdict of a cause that costs time: a hunt does not repeat each of its
// runs without its causes.
[[nodiscard]] Status check_can_be_hunted(const Must& must);
// Whether the user's time is up, counted from now, or the interrupt has come; the latter outlives it. Fails:
// INVALID_ARGUMENT for a --time that is none.
[[nodiscard]] StatusOr<std::function<bool()>> time_limit(const ClusterArguments& a, const HeldInterrupt& interrupt);

// The finding with proofs; where the run of it fails, without them, and standard error says why.
[[nodiscard]] FindingTold told_or_said(const ClusterFinding& finding, const Job& job, const Must& must);

// The command line that finds the same: every option that it depends on and that is not as usual.
[[nodiscard]] std::string command_of(const ClusterArguments& a);

// Clusters drawn at random. Gives the exit code.
[[nodiscard]] int hunt_drawn_clusters(const ClusterArguments& a, const Home& home);

}  // namespace tarry
