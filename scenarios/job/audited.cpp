#include "scenarios/job/audited.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/device/merge.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

bool has_filters(const ClientJob& c) { return !c.options.session.device_filters.empty(); }

bool is_admitted(const std::string& task, const std::vector<std::string>& filters) {
  const auto name = parse_device_name(task);
  return std::ranges::any_of(filters, [&](const std::string& text) {
    const auto filter = parse_device_name(text);
    return name && filter && are_compatible(*name, *filter, Compatibility::wide);
  });
}

}  // namespace

std::vector<std::vector<std::uint64_t>> tasks_to_call(const Job& job) {
  if (std::ranges::none_of(job.clients, has_filters)) return {};
  std::vector<std::uint64_t> everybody(job.cluster.tasks.size());
  std::iota(everybody.begin(), everybody.end(), std::uint64_t{0});
  std::vector<std::vector<std::uint64_t>> all(job.cluster.tasks.size(), everybody);
  for (const ClientJob& c : job.clients)
    if (has_filters(c))
      std::erase_if(all[c.task.index()], [&](std::uint64_t t) {
        return t != c.task.value && !is_admitted(job.cluster.tasks[t].name, c.options.session.device_filters);
      });
  return all;
}

Json audited_to_json(const Outcome& outcome) {
  Json breaches = Json::array();
  for (const BrokenLaw& b : outcome.breaches) breaches.push_back(Json::array({b.law, b.text}));
  return {{"marks", outcome.audit.marks.to_string()}, {"breaches", breaches}};
}

void add_audited(const Json& json, Outcome& outcome) {
  outcome.audit.marks = Marks(json.at("marks").get<std::string>());
  for (const Json& b : json.at("breaches")) outcome.breaches.push_back({b.at(0), b.at(1)});
}

}  // namespace tarry
