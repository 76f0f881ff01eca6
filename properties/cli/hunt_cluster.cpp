// `tarry hunt cluster`: random faults against one job.

#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/cluster/hunt.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct ClusterArguments {
  std::string scenario;
  std::vector<std::string> verdicts = {"stuck", "failed", "progress_lost"};
  std::uint64_t seed = 1, runs = 1'000;
  int most_faults = 4;
  bool json = false, keep_going = false;
};

Status check_verdicts(const std::vector<std::string>& asked) {
  const std::vector<std::string> kinds = verdict_kinds();
  for (const std::string& v : asked)
    if (std::ranges::find(kinds, v) == kinds.end())
      return invalid("no verdict is called '{}'{}; `tarry verdicts` lists them", v, did_you_mean(v, kinds));
  return {};
}

// The finding as one line for a shell.
std::string replay_line(const ClusterArguments& a, const Job& job, const ClusterFinding& f) {
  return fmt::format("tarry run {} --faults {} --hash {}", shell_word(a.scenario),
                     shell_word(faults_line(f.shrunk.smallest.faults, job.cluster)), to_string(f.broken.hash));
}

std::string in_words(const ClusterArguments& a, const Job& job, const ClusterFinding& f) {
  const auto& smallest = f.shrunk.smallest.faults;
  std::string out = fmt::format("run {} gets the verdict {}: {} fault{}, shrunk to {} in {} steps ({} tries)\n",
                                f.number, f.broken.verdict.kind, f.found.faults.size(),
                                f.found.faults.size() == 1 ? "" : "s", smallest.size(), f.shrunk.steps, f.shrunk.tried);
  for (const Fault& fault : smallest) out += fmt::format("    {}\n", faults_line({&fault, 1}, job.cluster));
  if (f.checked > 0) out += fmt::format("Without any one of them the job does not get it ({} checked).\n", f.checked);
  return out + fmt::format("\n{}\n\nReplay it: {}\n", f.broken.verdict.text, replay_line(a, job, f));
}

Json to_json(const ClusterArguments& a, const Job& job, const ClusterReport& r) {
  Json j{{"scenario", a.scenario}, {"seed", a.seed}, {"runs", r.runs}, {"broken", r.broken}};
  if (!r.counterexample) return j;
  const ClusterFinding& f = *r.counterexample;
  j["found"] = {{"run", f.number},
                {"verdict", f.broken.verdict.kind},
                {"text", f.broken.verdict.text},
                {"faults_found", f.found.faults.size()},
                {"faults", Json::array()},
                {"tries", f.shrunk.tried},
                {"checked", f.checked},
                {"hash", to_string(f.broken.hash)},
                {"replay", replay_line(a, job, f)}};
  for (const Fault& fault : f.shrunk.smallest.faults)
    j["found"]["faults"].push_back(faults_line({&fault, 1}, job.cluster));
  return j;
}

void print(const ClusterArguments& a, const Job& job, const ClusterReport& r) {
  if (a.json) return fmt::print("{}\n", json_text(to_json(a, job, r), 1));
  if (!r.counterexample)
    return fmt::print("{} runs with up to {} faults, seed {}: none gets one of {}\n", r.runs, a.most_faults, a.seed,
                      join(a.verdicts, ", "));
  fmt::print("{}", in_words(a, job, *r.counterexample));
  if (!a.keep_going) return;
  for (const auto& [verdict, numbers] : r.broken)
    fmt::print("{} of {} runs get {} ({:.1f} %)\n", numbers.size(), r.runs, verdict,
               100.0 * static_cast<double>(numbers.size()) / static_cast<double>(r.runs));
}

int hunt_cluster(const ClusterArguments& a, const Home& home) {
  if (const Status s = check_verdicts(a.verdicts); !s.ok()) return refuse(s);
  auto scenario = open_scenario(a.scenario, home);
  if (!scenario.ok()) return refuse(scenario.status());
  scenario->faults.clear();
  const auto job = make_job(*scenario, {home.graphs(), false, {}});
  if (!job.ok()) return refuse(job.status());
  const auto report = hunt(ClusterHunt{.job = *job,
                                       .verdicts = a.verdicts,
                                       .seed = a.seed,
                                       .runs = a.runs,
                                       .most_faults = a.most_faults,
                                       .keep_going = a.keep_going},
                           HuntProgress(a.runs));
  if (!report.ok()) return refuse(report.status());
  print(a, *job, *report);
  return report->counterexample ? kSafety : kOk;
}

}  // namespace

void add_hunt_cluster(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<ClusterArguments>();
  CLI::App* c = hunt.add_subcommand(
      "cluster", "Put random faults to a job until it gets a verdict that it must not get; shrink them.");
  c->footer("Example:\n  tarry hunt cluster 035_backup --runs 2000");
  c->add_option("scenario", a->scenario, "A scenario; its own faults are left out")->required();
  c->add_option("--verdict", a->verdicts, "The verdicts that it must not get")->delimiter(',')->capture_default_str();
  c->add_option("--runs", a->runs, "How many schedules of faults to try")->capture_default_str()->check(whole_number());
  c->add_option("--seed", a->seed, "The seed that the schedules are drawn from; the job keeps its own")
      ->capture_default_str()
      ->check(whole_number());
  c->add_option("--most-faults", a->most_faults, "The most faults in a schedule")
      ->capture_default_str()
      ->check(CLI::Range(1, 20));
  c->add_flag("--keep-going", a->keep_going, "After the first finding, count all runs that get such a verdict");
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = hunt_cluster(*a, line.home); });
}

}  // namespace tarry
