// Which schedule of faults is tried next.
//
// A strategy gives a schedule for each number. What it learns comes in the order of the numbers, between batches whose
// size does not depend on how many processes run them: so the schedules do not either.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "properties/cluster/trial.hpp"

namespace tarry {

enum class StrategyKind : std::uint8_t { portfolio, random, uniform, sweep, guided, order };
struct StrategyText {
  StrategyKind kind;
  std::string_view key, meaning;
};
[[nodiscard]] std::span<const StrategyText> strategies();

struct StrategyOptions {
  StrategyKind kind = StrategyKind::portfolio;
  std::uint64_t seed = 1;
  int most_faults = 4;  // in a schedule
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // How many schedules there are; nullopt: no end.
  [[nodiscard]] virtual std::optional<std::uint64_t> count() const { return std::nullopt; }
  // The first so many differ in what the run looks like; the others are repetitions. nullopt: nobody knows.
  [[nodiscard]] virtual std::optional<std::uint64_t> different() const { return std::nullopt; }
  // REQUIRES: number < count().
  [[nodiscard]] virtual Schedule schedule(std::uint64_t number) = 0;
  // Whether learn() wants to see what runs showed.
  [[nodiscard]] virtual bool wants_features() const { return false; }
  virtual void learn(std::uint64_t number, const Schedule& schedule, const Features& features) {
    (void)number, (void)schedule, (void)features;
  }
};

// `cluster` and `course` outlive it.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const StrategyOptions& options, const ClusterSpec& cluster,
                                                      const Course& course);

// Every fault by itself: each kind, for each task, pair of tasks, host or pair of hosts, just before and just after
// each moment of the run without faults. Amounts and durations are the usual ones (a quarter of the run; ten times
// slower). The order, which the seed draws, soon has been everywhere: each kind in turns, at moments all over the run.
struct EveryFault {
  std::vector<Fault> faults;
  std::size_t different = 0;  // the first so many are at moments at which the run looks different (situation.hpp)
};
[[nodiscard]] EveryFault every_fault(const ClusterSpec& cluster, const Course& course, std::uint64_t seed = 0);

}  // namespace tarry
