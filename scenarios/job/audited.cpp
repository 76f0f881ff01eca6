#include "scenarios/job/audited.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/device/merge.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

bool is_admitted(const std::string& task, const std::vector<std::string>& filters) {
  const auto name = parse_device_name(task);
  return filters.empty() || std::ranges::any_of(filters, [&](const std::string& text) {
           const auto filter = parse_device_name(text);
           return name && filter && are_compatible(*name, *filter, Compatibility::wide);
         });
}

}  // namespace

std::vector<std::vector<std::uint64_t>> tasks_to_call(const Job& job) {
  std::vector<std::uint64_t> everybody(job.cluster.tasks.size());
  std::iota(everybody.begin(), everybody.end(), std::uint64_t{0});
  std::vector<std::vector<std::uint64_t>> all(job.cluster.tasks.size(), everybody);
  for (const ClientJob& c : job.clients)
    std::erase_if(all[c.task.index()], [&](std::uint64_t t) {
      return t != c.task.value && !is_admitted(job.cluster.tasks[t].name, c.options.session.device_filters);
    });
  return all;
}

Json to_json(const std::vector<BrokenLaw>& breaches) {
  Json all = Json::array();
  for (const BrokenLaw& b : breaches) all.push_back(Json::array({b.law, b.text}));
  return all;
}

std::vector<BrokenLaw> breaches_from(const Json& json) {
  std::vector<BrokenLaw> all;
  for (const Json& b : json) all.push_back({b.at(0), b.at(1)});
  return all;
}

}  // namespace tarry
