#include "properties/cluster/saved.hpp"

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "properties/cluster/told.hpp"
#include "properties/hunting/saved_pair.hpp"
#include "results/json_text.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/named_files.hpp"
#include "scenarios/file/outcome.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

// Its file as it is from the finding's folder, or the name of one that ships: so a copy of both folders, or another
// checkout, knows it. "" of a drawn one.
std::string name_of(const Scenario& s, const fs::path& own, const std::string& cases) {
  if (s.file.empty()) return "";
  const fs::path file = fs::weakly_canonical(s.file), folder = file.parent_path();
  if (folder.parent_path() == fs::weakly_canonical(cases)) return folder.filename().string();
  return fs::relative(file, own).generic_string();
}

// Whether the finding in that folder says that it is of that scenario; earlier ones say so by the whole path.
bool is_of(const std::string& named, const Scenario& s, const fs::path& own, const std::string& cases) {
  return named == name_of(s, own, cases) || (!s.file.empty() && named == fs::weakly_canonical(s.file).string());
}

// "stuck_by_kill_ps".
std::string folder_name_of(const std::string& hazard) {
  std::string name;
  for (const unsigned char c : hazard)
    if (std::isalnum(c) != 0)
      name += static_cast<char>(std::tolower(c));
    else if (!name.empty() && !name.ends_with('_'))
      name += '_';
  if (name.ends_with('_')) name.pop_back();
  return name.substr(0, 80);
}

// ---- the scenario ----

// A path that starts at the scenario's folder, as it is from another one.
void move_path(YAML::Node path, const fs::path& from, const fs::path& to) {
  const fs::path file = from / path.Scalar();
  std::error_code failed;
  if (fs::exists(file, failed)) path = fs::relative(file, to, failed).string();
}

std::string text_of_scenario(const ClusterFinding& f, const Scenario& s, const FoundBy& by, const std::string& folder) {
  YAML::Node out = YAML::Load(by.text);
  if (!s.file.empty())
    for_each_named_file(out, [&](const YAML::Node& path) { move_path(path, fs::path(s.file).parent_path(), folder); });
  out["title"] = finding_title(f, s.cluster);
  out["faults"] = YAML::Node(YAML::NodeType::Sequence);
  for (const Fault& fault : f.shrunk.smallest.faults) out["faults"].push_back(YAML::Load(fault_text(fault, s.cluster)));
  out.remove("must");
  if (by.must != Must()) out["must"] = YAML::Load(fmt::format("{{{}}}", must_text(by.must)));
  out.remove("expect");
  return YAML::Dump(out) + "\n";
}

// ---- its outcome ----

struct SavedOutcome {
  FindingTold told;
  std::string expected;  // the text of expected.json
};

// Runs the saved scenario, with proofs; it must break the same.
StatusOr<SavedOutcome> outcome_of(const std::string& folder, const ClusterFinding& f, const std::string& graphs) {
  if (!is_shown_by_one_run(f.broken)) return SavedOutcome{told_without_proofs(f), ""};
  TARRY_ASSIGN(const Scenario saved, load_scenario(folder));
  TARRY_ASSIGN(const Job job, make_job(saved, {graphs, false, {}}));
  auto run = tell(f, job, saved.must.value_or(Must()));
  if (!run.ok()) return with_prefix(run.status(), folder + ": ");
  Report report = make_report(saved, job, run->outcome, run->told.proofs);
  if (saved.must) report.breaches = std::move(run->of_must);
  return SavedOutcome{std::move(run->told), expected_text(report, flow_engine(job), "")};
}

std::string finding_text(const ClusterFinding& f, const Scenario& s, const std::string& own, const std::string& cases) {
  return json_text({{"scenario", name_of(s, own, cases)},
                    {"hazard", f.hazard},
                    {"fingerprint", fingerprint(f.broken)},
                    {"faults", faults_line(f.shrunk.smallest.faults, s.cluster)},
                    {"hash", to_string(f.hash)}},
                   1) +
         "\n";
}

StatusOr<std::optional<KnownFinding>> known_finding(const fs::path& folder, const Scenario& s,
                                                    const std::string& cases) {
  const std::string file = folder / "finding.json";
  TARRY_ASSIGN(const std::string text, read_file(file));
  const auto j = nlohmann::json::parse(text, nullptr, false);
  for (const char* key : {"scenario", "hazard", "fingerprint", "faults", "hash"})
    if (!j.is_object() || !j.contains(key) || !j[key].is_string())
      return invalid("{}: expected an object with a text '{}', as a hunt writes it", file, key);
  if (!is_of(j["scenario"], s, folder, cases)) return std::optional<KnownFinding>();
  auto faults = parse_faults(j["faults"].get<std::string>(), s);
  if (!faults.ok()) return with_prefix(faults.status(), file + ": ");
  return std::optional(KnownFinding{folder, j["hazard"], j["fingerprint"], j["hash"], Schedule{*std::move(faults)}});
}

// Whether a finding may be written there: nothing is there, or the same hazard of the same scenario.
bool is_free(const fs::path& own, const ClusterFinding& f, const Scenario& s, const std::string& cases) {
  std::error_code none;
  if (!fs::exists(own, none)) return true;
  const auto text = read_file(own / "finding.json");
  const auto j = text.ok() ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  const auto says = [&](const char* key) {
    return j.is_object() && j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : std::string();
  };
  return is_of(says("scenario"), s, own, cases) && says("hazard") == f.hazard;
}

// "stuck_by_kill_ps", or, where that is another finding's, "stuck_by_kill_ps_2".
fs::path folder_for(const ClusterFinding& f, const Scenario& s, const std::string& cases, const std::string& folder) {
  const std::string name = folder_name_of(f.hazard);
  fs::path own = fs::path(folder) / name;
  for (int n = 2; !is_free(own, f, s, cases); ++n) own = fs::path(folder) / fmt::format("{}_{}", name, n);
  return own;
}

}  // namespace

StatusOr<std::string> save_finding(const ClusterFinding& f, const Scenario& s, const FoundBy& by,
                                   const Shipped& shipped, const std::string& folder) {
  const std::string own = folder_for(f, s, shipped.cases, folder);
  TARRY_RETURN_IF_ERROR(make_folder(own));
  TARRY_RETURN_IF_ERROR(save_text(own + "/scenario.yaml", text_of_scenario(f, s, by, own)));
  TARRY_RETURN_IF_ERROR(save_text(own + "/finding.json", finding_text(f, s, own, shipped.cases)));
  TARRY_ASSIGN(const SavedOutcome outcome, outcome_of(own, f, shipped.graphs));
  const bool had_faults = YAML::Load(by.text)["faults"].size() > 0;
  const FindingOrigin origin{by.scenario, had_faults, by.must == Must() ? "" : must_text(by.must), by.command};
  TARRY_RETURN_IF_ERROR(save_text(own + "/README.md", finding_document(f, s.cluster, origin, outcome.told)));
  if (!outcome.expected.empty()) TARRY_RETURN_IF_ERROR(save_text(own + "/expected.json", outcome.expected));
  return own;
}

StatusOr<std::vector<KnownFinding>> known_findings(const std::string& folder, const Scenario& s,
                                                   const std::string& cases) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (fs::exists(entry.path() / "finding.json")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<KnownFinding> all;
  for (const fs::path& path : folders) {
    TARRY_ASSIGN(auto one, known_finding(path, s, cases));
    if (one) all.push_back(*std::move(one));
  }
  return all;
}

StatusOr<std::vector<Replayed>> replay(Trials& trials, const std::vector<KnownFinding>& known) {
  std::vector<Replayed> all;
  for (const KnownFinding& k : known) {
    const bool is_of_two = k.fingerprint.starts_with(kDeterminism);
    TARRY_ASSIGN(const Trial t, trials.run(k.schedule, {.twice = is_of_two}));
    const bool is_broken = std::ranges::find(t.broken, k.fingerprint, fingerprint) != t.broken.end();
    const bool is_same = is_broken && (is_of_two || to_string(t.hash) == k.hash);
    all.push_back({k, is_same ? Now::still_fails : t.broken.empty() ? Now::gone : Now::changed});
  }
  return all;
}

}  // namespace tarry
