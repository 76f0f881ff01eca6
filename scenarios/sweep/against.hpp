// Two arms of a sweep beside each other, by their runs with the same seed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/sweep/interval.hpp"
#include "scenarios/sweep/rows.hpp"

namespace tarry {

using ArmRows = std::map<std::uint64_t, const RunRow*>;  // of one arm, by seed

[[nodiscard]] std::vector<ArmRows> rows_by_arm(const SweepPlan& plan, const std::vector<RunRow>& rows);

// How many of an arm's runs did not reach their stop.
struct Missed {
  std::size_t runs = 0, of = 0;
};
[[nodiscard]] Missed missed_of(const ArmRows& arm);

// Whether an update is the same in all these arms, an aggregate or a step, as far as their rows know.
[[nodiscard]] bool have_same_updates(const std::vector<ArmRows>& arms);

// How far an arm is from another one. Both are nothing where no seed has both numbers.
struct Against {
  std::optional<Interval> difference;  // in the measure's unit
  std::optional<Interval> change;      // as a share of the other arm's mean (relative_change)
  Missed other, arm;
  bool has_same_updates = true;
  std::size_t pairs = 0;  // seeds that both arms have
};

[[nodiscard]] Against against(const ArmRows& other, const ArmRows& arm, std::size_t measure, double confidence);

// "+4.2 % ± 0.6", both in per cent.
[[nodiscard]] std::string change_in_words(const Interval& change);

// The change in words; where there is none the difference, "+7.0 ± 0.2" in the measure's unit; else "-". With "(2 of 3
// seeds)" where the others have no such number in both arms.
[[nodiscard]] std::string in_words(const Against& against);

// Which of two arms is better by how much more the second one has of a measure: "B is better", "A is better", "no
// difference shown" (the interval contains 0), "one seed is too few"; "" where neither more nor less is better.
[[nodiscard]] std::string which_is_better(const Measure& measure, const Interval& difference);

// The same of both, whichever comes first; "" where there is no difference. "counts other things" for updates that
// differ; "A did not reach its stop in 4 of 5" in place of "A is better" where all runs of B reached it.
[[nodiscard]] std::string which_is_better(const Measure& measure, const Against& against);

// How an arm compares with the first one: "better", "worse", or "" where which_is_better() does not say so.
[[nodiscard]] const char* says_of(const Measure& measure, const Against& first);

// Of the plan's measure with this place: the arm with the best mean, and after it, in their order, those that it is
// not shown to be better than. Arms whose runs did not all reach their stop are left out, as long as there are others.
// Empty where neither side is better, nothing was measured, or the arms count other things.
[[nodiscard]] std::vector<std::size_t> best_arms(const SweepPlan& plan, const std::vector<ArmRows>& rows,
                                                 std::size_t measure);

}  // namespace tarry
