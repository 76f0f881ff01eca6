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
// A fault is made when it is asked for: large clusters have hundreds of millions.
class EveryFault {
 public:
  EveryFault(const ClusterSpec& cluster, const Course& course, std::uint64_t seed = 0);

  [[nodiscard]] std::size_t size() const { return different() + others_.size() * every_kind_; }
  // The first so many are at moments at which the run looks different (situation.hpp).
  [[nodiscard]] std::size_t different() const { return different_.size() * every_kind_; }
  // REQUIRES: i < size().
  [[nodiscard]] Fault operator[](std::size_t i) const {
    return i < different() ? scattered(different_, i) : scattered(others_, i - different());
  }

 private:
  using When = std::variant<Nanos, Trigger>;

  // Every fault at some moments: each kind in turns, and of each kind here and there.
  [[nodiscard]] Fault scattered(const std::vector<When>& moments, std::size_t i) const;
  // How many come at these moments in the first so many turns.
  [[nodiscard]] std::size_t up_to(std::size_t turn, const std::vector<When>& moments) const;
  [[nodiscard]] Fault in_turn(std::size_t turn, std::size_t kind, const std::vector<When>& moments) const;

  std::vector<std::vector<FaultKinds>> kinds_;  // in the order of their turns
  std::size_t every_kind_ = 0;                  // at a moment
  std::vector<When> different_, others_;        // moments
  std::uint64_t seed_;
};

}  // namespace tarry
