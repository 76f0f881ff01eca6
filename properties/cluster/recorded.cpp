#include "properties/cluster/recorded.hpp"

#include <fstream>

#include "properties/cluster/planted.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

PlantedClusterBug bug_called(std::string_view name) {
  const auto known = planted_cluster_bugs();
  const auto it = std::ranges::find(known, name, &KnownClusterBug::name);
  return it == known.end() ? PlantedClusterBug::none : it->bug;
}

}  // namespace

std::vector<RecordedFinding> read_recorded(const std::string& file) {
  std::vector<RecordedFinding> all;
  std::ifstream in(file);
  for (RecordedFinding f; in >> f.scenario >> f.planted >> f.seed >> f.hash &&
                          std::getline(in >> std::ws, f.property, '|') && std::getline(in, f.faults);)
    all.push_back(f);
  return all;
}

std::string to_text(const RecordedFinding& f) {
  return fmt::format("{} {} {} {} {}|{}\n", f.scenario, f.planted, f.seed, f.hash, f.property, f.faults);
}

std::string problem_of(const RecordedFinding& f, const Scenario& scenario, Job job, const Must& must) {
  const auto faults = parse_faults(f.faults, scenario);
  if (!faults.ok()) return std::string(text_of(faults.status()));
  job.seed = f.seed;
  job.planted = bug_called(f.planted);
  Trials trials(std::move(job), must);
  if (const auto healthy = trials.without_faults(); !healthy.ok()) return std::string(text_of(healthy.status()));
  const auto ran = trials.run({*faults});
  if (!ran.ok()) return std::string(text_of(ran.status()));
  if (std::ranges::find(ran->broken, f.property, &Breach::property) == ran->broken.end())
    return fmt::format("'{}' is not broken", f.property);
  return to_string(ran->hash) == f.hash ? "" : fmt::format("the hash is {}, not {}", to_string(ran->hash), f.hash);
}

}  // namespace tarry
