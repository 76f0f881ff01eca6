// `tarry hunt cluster` without a scenario: clusters drawn at random.

#include <fmt/format.h>

#include "properties/cli/clusters_answer.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/cluster/saved.hpp"
#include "properties/hunting/saved_pair.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/screen.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

Status check_drawn(const ClusterArguments& a) {
  if (!a.bugs.empty()) return invalid("--bugs needs a scenario: it replays what was found for that one; see --save");
  if (a.decisive) return invalid("--decisive needs a scenario; save a finding with --save and hunt that");
  TARRY_RETURN_IF_ERROR(check_outputs({{"--junit", a.junit}}, {}));
  return a.save.empty() ? Status() : make_folder(a.save);
}

// Of each finding.
StatusOr<std::vector<FindingTold>> told(const ClustersHunt& hunt, const ClustersReport& r) {
  std::vector<FindingTold> all;
  for (const DrawnFinding& f : r.findings) {
    TARRY_ASSIGN(const Job job, make_job(f.scenario, {hunt.graphs, false, {}}));
    all.push_back(hunt.is_time_up() ? told_without_proofs(f.finding) : told_or_said(f.finding, job, hunt.must));
  }
  return all;
}

StatusOr<ClustersAnswer> answer(const ClusterArguments& a, const Home& home, const HeldInterrupt& interrupt) {
  ClustersHunt settings{.graphs = home.graphs(),
                        .runs = a.runs,
                        .each = a.each.value_or(ClustersHunt().each),
                        .processes = a.processes,
                        .keep_going = a.keep_going,
                        .check_share = a.check_share};
  settings.strategy = {.seed = a.seed, .most_faults = a.most_faults};
  TARRY_ASSIGN(settings.strategy.kind, strategy_of(a.strategy));
  TARRY_ASSIGN(settings.is_time_up, time_limit(a, interrupt));
  if (a.must) {
    auto must = parse_must(*a.must, Scenario());
    if (!must.ok()) return with_prefix(must.status(), "--must: ");
    TARRY_RETURN_IF_ERROR(check_can_be_hunted(*must));
    settings.must = *std::move(must);
  }
  const HuntProgress progress(a.runs, "run");
  settings.watch = progress.watch();
  TARRY_ASSIGN(ClustersReport report, hunt(settings, progress));
  TARRY_ASSIGN(std::vector<FindingTold> all_told, told(settings, report));
  return ClustersAnswer{a, settings.must, std::move(report), std::move(all_told)};
}

Status keep(const ClustersAnswer& answer, const Home& home) {
  const ClusterArguments& a = answer.asked;
  for (const DrawnFinding& f : answer.report.findings) {
    if (a.save.empty()) break;
    const FoundBy by{f.scenario.title + ", made smaller", scenario_text(f.smallest, f.scenario.title), answer.must,
                     command_of(a)};
    TARRY_ASSIGN(const std::string saved,
                 save_finding(f.finding, f.scenario, by, {home.graphs(), home.cases()}, a.save));
    say_written(saved);
  }
  return a.junit.empty() ? Status() : write_and_say(a.junit, to_junit(answer));
}

}  // namespace

int hunt_drawn_clusters(const ClusterArguments& a, const Home& home) {
  if (const Status s = check_drawn(a); !s.ok()) return refuse(s);
  const HeldInterrupt interrupt;
  const auto found = answer(a, home, interrupt);
  if (!found.ok()) return refuse(found.status());
  fmt::print("{}", a.json ? json_text(to_json(*found), 1) + "\n" : in_words(*found, shown_here()));
  if (const Status s = keep(*found, home); !s.ok()) return refuse(s);
  if (interrupt.has_come()) {
    complain("tarry: interrupted; this is what was known by then\n");
    return kInterrupted;
  }
  const ClustersReport& r = found->report;
  if (!r.findings.empty()) return kSafety;
  return overdue(kMarks, r.marks.runs, r.runs).empty() ? kOk : kExpectationFailed;
}

}  // namespace tarry
