// The totals of one run of a recorded job, recorded or ours, with workers in the recorded order. Private to
// properties/conform.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "properties/conform/sync_config.hpp"

namespace tarry {

using Counts = std::vector<std::int64_t>;  // by worker

struct VariableSums {
  std::vector<Counts> vectors;  // gradients in each aggregate up to G
  Counts dropped;               // up to the recording's last aggregate; empty = not recorded
  std::size_t stands_for = 0;   // which recorded variable it is, or stands for on its server
};

struct RunSums {
  std::vector<VariableSums> variables;
  Counts steps, pushes;                   // at aggregate G, or at the end of an asynchronous run; empty = not recorded
  std::map<std::string, double> seconds;  // by what was timed
};

// A list with a count for each worker. Throws Malformed (checked.hpp), as recorded_sums does.
[[nodiscard]] Counts counts_of(const nlohmann::json& list, int workers, const char* key);

[[nodiscard]] RunSums recorded_sums(const nlohmann::json& rep, const RecordedConfig& c);
// `stands_for`: which recorded variable each of ours stands for (sync_layout.hpp).
[[nodiscard]] RunSums our_sums(const EventLog& log, const nlohmann::json& rep, const RecordedConfig& c,
                               const std::map<std::string, std::size_t>& stands_for);

// Aggregates of a repetition's first variable; 0 when it has none.
[[nodiscard]] std::int64_t recorded_aggregates(const nlohmann::json& rep);

[[nodiscard]] std::string to_string(const RunSums& sums);

}  // namespace tarry
