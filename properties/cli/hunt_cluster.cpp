// `tarry hunt cluster SCENARIO`: faults against one job; and the options of all of `tarry hunt cluster`.

#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "properties/cli/cluster_answer.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/hunting/saved_pair.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/held_interrupt.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/screen.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

// ---- what is hunted ----

StatusOr<Hunted> hunted(const ClusterArguments& a, const Home& home) {
  TARRY_ASSIGN(Scenario scenario, open_scenario(a.scenario, home));
  scenario.faults.clear();
  Must must = scenario.must.value_or(usual_must());
  if (a.must) {
    auto asked = parse_must(*a.must, scenario);
    if (!asked.ok()) return with_prefix(asked.status(), "--must: ");
    must = *std::move(asked);
  }
  TARRY_RETURN_IF_ERROR(check_can_be_hunted(must));
  TARRY_ASSIGN(Job job, make_job(scenario, {home.graphs(), false, {}}));
  return Hunted{std::move(scenario), std::move(job), std::move(must)};
}

// ---- the hunt, and what is kept ----

StatusOr<std::vector<Replayed>> replay_known(const ClusterArguments& a, const Hunted& what, const Home& home) {
  if (a.bugs.empty()) return std::vector<Replayed>();
  TARRY_ASSIGN(const auto known, known_findings(a.bugs, what.scenario, home.cases()));
  Trials trials(what.job, what.must);
  TARRY_RETURN_IF_ERROR(trials.look_without_faults());
  return replay(trials, known);
}

// One for each finding, if they were asked for.
StatusOr<std::vector<DecisiveMoment>> decisive_moments(const ClusterArguments& a, const Hunted& what,
                                                       const ClusterReport& r) {
  std::vector<DecisiveMoment> all;
  if (!a.decisive) return all;
  Trials trials(what.job, what.must);
  TARRY_RETURN_IF_ERROR(trials.look_without_faults());
  for (const ClusterFinding& f : r.findings) {
    TARRY_ASSIGN(DecisiveMoment m, decisive_moment(trials, f, {.seed = a.seed, .most_faults = a.most_faults}));
    all.push_back(std::move(m));
  }
  return all;
}

// Of each finding. One that is healed has no proofs: without its faults there is nothing to heal.
std::vector<FindingTold> told(const ClusterHunt& hunt, const ClusterReport& r) {
  std::vector<FindingTold> all;
  for (const ClusterFinding& f : r.findings)
    all.push_back(hunt.heals || hunt.is_time_up() ? told_without_proofs(f) : told_or_said(f, hunt.job, hunt.must));
  return all;
}

StatusOr<ClusterAnswer> answer(const ClusterArguments& a, const Hunted& what, const Home& home,
                               const HeldInterrupt& interrupt) {
  TARRY_ASSIGN(const StrategyKind strategy, strategy_of(a.strategy));
  ClusterHunt settings{.job = what.job,
                       .must = what.must,
                       .strategy = {strategy, a.seed, a.most_faults},
                       .runs = a.runs,
                       .processes = a.processes,
                       .keep_going = a.keep_going,
                       .check_share = a.check_share,
                       .budget = a.only_recoverable ? Budget::recoverable : Budget::unlimited,
                       .heals = a.heals};
  TARRY_ASSIGN(settings.is_time_up, time_limit(a, interrupt));
  ClusterAnswer out{a, what, {}, {}, {}, {}};
  TARRY_ASSIGN(out.known, replay_known(a, what, home));
  for (const Replayed& k : out.known)
    if (k.now == Now::still_fails) settings.known.insert(k.known.hazard);
  const HuntProgress progress(a.runs, "run");
  settings.watch = progress.watch();
  TARRY_ASSIGN(out.report, hunt(settings, progress));
  out.told = told(settings, out.report);
  if (!interrupt.has_come()) {
    TARRY_ASSIGN(out.moments, decisive_moments(a, what, out.report));
  }
  return out;
}

Status keep(const ClusterAnswer& answer, const Home& home) {
  const ClusterArguments& a = answer.asked;
  TARRY_ASSIGN(const std::string text, read_file(answer.what.scenario.file));
  const FoundBy by{a.scenario, text, answer.what.must, command_of(a)};
  Status first;  // that could not be kept; the others are
  for (const std::string& folder : {a.save, a.bugs})
    for (const ClusterFinding& f : answer.report.findings) {
      if (folder.empty()) continue;
      const auto saved = save_finding(f, answer.what.scenario, by, {home.graphs(), home.cases()}, folder);
      if (saved.ok()) say_written(*saved);
      if (first.ok()) first = saved.status();
    }
  const Status junit = a.junit.empty() ? Status() : write_and_say(a.junit, to_junit(answer));
  return first.ok() ? junit : first;
}

// Before the hunt: what cannot be written, or would replace the scenario.
Status check_what_is_kept(const ClusterArguments& a, const Scenario& scenario) {
  TARRY_RETURN_IF_ERROR(check_outputs({{"--junit", a.junit}}, {{"the scenario", scenario.file}}));
  for (const std::string& folder : {a.save, a.bugs})
    if (!folder.empty()) TARRY_RETURN_IF_ERROR(make_folder(folder));
  return {};
}

// A job that does not heal, by design of TensorFlow, is no counterexample of a rule.
int exit_code_of(const ClusterAnswer& answer) {
  const bool still_fails = std::ranges::any_of(answer.known, [](const Replayed& k) { return k.now != Now::gone; });
  const bool is_hazard = std::ranges::all_of(
      answer.report.findings, [](const ClusterFinding& f) { return f.broken.property.starts_with(kHazard); });
  if (still_fails || !is_hazard) return kSafety;
  return answer.report.findings.empty() ? kOk : kExpectationFailed;
}

int hunt_cluster(const ClusterArguments& a, const Home& home) {
  if (a.scenario.empty() && (a.heals || a.only_recoverable))
    return refuse(invalid("--heal and --budget are for one job: name a scenario"));
  if (a.scenario.empty()) return hunt_drawn_clusters(a, home);
  if (a.each) return refuse(invalid("--each is for clusters that are drawn, without a scenario"));
  const auto what = hunted(a, home);
  if (!what.ok()) return refuse(what.status());
  if (const Status s = check_what_is_kept(a, what->scenario); !s.ok()) return refuse(s);
  const HeldInterrupt interrupt;
  const auto found = answer(a, *what, home, interrupt);
  if (!found.ok()) return refuse(found.status());
  fmt::print("{}", a.json ? json_text(to_json(*found), 1) + "\n" : in_words(*found, shown_here()));
  if (const Status s = keep(*found, home); !s.ok()) return refuse(s);
  if (interrupt.has_come()) {
    complain("tarry: interrupted; this is what was known by then\n");
    return kInterrupted;
  }
  return exit_code_of(*found);
}

std::string strategy_help() {
  std::string text = "Strategies:\n";
  for (const StrategyText& s : strategies()) text += fmt::format("  {:<10} {}\n", s.key, s.meaning);
  return text;
}

void add_cluster_budget(CLI::App& c, ClusterArguments& a) {
  c.add_option("--runs", a.runs, "How many runs, each under a schedule of faults")
      ->capture_default_str()
      ->check(whole_number());
  c.add_option("--time", a.time, "How long to begin further runs, also those that make a finding smaller, such as 60s");
  c.add_option("--seed", a.seed, "The seed that the schedules are drawn from; the job keeps its own")
      ->capture_default_str()
      ->check(whole_number());
  c.add_option("--each", a.each, "Runs of each drawn cluster, the one without faults among them; 50 if not given")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
}

void add_cluster_options(CLI::App& c, ClusterArguments& a) {
  c.add_option("--most-faults", a.most_faults, "The most faults in a schedule")
      ->capture_default_str()
      ->check(CLI::Range(1, 20));
  c.add_option("-j,--processes", a.processes, "How many processes run schedules; what is found is the same")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000));
  c.add_option("--check-share", a.check_share, "Percent of the runs that are run twice and must be the same")
      ->capture_default_str()
      ->check(CLI::Range(0, 100));
  c.add_flag("--keep-going", a.keep_going,
             "After the first finding, go on: find each other way to break it, and count");
  c.add_flag("--decisive", a.decisive, "Tell when the fate of each finding was decided: 200 runs more for each");
  c.add_option("--save", a.save, "Keep each finding in this folder, as a scenario with its story and outcome");
  c.add_option("--bugs", a.bugs,
               "A folder of such findings: those of this scenario are replayed first, new ones are added");
  c.add_option("--junit", a.junit, "Write a file of JUnit XML, a test case for each finding")->check(new_file());
  c.add_flag("--json", a.json, "Print one JSON object");
}

// After the options that healing excludes.
void add_heal_options(CLI::App& c, ClusterArguments& a) {
  auto* heals = c.add_flag("--heal", a.heals,
                           "After the faults, give the core of the job all that it needs, and see whether it makes "
                           "steps again: exit code 3 for a defect of the runtime, 1 for a hazard of the job");
  for (const char* other : {"--must", "--decisive", "--save", "--bugs"}) heals->excludes(c.get_option(other));
  c.add_option_function<std::string>(
       "--budget", [&a](const std::string& word) { a.only_recoverable = word == "recoverable"; },
       "Which faults are drawn: unlimited, or recoverable: those that the protocol is meant to recover from by itself")
      ->default_str("unlimited")
      ->check(CLI::IsMember({"unlimited", "recoverable"}));
}

}  // namespace

StatusOr<StrategyKind> strategy_of(const std::string& key) {
  std::vector<std::string> keys;
  for (const StrategyText& s : strategies()) {
    if (s.key == key) return s.kind;
    keys.emplace_back(s.key);
  }
  return invalid("no strategy is called '{}'{}; expected one of {}", key, did_you_mean(key, keys), join(keys, ", "));
}

StatusOr<std::function<bool()>> time_limit(const ClusterArguments& a, const HeldInterrupt& interrupt) {
  const auto time = a.time ? parse_time(*a.time) : StatusOr<Nanos>(kForever);
  if (!time.ok()) return with_prefix(time.status(), "--time: ");
  return [&interrupt, watch = Stopwatch(), most = in_seconds(*time)] {
    return interrupt.has_come() || watch.seconds() >= most;
  };
}

FindingTold told_or_said(const ClusterFinding& finding, const Job& job, const Must& must) {
  auto with_proofs = told_of(finding, job, must);
  if (with_proofs.ok()) return *std::move(with_proofs);
  complain(fmt::format("tarry: no proofs for '{}': {}\n", finding.hazard, text_of(with_proofs.status())));
  return told_without_proofs(finding);
}

Status check_can_be_hunted(const Must& must) {
  const auto kind = std::ranges::find_if(must.never, needs_further_runs);
  if (kind == must.never.end()) return {};
  return error(Code::kInvalidArgument,
               "must: never: [{}]: a hunt cannot look for '{}', which only further runs of each run can show; expected "
               "another verdict, such as stuck, stalled or failed, or 'throughput: 80 %'",
               join(must.never, ", "), *kind);
}

std::string command_of(const ClusterArguments& a) {
  const ClusterArguments usual;
  std::string out = "tarry hunt cluster" + (a.scenario.empty() ? "" : " " + shell_word(a.scenario));
  if (a.must) out += " --must " + shell_word(*a.must);
  out += fmt::format(" --strategy {} --seed {}", a.strategy, a.seed);
  if (a.runs != usual.runs) out += fmt::format(" --runs {}", a.runs);
  if (a.each) out += fmt::format(" --each {}", *a.each);
  if (a.most_faults != usual.most_faults) out += fmt::format(" --most-faults {}", a.most_faults);
  if (a.check_share != usual.check_share) out += fmt::format(" --check-share {}", a.check_share);
  if (a.only_recoverable) out += " --budget recoverable";
  return a.keep_going ? out + " --keep-going" : out;
}

void add_hunt_cluster(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<ClusterArguments>();
  CLI::App* c =
      hunt.add_subcommand("cluster",
                          "Put faults to a job until it breaks what it must keep to, and shrink them; without a "
                          "scenario, put them to clusters drawn at random, and shrink these too.");
  c->footer(strategy_help() +
            "\nExamples:\n  tarry hunt cluster 035_backup --runs 2000\n"
            "  tarry hunt cluster my_job --must 'progress: 60s, lost_steps: 10' --time 60s -j 2\n"
            "  tarry hunt cluster 040_worker_dies --heal --budget recoverable --runs 300\n"
            "  tarry hunt cluster 040_worker_dies --strategy sweep --most-faults 1 --runs 1000000 --keep-going\n"
            "  tarry hunt cluster --runs 100000 --time 10min -j 2 --save found");
  c->add_option("scenario", a->scenario,
                "A scenario; its own faults are left out. Without one, clusters are drawn, and only defects of tarry "
                "count (broken laws, instants without an end, runs that differ), and what --must asks for");
  c->add_option(
      "--must", a->must,
      "What the job must keep to, in place of the scenario's own; where nobody says it, a scenario's job must "
      "'never: [failed, progress_lost, stuck]'");
  c->add_option("--strategy", a->strategy, "Which faults are tried next")->capture_default_str();
  add_cluster_budget(*c, *a);
  add_cluster_options(*c, *a);
  add_heal_options(*c, *a);
  c->callback([a, &line] { line.exit_code = hunt_cluster(*a, line.home); });
}

}  // namespace tarry
