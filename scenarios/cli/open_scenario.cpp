#include "scenarios/cli/open_scenario.hpp"

#include <algorithm>
#include <filesystem>

#include "scenarios/cases/find_case.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/yaml.hpp"
#include "scenarios/sweep/arm.hpp"

namespace tarry {
namespace {

// "costs[0].time=2s", or "costs[0].time: 2s" as a cure is printed: the value is YAML, as a file has it.
StatusOr<KeyChange> change_of(const std::string& text) {
  const std::size_t end = std::min(text.find('='), text.find(": "));
  if (end == 0 || end == std::string::npos)
    return invalid("'{}': expected a key and its value, such as build.protocol=async", text);
  TARRY_ASSIGN(const YAML::Node value, parse_yaml(text.substr(end + 1), "the value", "a value"));
  return KeyChange{text.substr(0, end), value};
}

StatusOr<std::vector<KeyChange>> changes_of(const ScenarioChoice& choice) {
  std::vector<KeyChange> all;
  for (const std::string& word : choice.set) {
    TARRY_ASSIGN(KeyChange change, change_of(word));
    all.push_back(std::move(change));
  }
  if (choice.workers) all.push_back({"cluster.workers", YAML::Node(*choice.workers)});
  return all;
}

// " --set 'costs[0].time=2s' --workers 8"
std::string options_of(const ScenarioChoice& choice) {
  std::string out;
  for (const std::string& change : choice.set) out += " --set " + shell_word(change);
  return choice.workers ? fmt::format("{} --workers {}", out, *choice.workers) : out;
}

// Whoever asks for more workers wants them to train: where each has a program of its own, nobody can say what these do.
Status check_programs(const Scenario& s) {
  for (const TaskSpec& task : s.cluster.tasks) {
    const auto drives = [&](const ProgramSpec& p) { return s.cluster.tasks[p.task.index()].name == task.name; };
    if (task.name.starts_with("/job:worker/") && !s.programs.empty() && std::ranges::none_of(s.programs, drives))
      return invalid(
          "--workers: `programs` has no graph for {}; only a job of `build` makes the graphs of as many workers as "
          "there are",
          task.name);
  }
  return {};
}

}  // namespace

void add_options(CLI::App& command, ScenarioChoice& choice) {
  command.add_option("scenario", choice.name, "A scenario's folder or file, or the name of one that ships")->required();
  command
      .add_option("--set", choice.set,
                  "KEY=VALUE, or 'KEY: VALUE' as --cures prints it: a value in place of the scenario's, such as "
                  "build.protocol=async or 'costs[0].time=2s'; 'costs[]=VALUE' adds an entry to a list; 'KEY=~' (in "
                  "quotes) takes the key away. May be given several times")
      ->expected(1)
      ->take_all();
  command
      .add_option("--workers", choice.workers,
                  "So many workers: the first ones of the cluster, or more that are like its last one")
      ->check(CLI::Range(1, 100'000));
}

void add_faults_option(CLI::App& command, std::optional<std::string>& faults) {
  command.add_option(
      "--faults", faults,
      "Faults in place of the scenario's own: 'kill worker/2 after token_taken#3; restart worker/2 at +20s'");
}

Status use_faults(const std::optional<std::string>& faults, Scenario& scenario) {
  if (!faults) return {};
  auto parsed = parse_faults(*faults, scenario);
  if (!parsed.ok()) return with_prefix(parsed.status(), "--faults: ");
  scenario.faults = *std::move(parsed);
  return {};
}

std::string in_words(const ScenarioChoice& choice) { return shell_word(choice.name) + options_of(choice); }

StatusOr<ScenarioText> open_scenario_text(const std::string& name, const Home& home) {
  std::error_code none;
  if (std::filesystem::exists(name, none)) return read_scenario(name);
  const auto folder = find_case(std::filesystem::path(name).filename(), home.cases());
  if (!folder.ok() && std::filesystem::exists(name + ".yaml", none))
    return error(Code::kNotFound, "{}: no such scenario; did you mean '{}.yaml'?", name, name);
  TARRY_RETURN_IF_ERROR(folder.status());
  return read_scenario(*folder);
}

StatusOr<Scenario> open_scenario(const std::string& name, const Home& home) {
  TARRY_ASSIGN(const ScenarioText read, open_scenario_text(name, home));
  return parse_scenario(read.text, read.file);
}

StatusOr<Scenario> open_scenario(const ScenarioChoice& choice, const Home& home) {
  if (!choice.changes()) return open_scenario(choice.name, home);
  TARRY_ASSIGN(const ScenarioText base, open_scenario_text(choice.name, home));
  const auto changes = changes_of(choice);
  if (!changes.ok()) return with_prefix(changes.status(), "--set: ");
  const auto text = changed_scenario(base, *changes);
  if (!text.ok()) return with_prefix(text.status(), options_of(choice).substr(1) + ": ");
  TARRY_ASSIGN(Scenario scenario, parse_scenario(*text, base.file));
  scenario.has_lines = false;
  if (choice.workers) TARRY_RETURN_IF_ERROR(check_programs(scenario));
  return scenario;
}

}  // namespace tarry
