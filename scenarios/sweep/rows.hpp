// The rows of a sweep, in an SQLite file: a run each, written as soon as it ends.
//
// Tables: `arms` (arm, one column for each axis, scenario_text), `runs` (arm, seed, program: the version of tarry,
// scenario_hash, hash: of the run, verdicts: separated by blanks, one column for each measure, error: of a run that
// failed, else NULL, reached_stop: 1 or 0 (ending.hpp), update_is: 'aggregate' or 'step' (NULL where no step ended),
// what updates_per_second counts; ordered by arm and seed), `results` (a view of both), `files` (that the
// arms name: name, digest), `sweep` (what made it).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/sweep/plan.hpp"

namespace tarry {

struct RunRow {
  std::size_t arm = 0;
  std::uint64_t seed = 0;
  std::string hash, verdicts, error;            // `error`: then the others are empty
  std::vector<std::optional<double>> measures;  // of the plan, in its order
  bool reached_stop = true;                     // also of a run that failed
  std::string update_is = {};                   // "aggregate" or "step"; "" = nobody knows
};

class RowFile {
 public:
  // Opens the file, or makes it. Fails: INVALID_ARGUMENT when it cannot be written, is something else, or has the rows
  // of another plan or of another version of tarry.
  static StatusOr<RowFile> open(const std::string& path, const SweepPlan& plan, const std::string& version);

  [[nodiscard]] StatusOr<std::vector<RunRow>> rows() const;  // by arm and seed
  [[nodiscard]] Status add(const RunRow& row);

 private:
  struct Parts;
  explicit RowFile(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<Parts> parts_;
};

// Whether the tables have a column of this name, so that an axis cannot have it.
[[nodiscard]] bool is_column(std::string_view name);

// The same as text: a header line, and a line for each row.
[[nodiscard]] std::string csv_of(const SweepPlan& plan, const std::vector<RunRow>& rows);

}  // namespace tarry
