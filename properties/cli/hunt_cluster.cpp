// `tarry hunt cluster`: faults against one job.

#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/cluster/saved.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct ClusterArguments {
  std::string scenario, strategy = "portfolio";
  std::optional<std::string> must, time;
  std::string save, bugs, junit;
  std::uint64_t seed = 1, runs = 1'000;
  int most_faults = 4, processes = 1;
  bool json = false, keep_going = false;
};

// ---- what is hunted ----

struct Hunted {
  Scenario scenario;
  Job job;
  Must must;
};

StatusOr<Hunted> hunted(const ClusterArguments& a, const Home& home) {
  TARRY_ASSIGN(Scenario scenario, open_scenario(a.scenario, home));
  scenario.faults.clear();
  Must must = scenario.must.value_or(usual_must());
  if (a.must) {
    auto asked = parse_must(*a.must, scenario);
    if (!asked.ok()) return with_prefix(asked.status(), "--must: ");
    must = *std::move(asked);
  }
  TARRY_ASSIGN(Job job, make_job(scenario, {home.graphs(), false, {}}));
  return Hunted{std::move(scenario), std::move(job), std::move(must)};
}

StatusOr<StrategyKind> strategy_of(const std::string& key) {
  std::vector<std::string> keys;
  for (const StrategyText& s : strategies()) {
    if (s.key == key) return s.kind;
    keys.emplace_back(s.key);
  }
  return invalid("no strategy is called '{}'{}; expected one of {}", key, did_you_mean(key, keys), join(keys, ", "));
}

// ---- what was found ----

// The finding as one line for a shell.
std::string replay_line(const ClusterArguments& a, const Job& job, const ClusterFinding& f) {
  return fmt::format("tarry run {} --faults {}{} --hash {}", shell_word(a.scenario),
                     shell_word(faults_line(f.shrunk.smallest.faults, job.cluster)),
                     a.must ? " --must " + shell_word(*a.must) : "", to_string(f.hash));
}

std::string share_of_runs(const ClusterReport& r, const ClusterFinding& f) {
  return fmt::format("{} of {} runs ({:.1f} %)", f.runs.size(), r.runs,
                     100.0 * static_cast<double>(f.runs.size()) / static_cast<double>(r.runs));
}

// What the verdicts say of it: why it is so, and what would cure it.
std::string why(const ClusterFinding& f) {
  std::string out;
  for (const Verdict& v : f.verdicts)
    if (v.text != f.broken.text) out += fmt::format("Verdict: {}\n  {}\n", v.kind, v.text);
  return out.empty() ? "" : out + "\n";
}

std::string in_words(const ClusterArguments& a, const Job& job, const ClusterReport& r, const ClusterFinding& f) {
  const auto& smallest = f.shrunk.smallest.faults;
  std::string out = fmt::format("Run {} breaks '{}'. Of {}, {} {} needed ({} tries):\n", f.number, f.broken.property,
                                counted(std::ssize(f.found.faults), "fault", "faults"), smallest.size(),
                                smallest.size() == 1 ? "is" : "are", f.shrunk.tried);
  for (const Fault& fault : smallest) out += fmt::format("    {}\n", faults_line({&fault, 1}, job.cluster));
  if (f.checked > 0)
    out += fmt::format("Without any one of them the job keeps to it ({} checked).\n",
                       counted(static_cast<std::int64_t>(f.checked), "run", "runs"));
  out += fmt::format("\n{}\n\n{}", f.broken.text, why(f));
  if (a.keep_going) out += fmt::format("It is so in {}.\n", share_of_runs(r, f));
  return out + fmt::format("Replay it: {}\n\n", replay_line(a, job, f));
}

std::string_view in_words(Now now) {
  return now == Now::still_fails ? "still fails" : now == Now::changed ? "changed" : "gone";
}

Json to_json(const ClusterArguments& a, const Job& job, const ClusterReport& r, const std::vector<Replayed>& known) {
  Json j{{"scenario", a.scenario}, {"strategy", a.strategy}, {"seed", a.seed}, {"runs", r.runs}, {"left", r.left}};
  j["tried_all_different"] = r.tried_all_different;
  j["features"] = r.features;
  j["broken"] = r.broken;
  j["not_shrunk"] = r.not_shrunk;
  if (!a.bugs.empty()) j["known"] = Json::array();
  for (const Replayed& k : known)
    j["known"].push_back({{"hazard", k.known.hazard}, {"folder", k.known.folder}, {"now", in_words(k.now)}});
  j["found"] = Json::array();
  for (const ClusterFinding& f : r.findings) {
    Json found{{"hazard", f.hazard},
               {"run", f.number},
               {"runs", f.runs.size()},
               {"property", f.broken.property},
               {"text", f.broken.text},
               {"fingerprint", fingerprint(f.broken)},
               {"faults_found", f.found.faults.size()},
               {"faults", Json::array()},
               {"verdicts", Json::array()},
               {"tries", f.shrunk.tried},
               {"checked", f.checked},
               {"hash", to_string(f.hash)},
               {"replay", replay_line(a, job, f)}};
    for (const Fault& fault : f.shrunk.smallest.faults)
      found["faults"].push_back(faults_line({&fault, 1}, job.cluster));
    for (const Verdict& v : f.verdicts) found["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
    j["found"].push_back(std::move(found));
  }
  return j;
}

// ---- what is kept ----

Status save_all(const ClusterArguments& a, const Hunted& what, const ClusterReport& r, const Home& home) {
  const FoundBy by{
      a.scenario, what.must,
      fmt::format("tarry hunt cluster {} --strategy {} --seed {}", shell_word(a.scenario), a.strategy, a.seed)};
  for (const std::string& folder : {a.save, a.bugs})
    for (const ClusterFinding& f : r.findings) {
      if (folder.empty()) continue;
      TARRY_ASSIGN(const std::string saved, save_finding(f, what.scenario, by, home.graphs(), folder));
      complain(fmt::format("wrote {}\n", saved));
    }
  return {};
}

Status write_junit(const ClusterArguments& a, const Hunted& what, const ClusterReport& r,
                   const std::vector<Replayed>& known) {
  if (a.junit.empty()) return {};
  std::vector<JunitCase> cases;
  for (const Replayed& k : known)
    cases.push_back({"known: " + k.known.hazard, k.now == Now::gone ? "" : std::string(in_words(k.now)), ""});
  for (const ClusterFinding& f : r.findings) cases.push_back({f.hazard, f.broken.text, in_words(a, what.job, r, f)});
  if (cases.empty()) cases.push_back({must_text(what.must), "", ""});
  return write_file(a.junit, junit_xml("cluster", cases));
}

void print_hazards(const ClusterReport& r) {
  fmt::print("{:>8} {:>8}  what is broken, and by what ({} of {} runs broke something)\n", "runs", "first", r.broken,
             r.runs);
  for (const ClusterFinding& f : r.findings) fmt::print("{:>8} {:>8}  {}\n", f.runs.size(), f.number, f.hazard);
  if (r.not_shrunk > 0) fmt::print("{:>8} {:>8}  not shrunk\n", r.not_shrunk, "");
}

std::string left_in_words(const ClusterReport& r) {
  if (r.left == 0) return "";
  return fmt::format("; {} schedules are left{}", r.left,
                     r.tried_all_different ? ", at moments that look like others" : "");
}

void print(const ClusterArguments& a, const Job& job, const ClusterReport& r, const std::vector<Replayed>& known) {
  if (a.json) return fmt::print("{}\n", json_text(to_json(a, job, r, known), 1));
  for (const Replayed& k : known) fmt::print("known, {}: {} ({})\n", in_words(k.now), k.known.hazard, k.known.folder);
  for (const ClusterFinding& f : r.findings) fmt::print("{}", in_words(a, job, r, f));
  if (a.keep_going) print_hazards(r);
  fmt::print(
      "{} runs, strategy {}, seed {}: {}{}\n", r.runs, a.strategy, a.seed,
      r.findings.empty() ? "the job kept to all that it must" : counted(std::ssize(r.findings), "finding", "findings"),
      left_in_words(r));
}

StatusOr<std::vector<Replayed>> replay_known(const ClusterArguments& a, const Hunted& what) {
  if (a.bugs.empty()) return std::vector<Replayed>();
  TARRY_ASSIGN(const auto known, known_findings(a.bugs, what.scenario));
  Trials trials(what.job, what.must);
  TARRY_RETURN_IF_ERROR(trials.look_without_faults());
  return replay(trials, known);
}

int hunt_cluster(const ClusterArguments& a, const Home& home) {
  const auto strategy = strategy_of(a.strategy);
  if (!strategy.ok()) return refuse(strategy.status());
  const auto time = a.time ? parse_time(*a.time) : StatusOr<Nanos>(Nanos{0});
  if (!time.ok()) return refuse(with_prefix(time.status(), "--time: "));
  const auto what = hunted(a, home);
  if (!what.ok()) return refuse(what.status());
  ClusterHunt settings{.job = what->job,
                       .must = what->must,
                       .strategy = {*strategy, a.seed, a.most_faults},
                       .runs = a.runs,
                       .processes = a.processes,
                       .keep_going = a.keep_going};
  const Stopwatch watch;
  if (a.time) settings.is_time_up = [&] { return watch.seconds() >= in_seconds(*time); };
  const auto known = replay_known(a, *what);
  if (!known.ok()) return refuse(known.status());
  const auto report = hunt(settings, HuntProgress(a.runs));
  if (!report.ok()) return refuse(report.status());
  print(a, what->job, *report, *known);
  if (const Status s = save_all(a, *what, *report, home); !s.ok()) return refuse(s);
  if (const Status s = write_junit(a, *what, *report, *known); !s.ok()) return refuse(s);
  const bool still_fails = std::ranges::any_of(*known, [](const Replayed& k) { return k.now != Now::gone; });
  return report->findings.empty() && !still_fails ? kOk : kSafety;
}

std::string strategy_help() {
  std::string text = "Strategies:\n";
  for (const StrategyText& s : strategies()) text += fmt::format("  {:<10} {}\n", s.key, s.meaning);
  return text;
}

void add_cluster_options(CLI::App& c, ClusterArguments& a) {
  c.add_option("--most-faults", a.most_faults, "The most faults in a schedule")
      ->capture_default_str()
      ->check(CLI::Range(1, 20));
  c.add_option("-j,--processes", a.processes, "How many processes run schedules; what is found is the same")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000));
  c.add_flag("--keep-going", a.keep_going,
             "After the first finding, go on: find each other way to break it, and count");
  c.add_option("--save", a.save, "Keep each finding in this folder, as a scenario with its story and outcome");
  c.add_option("--bugs", a.bugs,
               "A folder of such findings: those of this scenario are replayed first, new ones are added");
  c.add_option("--junit", a.junit, "Write a file of JUnit XML, a test case for each finding");
  c.add_flag("--json", a.json, "Print one JSON object");
}

}  // namespace

void add_hunt_cluster(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<ClusterArguments>();
  CLI::App* c =
      hunt.add_subcommand("cluster", "Put faults to a job until it breaks what it must keep to; shrink them.");
  c->footer(strategy_help() +
            "\nExamples:\n  tarry hunt cluster 035_backup --runs 2000\n"
            "  tarry hunt cluster my_job --must 'progress: 60s, lost_steps: 10' --time 60s -j 2\n"
            "  tarry hunt cluster 040_worker_dies --strategy sweep --most-faults 1 --runs 1000000 --keep-going");
  c->add_option("scenario", a->scenario, "A scenario; its own faults are left out")->required();
  c->add_option("--must", a->must,
                "What the job must keep to, in place of the scenario's own; where nobody says it: 'never: [failed, "
                "progress_lost, stuck]'");
  c->add_option("--strategy", a->strategy, "Which faults are tried next")->capture_default_str();
  c->add_option("--runs", a->runs, "How many schedules of faults to try")->capture_default_str()->check(whole_number());
  c->add_option("--time", a->time, "How long to begin further runs, such as 60s");
  c->add_option("--seed", a->seed, "The seed that the schedules are drawn from; the job keeps its own")
      ->capture_default_str()
      ->check(whole_number());
  add_cluster_options(*c, *a);
  c->callback([a, &line] { line.exit_code = hunt_cluster(*a, line.home); });
}

}  // namespace tarry
