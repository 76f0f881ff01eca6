// `tarry hunt`: one subcommand per kind of hunt, and others that replay and audit.
//
//   cluster      random faults against one job, or against clusters drawn at random
//   placement    random cyclic graphs, placed by us or by another program
//   programs     random programs, run by the executor and the partitioner
//   partition    random programs, cut by us and by another program
//   exhaustive   every small graph, placed by us and by the reference
//   replay       a saved counterexample
//   audit        what the random cases reach
//   planted      how soon known faults are found
//
// A hunt's exit code is 0 when nothing was found and 3 when a counterexample was; the counterexample is shrunk, printed
// and, with --save, saved.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "placer/core/status.hpp"
#include "properties/programs/hunt.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/progress.hpp"

namespace tarry {

// ---- options of several subcommands ----

struct CaseOptions {  // which random cases
  std::uint64_t seed = 1, cases = 10'000;
  int max_nodes = 16;
  std::string save;  // a folder for counterexamples; "" = they are only printed
  bool json = false;
  bool keep_going = false;
  std::string junit;  // a file for JUnit XML; "" = none
};
void add_case_options(CLI::App& command, CaseOptions& options);
// --save, --keep-going, --junit.
void add_search_options(CLI::App& command, CaseOptions& options);

struct OtherProgram {  // a program that places or cuts instead of our code, or is compared with it
  std::string asked;   // as the user gave it: a shell command, or "tensorflow:2.15.1"; "" = none
  int timeout_ms = 10'000;
};
CLI::Option* add_other_program(CLI::App& command, OtherProgram& other);
// The shell command. Fails: INVALID_ARGUMENT for a TensorFlow for which `tarry doctor` has not built a program.
[[nodiscard]] StatusOr<std::string> command_of(const OtherProgram& other, const Home& home);

void add_rules_option(CLI::App& command, std::string& rules);

// "placement.groups_together" and "groups_together" name the same property of the family "placement".
[[nodiscard]] std::string without_family(const std::string& property, std::string_view family);

// Shows how many cases are done, and how fast. `word` is what a case of this hunt is called.
class HuntProgress {
 public:
  explicit HuntProgress(std::uint64_t all, const char* word = "case")
      : all_(all), word_(word), line_(std::make_shared<ProgressLine>()) {}
  void operator()(std::uint64_t done) const;
  // Shows that what a case found is made smaller.
  [[nodiscard]] ShrinkWatch watch() const;

 private:
  std::uint64_t all_;
  const char* word_;
  std::shared_ptr<ProgressLine> line_;  // shared, so that copies print to one line
};

// ---- the subcommands ----

void add_hunt_placement(CommandLine& line, CLI::App& hunt);
void add_hunt_cluster(CommandLine& line, CLI::App& hunt);
void add_hunt_programs(CommandLine& line, CLI::App& hunt);
void add_hunt_partition(CommandLine& line, CLI::App& hunt);
void add_hunt_exhaustive(CommandLine& line, CLI::App& hunt);
void add_hunt_replay(CommandLine& line, CLI::App& hunt);
void add_hunt_audit(CommandLine& line, CLI::App& hunt);
void add_hunt_planted(CommandLine& line, CLI::App& hunt);

// ---- shared by the subcommands ----

struct Replay {
  std::string file, rules;  // "" = the rules that it was found with
  OtherProgram other;
};
[[nodiscard]] int replay_placement(const Replay& r, const Home& home);
[[nodiscard]] int replay_program(const Replay& r);
[[nodiscard]] int replay_partition(const Replay& r, const Home& home);
[[nodiscard]] std::string replay_line(const std::string& file, const OtherProgram& other);

[[nodiscard]] int audit_placements(const CaseOptions& o, const std::string& rules, const Home& home);
[[nodiscard]] int audit_programs(const CaseOptions& o);

// Counts of outcomes: {"refused by the other side", 3}.
using Tally = std::vector<std::pair<std::string, std::uint64_t>>;
// Searches, shrinks, saves, reports. `family` is "programs" or "partition"; the counts of `more` are printed after the
// count of judgements, and in JSON as "comparisons".
[[nodiscard]] int search_programs(const CaseOptions& o, std::string_view family, ProgramHunt what,
                                  const OtherProgram& other, const std::function<Tally()>& more);

// "3 of 100 cases break roots_placed: 4, 17, 50", a line for each property.
[[nodiscard]] std::string all_broken(const std::map<std::string, std::vector<std::uint64_t>>& broken,
                                     std::uint64_t cases);

// A property in a file of JUnit XML.
struct JunitCase {
  std::string name, wrong, details;  // `wrong` = "": it holds
};
[[nodiscard]] std::string junit_xml(std::string_view suite, const std::vector<JunitCase>& cases);

// What a search found, for --junit: a case for each property. `details` = the shrunk counterexample in words.
template <class Properties, class Report>
[[nodiscard]] Status write_junit(const CaseOptions& o, std::string_view family, const Properties& properties,
                                 const Report& report, const std::string& details) {
  if (o.junit.empty()) return {};
  std::vector<JunitCase> cases;
  for (const auto* p : properties) {
    JunitCase& c = cases.emplace_back(JunitCase{p->name, "", ""});
    const auto broken = report.broken.find(p->name);
    if (broken == report.broken.end()) continue;
    c.wrong = all_broken({*broken}, report.cases);
    if (report.counterexample->property == p) c.details = details;
  }
  return write_file(o.junit, junit_xml(family, cases));
}

// Prints the table of an audit: as text with `summary`, or as JSON into `j`. Returns kExpectationFailed when a bucket
// holds less than 1 % of the cases.
[[nodiscard]] int report_audit(bool json, const std::vector<std::string>& names,
                               const std::map<std::string, std::uint64_t>& held, std::uint64_t cases,
                               nlohmann::ordered_json j, const std::string& summary);

}  // namespace tarry
