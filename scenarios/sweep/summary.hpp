// What the rows of a sweep say: of each arm the mean of each measure, and how far it is from the first arm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/sweep/against.hpp"

namespace tarry {

struct MeasureSummary {
  std::optional<Interval> mean;  // over the seeds whose run had something to measure
  Against first;                 // how far it is from the first arm; nothing of the first arm itself
};

struct ArmSummary {
  std::size_t runs = 0, failed = 0;
  std::string first_error;
  std::vector<std::pair<std::string, std::size_t>> verdicts;  // kinds, and in how many runs, in most first
  std::vector<MeasureSummary> measures;                       // of the plan, in its order
  std::size_t missed = 0;                                     // runs that did not reach their stop
};

[[nodiscard]] std::vector<ArmSummary> summarise(const SweepPlan& plan, const std::vector<RunRow>& rows);

// "backup, hang in 1 of 30, stop not reached in 1 of 30, 2 of 30 failed: why".
[[nodiscard]] std::string verdicts_in_words(const ArmSummary& arm);

// "12.5 ± 0.3"; "12.5 (1 of 6 runs)" where the others have no such number; "-" where none has.
[[nodiscard]] std::string mean_in_words(const MeasureSummary& summary, std::size_t runs);

// Cells in columns as wide as their widest one. REQUIRES: lines not empty, and none longer than the first.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& lines);

// Tables of lines of at most `width` letters: an arm in each line.
[[nodiscard]] std::string text_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows,
                                          std::size_t width = 100);
[[nodiscard]] nlohmann::ordered_json json_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows);

}  // namespace tarry
