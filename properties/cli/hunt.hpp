// What `tarry hunt` was asked, for each of its families.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "properties/programs/hunt.hpp"
#include "scenarios/cli/progress.hpp"

namespace tarry {

struct HuntArguments {
  std::string what = "placement.*", rules = "2.15", placer, command, save, replay;
  std::vector<std::string> except;  // properties that are left out
  std::set<std::string> given;      // what the command line says: "what", "--rules", ...
  std::uint64_t seed = 1, cases = 10'000;
  int max_nodes = 16, marks = 2, timeout_ms = 10'000;
  bool audit = false, planted = false, exhaustive = false, json = false;
};

// Fails: INVALID_ARGUMENT when the command line says something that `hunt` ("a replayed program") has no use for.
[[nodiscard]] Status uses_only(const HuntArguments& a, std::string_view hunt, const std::vector<std::string>& options);

// How many cases are done, and how fast.
class HuntProgress {
 public:
  explicit HuntProgress(std::uint64_t all) : all_(all), line_(std::make_shared<ProgressLine>()) {}
  void operator()(std::uint64_t done) const;

 private:
  std::uint64_t all_;
  std::shared_ptr<ProgressLine> line_;  // one line, whoever calls
};

// Random programs for the executor and the partitioner: `programs.*` and `programs.PROPERTY`. Returns the exit code.
[[nodiscard]] bool hunts_programs(const HuntArguments& a);
[[nodiscard]] int hunt_programs(const HuntArguments& a);
// `partition.same_as`: our cut beside the one of `a.command`. `data`: the folder of the recorded tables.
[[nodiscard]] bool hunts_partitions(const HuntArguments& a);
[[nodiscard]] int hunt_partitions(const HuntArguments& a, const std::string& data);
// How often what happened: {"refused by the other side", 3}.
using Tally = std::vector<std::pair<std::string, std::uint64_t>>;
// Searches, shrinks, saves, reports; `more` is said behind the count of judgements, and in JSON as "comparisons".
[[nodiscard]] int search_programs(const HuntArguments& a, const ProgramHunt& what, const std::function<Tally()>& more);
[[nodiscard]] std::string replay_line(const HuntArguments& a, const std::string& file);

// The table of properties/placement/planted.txt, measured. `data`: the folder of the recorded tables.
[[nodiscard]] int measure_faults(const HuntArguments& a, const std::string& data);
// Every small graph against the reference, with one release's rules or with all.
[[nodiscard]] int hunt_exhaustively(const HuntArguments& a, const std::string& data);

// Prints the table of an audit: as text with `summary`, or as JSON into `j`. Returns kExpectationFailed when a bucket
// holds less than 1 % of the cases.
[[nodiscard]] int report_audit(bool json, const std::vector<std::string>& names,
                               const std::map<std::string, std::uint64_t>& held, std::uint64_t cases,
                               nlohmann::ordered_json j, const std::string& summary);

}  // namespace tarry
