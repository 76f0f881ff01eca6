#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "results/first_difference.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/held_interrupt.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/page_of_run.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/run_outputs.hpp"
#include "scenarios/cli/screen.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/file/units.hpp"
#include "scenarios/job/kept.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  ScenarioChoice scenario;
  std::string hash;
  RunOutputs outputs;
  std::optional<std::string> faults, must, until;
  bool json = false, check = false, details = false, wide = false, cures = false;
  std::optional<std::uint64_t> seed;
};

std::string file_of_outcome(const Scenario& s) { return fs::path(s.file).parent_path() / "expected.json"; }

// How the run differs from what the scenario's folder keeps as its outcome; "" = not. UPDATE=1 rewrites that.
StatusOr<std::string> other_than_kept(const Scenario& s, const Job& job, const Report& r) {
  const std::string file = file_of_outcome(s);
  const bool update = std::getenv("UPDATE") != nullptr && std::string_view(std::getenv("UPDATE")) == "1";
  TARRY_ASSIGN(const std::string kept, fs::exists(file) ? read_file(file) : StatusOr<std::string>(""));
  if (!update) return kept.empty() ? "" : compare_with_expected(r, flow_engine(job), kept);
  TARRY_RETURN_IF_ERROR(write_and_say(file, expected_text(r, flow_engine(job), kept)));
  return std::string();
}

std::string other_verdicts(const Scenario& s, const Report& r) {
  if (meets_expectation(s, r)) return "";
  std::vector<std::string> got;
  for (const Verdict& v : r.verdicts) got.push_back(v.kind);
  return fmt::format("expected {}, got {}", join(s.expect.verdicts, ", "), join(got, ", "));
}

// Other verdicts than both files have are one mismatch.
std::string mismatch(const Scenario& s, std::string outcome, const std::string& verdicts) {
  const bool is_one = !verdicts.empty() && outcome.starts_with("verdicts: ");
  const std::string anew = fmt::format("UPDATE=1 writes {} anew", file_of_outcome(s));
  std::string out;
  if (!outcome.empty() && !is_one)
    out += fmt::format("Not the expected outcome: {}\nWhere the change is meant, {}; it may also be deleted.\n",
                       outcome, anew);
  if (!verdicts.empty())
    out += fmt::format(
        "Not the expected verdicts: {}\nWhere the change is meant, change `expect` in {}, or delete it "
        "there{}.\n",
        verdicts, s.file, is_one ? "; then " + anew + ", or delete that file" : "");
  return out;
}

// The exit code of a run: all that differs is said, and each difference once.
int check_expected(const Scenario& s, const Job& job, const Report& r, bool is_other_seed) {
  const StatusOr<std::string> outcome = is_other_seed ? "" : other_than_kept(s, job, r);
  if (!outcome.ok()) return refuse(outcome.status());
  const std::string said = mismatch(s, *outcome, other_verdicts(s, r));
  if (!said.empty()) complain(said);
  return said.empty() ? kOk : kExpectationFailed;
}

// The run goes on in a process of its own, which draws the line and gets the signal, too: it ends where it is then.
StatusOr<Outcome> run_watched(Job& job, const HeldInterrupt& interrupt) {
  ProgressLine progress;
  job.watch = [&progress](Nanos now, std::uint64_t events) {
    progress.show([&](double) { return fmt::format("{:.1f} s simulated, {} events", in_seconds(now), events); });
  };
  job.interrupted = [&interrupt] { return interrupt.has_come(); };
  auto outcome = run_apart(job);
  job.watch = nullptr;  // they end with this function, the job does not
  job.interrupted = nullptr;
  return outcome;
}

StatusOr<std::vector<Proof>> prove_watched(const Scenario& s, const RunOptions& options, const Job& job,
                                           const Outcome& outcome) {
  ProgressLine progress;
  const ProofWatch watch = [&progress](const Proof& proof, Nanos now) {
    progress.show([&](double) { return fmt::format("again {}: {:.1f} s simulated", proof.instead, in_seconds(now)); });
  };
  TARRY_ASSIGN(std::vector<WhatIf> designs, likely_designs(s, options));
  return prove(job, outcome, watch, std::move(designs));
}

StatusOr<std::optional<TriedCures>> try_watched(const RunArguments& a, const Patient& patient, const Report& report) {
  if (!a.cures) return std::nullopt;
  ProgressLine progress;
  return try_cures(patient, report.verdicts, [&progress](const Proof& tried, Nanos now) {
    progress.show([&](double) { return fmt::format("again {}: {:.1f} s simulated", tried.instead, in_seconds(now)); });
  });
}

// The answer is printed: with --json it is the one object on standard output.
int refuse_after_answer(const Status& why) {
  complain(fmt::format("tarry: {}\n", text_of(why)));
  return why.code() == Code::kInternal ? kInternal : kBadInput;
}

// ---- the same run once more ----

// Exit code 5 when a second run, in another process whose memory is laid out otherwise, is not the same.
int check_twice(const RunArguments& a, const Job& job, const Outcome& first) {
  Job again = job;
  again.shifts_memory = true;
  const auto second = run_apart(again);
  if (!second.ok()) return refuse_after_answer(second.status());
  const std::string difference = first_difference(first.log, second->log, first.tasks);
  if (difference.empty() && !a.json) fmt::print("A second run, in another process, gave the same events.\n");
  if (difference.empty()) return kOk;
  complain(
      fmt::format("tarry: two runs of one scenario and seed differ, which is a defect of tarry: {}\n", difference));
  return kNonDeterminism;
}

// What a run reads.
std::vector<NamedFile> inputs_of(const Scenario& s, const Home& home) {
  std::vector<NamedFile> files{{"the scenario", s.file}, {"the expected outcome", file_of_outcome(s)}};
  for (const std::string& file : s.measured) files.push_back({"what was measured", file});
  std::vector<std::string> graphs;
  for (const ProgramSpec& p : s.programs) graphs.push_back(p.graph);
  if (s.build) graphs.push_back(s.build->graph);
  for (const std::string& graph : graphs)
    if (const auto found = find_graph(graph, home.graphs()); found.ok()) {
      files.push_back({"a graph", found->graph});
      files.push_back({"what is said of a graph", found->sidecar});
    }
  return files;
}

// `cures`: null = nobody asked.
void print(const Report& report, const RunArguments& a, const TriedCures* cures = nullptr) {
  Shown shown = shown_here();
  shown.every_aggregate = a.details;
  shown.everything = a.wide;
  if (!a.json) return fmt::print("{}{}", to_text(report, shown), cures == nullptr ? "" : to_text(*cures, shown));
  nlohmann::ordered_json j = to_json(report);
  if (cures != nullptr) j["cures"] = to_json(*cures);
  fmt::print("{}\n", json_text(j, 1));
}

// What makes the page again.
std::string command_of(const RunArguments& a) {
  std::string out = "tarry run " + in_words(a.scenario);
  if (a.seed) out += fmt::format(" --seed {}", *a.seed);
  for (const auto& [option, value] : {std::pair("--faults", a.faults), {"--must", a.must}, {"--until", a.until}})
    if (value) out += fmt::format(" {} {}", option, shell_word(*value));
  return out + " --report " + shell_word(a.outputs.page);
}

int tell_so_far(const Scenario& s, const Job& job, const Outcome& o, const RunArguments& a, const std::string& when) {
  const Report report = make_report(s, job, o, {});
  print(report, a);
  complain(fmt::format("tarry: interrupted {}; this is what was known by then\n", when));
  const Status written = write_outputs(a.outputs, {s, job, o, report, command_of(a)});
  return written.ok() ? kInterrupted : refuse_after_answer(written);
}

bool breaks_must(const Report& report) { return report.breaches && !report.breaches->empty(); }

bool has_expected_outcome(const Scenario& s) { return fs::exists(file_of_outcome(s)); }

// What is broken is expected only where expected.json says so, which speaks of the scenario's own `must`.
int code_of_expected(const Scenario& s, const Job& job, Report report, const RunArguments& a) {
  const bool is_broken = breaks_must(report);
  if (a.must) report.breaches.reset();
  const int code = check_expected(s, job, report, a.seed.has_value());
  if (code != kOk) return code;
  if (is_broken && (a.must || a.seed || !has_expected_outcome(s))) return kExpectationFailed;
  if (!a.json && !a.seed)
    fmt::print("This is the outcome that the scenario expects{}.\n",
               is_broken ? ", and it expects that to be broken" : "");
  return kOk;
}

int exit_code_for(const Scenario& s, const Job& job, const Report& report, const RunArguments& a) {
  if (exit_code_of(report.verdicts) == kSafety) return kSafety;  // whatever was expected
  const bool expects_nothing = s.expect.verdicts.empty() && !has_expected_outcome(s);
  if (!expects_nothing && !a.faults && !a.until && !a.scenario.changes()) return code_of_expected(s, job, report, a);
  const int code = exit_code_of(report.verdicts);
  return code == kOk && breaks_must(report) ? kExpectationFailed : code;
}

Status look_at_must(const Scenario& s, const Job& job, const Outcome& o, Report& report) {
  if (!s.must) return {};
  TARRY_ASSIGN(report.breaches, breaches(*s.must, job, o, report.verdicts));
  return {};
}

// --faults and --must stand in place of the scenario's own.
Status use_options(const RunArguments& a, Scenario& s) {
  TARRY_RETURN_IF_ERROR(use_faults(a.faults, s));
  if (a.must) {
    const auto must = parse_must(*a.must, s);
    if (!must.ok()) return with_prefix(must.status(), "--must: ");
    s.must = *must;
  }
  if (a.until) {
    const auto until = parse_time(*a.until);
    if (!until.ok()) return with_prefix(until.status(), "--until: ");
    s.stop = {.time = *until};
  }
  return {};
}

// Exit code 1 when it is not the run that --hash names.
int check_hash(const RunArguments& a, const Report& report) {
  if (a.hash == report.hash && !a.json) fmt::print("This is the run that --hash names.\n");
  if (a.hash.empty() || report.hash == a.hash) return kOk;
  complain(fmt::format(
      "Not the run that --hash names: expected {}, got {}. Another version of tarry, another scenario, graph "
      "or seed gives another run.\n",
      a.hash, report.hash));
  return kExpectationFailed;
}

StatusOr<Job> job_of(const RunArguments& a, const Scenario& s, const Home& home) {
  TARRY_ASSIGN(Job job, make_job(s, {home.graphs(), needs_kernels(a.outputs), a.seed}));
  TARRY_RETURN_IF_ERROR(check_step(a.outputs, job));
  job.audits = true;
  job.keep_causes = !a.outputs.page.empty();
  return job;
}

// Prints what there is to tell of a run that has ended by itself. Gives its report.
StatusOr<Report> tell(const RunArguments& a, const Scenario& s, const Job& job, const Outcome& outcome,
                      const Home& home) {
  const RunOptions options{home.graphs(), job.keep_kernels, a.seed};
  TARRY_ASSIGN(const std::vector<Proof> proofs, prove_watched(s, options, job, outcome));
  Report report = make_report(s, job, outcome, proofs);
  TARRY_RETURN_IF_ERROR(look_at_must(s, job, outcome, report));
  TARRY_ASSIGN(const auto cures, try_watched(a, {s, options, job, outcome, proofs}, report));
  print(report, a, cures ? &*cures : nullptr);
  return report;
}

// The same; Ctrl-C ends the further runs. Fails then: CANCELLED.
StatusOr<Report> tell_held(const RunArguments& a, const Scenario& s, Job& job, const Outcome& outcome, const Home& home,
                           const HeldInterrupt& interrupt) {
  job.interrupted = [&interrupt] { return interrupt.has_come(); };
  auto report = tell(a, s, job, outcome, home);
  job.interrupted = nullptr;
  return report;
}

int run(const RunArguments& a, const Home& home) {
  auto scenario = open_scenario(a.scenario, home);
  if (!scenario.ok()) return refuse(scenario.status());
  if (const Status s = use_options(a, *scenario); !s.ok()) return refuse(s);
  if (const Status s = check_outputs(a.outputs, inputs_of(*scenario, home)); !s.ok()) return refuse(s);
  auto job = job_of(a, *scenario, home);
  if (!job.ok()) return refuse(job.status());
  auto interrupt = std::make_optional<HeldInterrupt>();
  const auto outcome = run_watched(*job, *interrupt);
  if (!outcome.ok()) return refuse(outcome.status());
  const Nanos ran = outcome->log.ended_at - outcome->log.started_at;
  if (interrupt->has_come())
    return tell_so_far(*scenario, *job, *outcome, a, fmt::format("at {:.3f} s of simulated time", in_seconds(ran)));
  job->keep_causes = false;  // the other runs need none
  const auto report = tell_held(a, *scenario, *job, *outcome, home, *interrupt);
  if (!report.ok() && interrupt->has_come())
    return tell_so_far(*scenario, *job, *outcome, a, "while the job ran again without its causes");
  interrupt.reset();
  if (!report.ok()) return refuse(report.status());
  if (const Status s = write_outputs(a.outputs, {*scenario, *job, *outcome, *report, command_of(a)}); !s.ok())
    return refuse_after_answer(s);
  if (const int code = a.check ? check_twice(a, *job, *outcome) : kOk; code != kOk) return code;
  if (const int code = check_hash(a, *report); code != kOk) return code;
  return exit_code_for(*scenario, *job, *report, a);
}

// What is wrong with it; "" = nothing.
std::string wrong_hash(const std::string& hash) {
  const bool is_one = hash.size() == 32 && hash.find_first_not_of("0123456789abcdef") == hash.npos;
  return is_one ? "" : "expected the 32 hexadecimal digits after 'hash' at the end of a run";
}

}  // namespace

void add_run(CommandLine& line) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* c = &line.command;
  add_options(*c, a->scenario);
  c->add_flag("--json", a->json, "Print one JSON object");
  add_options(*c, a->outputs);
  c->add_option("--seed", a->seed,
                "Run with this seed; `expect` of the scenario still holds, expected.json is not compared")
      ->check(whole_number());
  add_faults_option(*c, a->faults);
  c->add_option("--must", a->must,
                "What the job must keep to, in place of the scenario's own: 'progress: 60s, share: 20 %'");
  c->add_option("--until", a->until, "End the run at that time, such as 90s, in place of what the scenario says");
  c->add_option("--hash", a->hash, "The hash that the run must have; exit code 1 if it has another one")
      ->check(wrong_hash);
  c->add_flag("--cures", a->cures,
              "Try what the verdicts say is to be done, by running the job again: what each gains");
  c->add_flag("--wide", a->wide,
              "Print every row and column of the tables, and every aggregate, however many there are");
  c->add_flag("--details", a->details, "Print every aggregate, however many different ones there are");
  c->add_flag(
      "--check", a->check,
      "Run a second time in another process, and compare: exit code 5 and the first difference if there is one");
  c->callback([a, &line] { line.exit_code = run(*a, line.home); });
}

void add_schema(CommandLine& line) {
  CLI::App* c = &line.command;
  c->callback([&line] {
    fmt::print("{}\n", scenario_schema());
    line.exit_code = kOk;
  });
}

void add_test(CommandLine& line) {
  CLI::App* c = &line.command;
  c->callback([&line] {
    line.exit_code = refuse(invalid("the launcher runs the tests: call ./tarry test in the project's folder"));
  });
}

}  // namespace tarry
