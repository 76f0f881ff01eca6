#include "results/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

Json devices_json(const Report& r) {
  Json all = Json::array();
  for (const DeviceRow& d : r.devices)
    all.push_back({{"device", d.device},
                   {"kernels", d.kernels},
                   {"busy_s", in_seconds(d.busy)},
                   {"peak_bytes", d.peak_bytes},
                   {"memory_bytes", d.memory_bytes}});
  return all;
}

Json costs_json(const Report& r) {
  return {{"scenario", r.costs[0]},
          {"measured", r.costs[1]},
          {"roofline", r.costs[2]},
          {"default", r.costs[3]},
          {"default_ops", r.unpriced}};
}

// Of all steps but the first: mean, median and the 95th of 100.
Json step_times_json(const WorkerStory& w) {
  std::vector<double> times;
  for (std::size_t i = 1; i < w.step_times.size(); ++i) times.push_back(in_seconds(w.step_times[i]));
  if (times.empty()) return nullptr;
  std::ranges::sort(times);
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {{"mean_s", sum / static_cast<double>(times.size())},
          {"median_s", times[times.size() / 2]},
          {"p95_s", times[times.size() * 95 / 100]}};
}

Json aggregates_json(const AccumulatorStory& a) {
  Json list = Json::array();
  for (const Aggregate& g : a.aggregates)
    list.push_back({{"step", g.step}, {"by_worker", g.by_worker}, {"at_s", in_seconds(g.at)}});
  return list;
}

}  // namespace

nlohmann::ordered_json proofs_to_json(std::span<const Proof> proofs) {
  Json all = Json::array();
  for (const Proof& p : proofs)
    all.push_back({{"cause", p.what}, {"instead", p.instead}, {"gain", p.gain}, {"goes_on", p.goes_on}});
  return all;
}

nlohmann::ordered_json to_json(const Report& r) {
  Json j{{"title", r.title}, {"hash", r.hash}, {"seed", r.seed}, {"time_s", in_seconds(r.time)}, {"events", r.events}};
  if (!r.flow_engine.empty()) j["flow_engine"] = r.flow_engine;
  j["verdicts"] = Json::array();
  for (const Verdict& v : r.verdicts) j["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
  if (r.breaches) j["broken"] = Json::array();
  for (const Breach& b : r.breaches.value_or(std::vector<Breach>()))
    j["broken"].push_back({{"property", b.property}, {"text", b.text}});
  j["what_if"] = proofs_to_json(r.proofs);
  const Contributions& c = r.contributions;
  j["aggregates"] = c.accumulators.empty() ? Json::array() : aggregates_json(c.accumulators[0]);
  j["accumulators"] = Json::array();
  for (const AccumulatorStory& a : c.accumulators)
    j["accumulators"].push_back({{"name", a.name},
                                 {"variable", a.variable},
                                 {"dropped", a.dropped},
                                 {"left", a.left},
                                 {"aggregates", aggregates_json(a)}});
  j["workers"] = Json::array();
  for (std::size_t w = 0; w < c.workers.size(); ++w) {
    const bool sync = !c.accumulators.empty();
    j["workers"].push_back({{"task", r.tasks.names[c.workers[w].task.index()]},
                            {"steps", c.workers[w].steps},
                            {"accepted", sync ? c.accumulators[0].accepted[w] : 0},
                            {"dropped", sync ? c.accumulators[0].dropped[w] : 0},
                            {"tokens", c.workers[w].tokens},
                            {"step_times", step_times_json(c.workers[w])}});
  }
  j["global_step"] = c.global_step;
  j["devices"] = devices_json(r);
  j["costs"] = costs_json(r);
  j["links"] = Json::array();
  for (const LinkRow& l : r.links) {
    nlohmann::ordered_json& link = j["links"].emplace_back();
    link = {{"from", l.from}, {"to", l.to}, {"messages", l.messages}, {"bytes", l.bytes}};
    if (l.from_nic) link["from_nic"] = *l.from_nic;
    if (l.to_nic) link["to_nic"] = *l.to_nic;
  }
  j["notes"] = r.notes;
  return j;
}

}  // namespace tarry
