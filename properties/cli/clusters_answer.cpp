#include "properties/cli/clusters_answer.hpp"

#include <fmt/format.h>

#include "properties/cli/hunt.hpp"
#include "results/report.hpp"
#include "results/text_table.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/must.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 118;

std::string number(std::uint64_t n, const char* one, const char* many) {
  return counted(static_cast<std::int64_t>(n), one, many);
}

// ---- findings ----

// The file of a scenario that does the same.
std::string text_of(const ClustersAnswer& a, const DrawnFinding& f) {
  std::string out = scenario_text(f.smallest, f.scenario.title + ", made smaller");
  for (const Fault& fault : f.finding.shrunk.smallest.faults)
    out += fmt::format("{}  - {}\n", &fault == &f.finding.shrunk.smallest.faults[0] ? "faults:\n" : "",
                       fault_text(fault, f.scenario.cluster));
  return a.must == Must() ? out : out + fmt::format("must: {{{}}}\n", must_text(a.must));
}

std::string replay_line(const DrawnFinding& f) {
  const bool is_endless = f.finding.broken.property == kEndless;
  return "tarry run drawn.yaml" + (is_endless ? "" : " --hash " + to_string(f.finding.hash));
}

std::string size_of(const DrawnCluster& c) {
  return fmt::format("{} and {}", number(c.workers.size(), "worker", "workers"),
                     number(c.ps.size(), "parameter server", "parameter servers"));
}

std::string in_words(const ClustersAnswer& a, const DrawnFinding& f, const FindingTold& told, const Shown& shown) {
  const ClusterFinding& found = f.finding;
  std::string out =
      fmt::format("Run {} of drawn cluster {} breaks '{}'.\n", found.number, f.cluster, found.broken.property);
  out += fmt::format("Of {} with {}, {} with {} are left ({}, each run again):\n\n", size_of(f.drawn),
                     number(found.found.faults.size(), "fault", "faults"), size_of(f.smallest),
                     number(found.shrunk.smallest.faults.size(), "fault", "faults"),
                     number(found.shrunk.tried, "smaller case checked", "smaller cases checked"));
  out += fmt::format("{}\n{}\n", text_of(a, f), to_prose(told.broken.text, shown));
  for (const Verdict& v : told.verdicts)
    if (v.text != told.broken.text) out += to_text(v, shown) + "\n";
  if (const std::string without = without_a_fault(found, told); !without.empty()) out += to_prose(without, shown);
  if (a.asked.keep_going) out += fmt::format("{} of {} runs broke it in this way.\n", f.runs, a.report.runs);
  return out + fmt::format("Replay it, with the scenario above as drawn.yaml: {}\n\n", replay_line(f));
}

// ---- what was reached ----

// "workers: 1 (3), 2 (14), ...", in lines that fit.
std::string line_of(const ReachGroup& group, const std::map<std::string, std::uint64_t>& buckets) {
  std::string out = fmt::format("  {:<38}", group.meaning);
  std::size_t used = out.size();
  for (const auto& [bucket, count] : buckets) {
    const std::string part = fmt::format(" {}: {}", bucket, count);
    if (used + part.size() > kWidth) out += fmt::format("\n{:40}", ""), used = 40;
    out += part + ",";
    used += part.size() + 1;
  }
  out.back() = '\n';
  return out;
}

std::string table(const Reach& reach) {
  std::string out = "Reached, by clusters; faults and verdicts by runs:\n";
  for (const ReachGroup& g : reach_groups())
    if (const auto it = reach.groups.find(std::string(g.key)); it != reach.groups.end()) out += line_of(g, it->second);
  return out + "\n";
}

std::string missed(const ClustersReport& r) {
  std::string out;
  for (const MarkRow& row : overdue(kMarks, r.marks.runs, r.runs))
    out += fmt::format("Of {} runs none came by '{}': too little is drawn. {}\n", r.runs, row.name, row.meaning);
  return out;
}

std::string skipped(const ClustersReport& r) {
  std::string out;
  for (const auto& [why, count] : r.skipped)
    out += fmt::format("{} left out: {}\n", number(count, "cluster was", "clusters were"), why);
  return out;
}

Json to_json(const ClustersAnswer& a, const DrawnFinding& f, const FindingTold& told) {
  Json j{{"hazard", f.finding.hazard},
         {"cluster", f.cluster},
         {"run", f.finding.number},
         {"runs", f.runs},
         {"property", f.finding.broken.property},
         {"text", told.broken.text},
         {"fingerprint", fingerprint(f.finding.broken)},
         {"faults_found", f.finding.found.faults.size()},
         {"faults", Json::array()},
         {"verdicts", Json::array()},
         {"without", without_a_fault(f.finding, told)},
         {"what_if", proofs_to_json(told.proofs)},
         {"tries", f.finding.shrunk.tried},
         {"hash", to_string(f.finding.hash)},
         {"scenario", text_of(a, f)},
         {"replay", replay_line(f)}};
  for (const Fault& fault : f.finding.shrunk.smallest.faults)
    j["faults"].push_back(faults_line({&fault, 1}, f.scenario.cluster));
  for (const Verdict& v : told.verdicts) j["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
  return j;
}

}  // namespace

std::string in_words(const ClustersAnswer& a, const Shown& shown) {
  const ClustersReport& r = a.report;
  std::string out;
  for (std::size_t i = 0; i < r.findings.size(); ++i) out += in_words(a, r.findings[i], a.told[i], shown);
  if (r.runs > 0) out += table(r.reach) + wrapped(marks_in_words(kMarks, r.marks.runs), "", shown.width);
  out += missed(r);
  out += skipped(r);
  return out + fmt::format("{}, {}, strategy {}, seed {}: {}\n", number(r.clusters, "drawn cluster", "drawn clusters"),
                           number(r.runs, "run", "runs"), a.asked.strategy, a.asked.seed,
                           r.runs == 0          ? "nothing was tried"
                           : r.findings.empty() ? "nothing found"
                                                : number(r.findings.size(), "finding", "findings"));
}

Json to_json(const ClustersAnswer& a) {
  const ClustersReport& r = a.report;
  Json j{{"strategy", a.asked.strategy}, {"seed", a.asked.seed}, {"clusters", r.clusters}, {"runs", r.runs}};
  j["broken"] = r.broken;
  j["skipped"] = Json::object();
  for (const auto& [why, count] : r.skipped) j["skipped"][why] = count;
  j["reached"] = Json::object();
  for (const ReachGroup& g : reach_groups())
    if (const auto it = r.reach.groups.find(std::string(g.key)); it != r.reach.groups.end())
      j["reached"][it->first] = it->second;
  j["marks"] = marks_to_json(kMarks, r.marks.runs);
  j["found"] = Json::array();
  for (std::size_t i = 0; i < r.findings.size(); ++i) j["found"].push_back(to_json(a, r.findings[i], a.told[i]));
  return j;
}

std::string to_junit(const ClustersAnswer& a) {
  std::vector<JunitCase> cases;
  for (std::size_t i = 0; i < a.report.findings.size(); ++i) {
    const DrawnFinding& f = a.report.findings[i];
    cases.push_back({f.finding.hazard, f.finding.broken.text, in_words(a, f, a.told[i], {})});
  }
  if (const std::string text = missed(a.report); !text.empty()) cases.push_back({"marks", text, ""});
  if (cases.empty()) cases.push_back({"laws", "", ""});
  return junit_xml("cluster", cases);
}

}  // namespace tarry
