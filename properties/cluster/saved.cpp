#include "properties/cluster/saved.hpp"

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "properties/hunting/saved_pair.hpp"
#include "results/json_text.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/job/kept.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

std::string file_of(const Scenario& s) { return fs::weakly_canonical(s.file).string(); }

// "progress_by_kill_ps".
std::string name_of(const std::string& hazard) {
  std::string name;
  for (const unsigned char c : hazard)
    if (std::isalnum(c) != 0)
      name += static_cast<char>(std::tolower(c));
    else if (!name.empty() && !name.ends_with('_'))
      name += '_';
  if (name.ends_with('_')) name.pop_back();
  return name.substr(0, 80);
}

std::string title_of(const ClusterFinding& f, const ClusterSpec& cluster) {
  if (f.shrunk.smallest.faults.empty()) return fmt::format("'{}' is broken without any fault", f.broken.property);
  return fmt::format("'{}' is broken by: {}", f.broken.property, faults_line(f.shrunk.smallest.faults, cluster));
}

// ---- the scenario ----

// A path that starts at the scenario's folder, as it is from another one.
void move_path(YAML::Node path, const fs::path& from, const fs::path& to) {
  if (!path.IsDefined() || !path.IsScalar()) return;
  const fs::path file = from / path.Scalar();
  std::error_code failed;
  if (fs::exists(file, failed)) path = fs::relative(file, to, failed).string();
}

void move_paths(YAML::Node scenario, const fs::path& from, const fs::path& to) {
  for (auto program : scenario["programs"]) move_path(program["graph"], from, to);
  if (scenario["build"]) move_path(scenario["build"]["graph"], from, to);
  for (auto file : scenario["measured"]) move_path(file, from, to);
}

std::string text_of_scenario(const ClusterFinding& f, const Scenario& s, const FoundBy& by, const std::string& folder) {
  YAML::Node out = YAML::Load(by.text);
  if (!s.file.empty()) move_paths(out, fs::path(s.file).parent_path(), folder);
  out["title"] = title_of(f, s.cluster);
  out["faults"] = YAML::Node(YAML::NodeType::Sequence);
  for (const Fault& fault : f.shrunk.smallest.faults) out["faults"].push_back(YAML::Load(fault_text(fault, s.cluster)));
  out.remove("must");
  if (by.must != Must()) out["must"] = YAML::Load(fmt::format("{{{}}}", must_text(by.must)));
  out.remove("expect");
  return YAML::Dump(out) + "\n";
}

// ---- its document ----

std::string meaning_of(const Fault& fault, const ClusterSpec& cluster) {
  const std::string line = faults_line({&fault, 1}, cluster), key = line.substr(0, line.find(' '));
  for (const FaultKindText& kind : fault_kinds())
    if (kind.key == key) return fmt::format("- `{}` (`{}`: {})\n", line, key, kind.meaning);
  return fmt::format("- `{}`\n", line);
}

std::string document(const ClusterFinding& f, const Scenario& s, const FoundBy& by) {
  const auto& faults = f.shrunk.smallest.faults;
  std::string out =
      fmt::format("# {}\n\n**What goes wrong.** The job of `{}` gets {}{}:\n\n", title_of(f, s.cluster), by.scenario,
                  faults.empty()       ? "no fault"
                  : faults.size() == 1 ? "this fault"
                                       : "these faults",
                  s.faults.empty() ? "" : " in place of its own");
  for (const Fault& fault : faults) out += meaning_of(fault, s.cluster);
  const std::string must = by.must == Must() ? "" : fmt::format("The job must keep to `{}`. ", must_text(by.must));
  out += fmt::format("\n**What is broken.** {}{}\n", must, f.broken.text);
  for (const Verdict& v : f.verdicts)
    if (v.text != f.broken.text) out += fmt::format("\n**Verdict `{}`.** {}\n", v.kind, v.text);
  if (f.checked > 0)
    out += fmt::format("\n**Nothing can be left out.** Leave out {}, and this does not happen ({} checked).\n",
                       faults.size() == 1 ? "the fault" : "any one of them",
                       f.checked == 1 ? std::string("1 run was") : fmt::format("{} runs were", f.checked));
  return out + fmt::format("\n**Origin.** Run {} of `{}` broke it under {}; shrinking left {}.\n", f.number, by.command,
                           counted(std::ssize(f.found.faults), "fault", "faults"), faults.size());
}

// ---- its outcome ----

// Runs the saved scenario; it must break the same.
StatusOr<std::string> outcome_text(const std::string& folder, const ClusterFinding& f, const std::string& graphs) {
  TARRY_ASSIGN(const Scenario saved, load_scenario(folder));
  TARRY_ASSIGN(Job job, make_job(saved, {graphs, false, {}}));
  job.audits = true;
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  TARRY_ASSIGN(const auto proofs, prove(job, outcome));
  Report report = make_report(saved, job, outcome, proofs);
  if (saved.must) {
    TARRY_ASSIGN(report.breaches, breaches(*saved.must, job, outcome, report.verdicts));
  }
  std::vector<Breach> broken = law_breaches(outcome);
  if (report.breaches) broken.insert(broken.end(), report.breaches->begin(), report.breaches->end());
  if (report.hash != to_string(f.hash) || std::ranges::find(broken, fingerprint(f.broken), fingerprint) == broken.end())
    return error(Code::kInternal, "{}: the saved scenario does not do what the finding did", folder);
  return expected_text(report, flow_engine(job), "");
}

std::string finding_text(const ClusterFinding& f, const Scenario& s) {
  return json_text({{"scenario", file_of(s)},
                    {"hazard", f.hazard},
                    {"fingerprint", fingerprint(f.broken)},
                    {"faults", faults_line(f.shrunk.smallest.faults, s.cluster)},
                    {"hash", to_string(f.hash)}},
                   1) +
         "\n";
}

StatusOr<std::optional<KnownFinding>> known_finding(const fs::path& folder, const Scenario& s) {
  const std::string file = folder / "finding.json";
  TARRY_ASSIGN(const std::string text, read_file(file));
  const auto j = nlohmann::json::parse(text, nullptr, false);
  for (const char* key : {"scenario", "hazard", "fingerprint", "faults", "hash"})
    if (!j.is_object() || !j.contains(key) || !j[key].is_string())
      return invalid("{}: expected an object with a text '{}', as a hunt writes it", file, key);
  if (j["scenario"] != file_of(s)) return std::optional<KnownFinding>();
  auto faults = parse_faults(j["faults"].get<std::string>(), s);
  if (!faults.ok()) return with_prefix(faults.status(), file + ": ");
  return std::optional(KnownFinding{folder, j["hazard"], j["fingerprint"], j["hash"], Schedule{*std::move(faults)}});
}

// Whether a finding of that scenario may be written there: nothing is there, or one of the same scenario.
bool is_free(const fs::path& own, const Scenario& s) {
  std::error_code none;
  if (!fs::exists(own, none)) return true;
  const auto text = read_file(own / "finding.json");
  const auto j = text.ok() ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  return j.is_object() && j.contains("scenario") && j["scenario"] == file_of(s);
}

// "progress_by_kill_ps", or, where that is another scenario's, "progress_by_kill_ps_2".
fs::path folder_for(const std::string& hazard, const Scenario& s, const std::string& folder) {
  const std::string name = name_of(hazard);
  fs::path own = fs::path(folder) / name;
  for (int n = 2; !is_free(own, s); ++n) own = fs::path(folder) / fmt::format("{}_{}", name, n);
  return own;
}

}  // namespace

StatusOr<std::string> save_finding(const ClusterFinding& f, const Scenario& s, const FoundBy& by,
                                   const std::string& graphs, const std::string& folder) {
  const std::string own = folder_for(f.hazard, s, folder);
  TARRY_RETURN_IF_ERROR(make_folder(own));
  TARRY_RETURN_IF_ERROR(save_text(own + "/scenario.yaml", text_of_scenario(f, s, by, own)));
  TARRY_RETURN_IF_ERROR(save_text(own + "/README.md", document(f, s, by)));
  TARRY_RETURN_IF_ERROR(save_text(own + "/finding.json", finding_text(f, s)));
  if (f.broken.property == kEndless) return own;
  TARRY_ASSIGN(const std::string outcome, outcome_text(own, f, graphs));
  TARRY_RETURN_IF_ERROR(save_text(own + "/expected.json", outcome));
  return own;
}

StatusOr<std::vector<KnownFinding>> known_findings(const std::string& folder, const Scenario& s) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (fs::exists(entry.path() / "finding.json")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<KnownFinding> all;
  for (const fs::path& path : folders) {
    TARRY_ASSIGN(auto one, known_finding(path, s));
    if (one) all.push_back(*std::move(one));
  }
  return all;
}

StatusOr<std::vector<Replayed>> replay(Trials& trials, const std::vector<KnownFinding>& known) {
  std::vector<Replayed> all;
  for (const KnownFinding& k : known) {
    TARRY_ASSIGN(const Trial t, trials.run(k.schedule));
    const bool is_same =
        to_string(t.hash) == k.hash && std::ranges::find(t.broken, k.fingerprint, fingerprint) != t.broken.end();
    all.push_back({k, is_same ? Now::still_fails : t.broken.empty() ? Now::gone : Now::changed});
  }
  return all;
}

}  // namespace tarry
