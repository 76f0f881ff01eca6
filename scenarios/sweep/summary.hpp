// What the rows of a sweep say: of each arm the mean of each measure, and how far it is from the first arm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/sweep/interval.hpp"
#include "scenarios/sweep/rows.hpp"

namespace tarry {

struct MeasureSummary {
  std::optional<Interval> mean;  // over the seeds whose run had something to measure
  // The differences from the first arm with the same seed, as a share of the first arm's mean. Nothing for the first
  // arm itself, or where that mean is 0.
  std::optional<Interval> change;
};

struct ArmSummary {
  std::size_t runs = 0, failed = 0;
  std::string first_error;
  std::vector<std::pair<std::string, std::size_t>> verdicts;  // kinds, and in how many runs, in most first
  std::vector<MeasureSummary> measures;                       // of the plan, in its order
};

[[nodiscard]] std::vector<ArmSummary> summarise(const SweepPlan& plan, const std::vector<RunRow>& rows);

// "12.5 ± 0.3": as many digits as the interval leaves.
[[nodiscard]] std::string with_half_width(const Interval& i);
// "+4.2 % ± 0.6": both in per cent.
[[nodiscard]] std::string change_in_words(const Interval& i);

// Which of two arms is better by how the second one's measure differs from the first one's: "B is better", "A is
// better", "no difference shown" (the interval contains 0), "one seed is too few"; "" where neither more nor less is
// better.
[[nodiscard]] std::string which_is_better(const Measure& measure, const Interval& change);

// "backup, hang in 1 of 30, 2 of 30 failed: why".
[[nodiscard]] std::string verdicts_in_words(const ArmSummary& arm);

// Cells in columns as wide as their widest one. REQUIRES: lines not empty, and none longer than the first.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& lines);

// A table: an arm in each line.
[[nodiscard]] std::string text_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows);
[[nodiscard]] nlohmann::ordered_json json_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows);

}  // namespace tarry
