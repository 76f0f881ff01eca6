#include "scenarios/job/outcome_bytes.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "placer/core/check.hpp"
#include "scenarios/job/audited.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

Json stats_to_json(const WorldStats& s) {
  Json j{{"now", s.now},
         {"events", s.events},
         {"unpriced", s.unpriced},
         {"executions", s.executions},
         {"devices", Json::array()},
         {"traffic", Json::array()}};
  for (const DeviceUse& d : s.devices)
    j["devices"].push_back(Json::array({d.task.value, d.name, d.lanes, d.busy, d.shared, d.kernels, d.peak_bytes,
                                        d.memory_bytes, d.busy_before, d.kernels_before}));
  for (const Traffic& t : s.traffic)
    j["traffic"].push_back(
        Json::array({t.from.host.value, t.from.number, t.to.host.value, t.to.number, t.bytes, t.messages}));
  return j;
}

WorldStats stats_from(const Json& j) {
  WorldStats s{j.at("now"), j.at("events"), {}, {}, j.at("unpriced"), j.at("executions"), {}};
  for (const Json& d : j.at("devices"))
    s.devices.push_back({TaskId{d.at(0).get<std::size_t>()}, d.at(1), d.at(2), d.at(3), d.at(4), d.at(5), d.at(6),
                         d.at(7), d.at(8), d.at(9)});
  for (const Json& t : j.at("traffic"))
    s.traffic.push_back({{HostId{t.at(0).get<std::size_t>()}, t.at(1)},
                         {HostId{t.at(2).get<std::size_t>()}, t.at(3)},
                         t.at(4),
                         t.at(5)});
  return s;
}

// ---- flat arrays ----

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> take_values(std::string_view& bytes, std::size_t count) {
  check(bytes.size() >= count * sizeof(T), "a run returned too little");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

}  // namespace

std::string to_bytes(const Outcome& o) {
  const Json head{
      {"stats", stats_to_json(o.stats)},  {"audited", audited_to_json(o)},        {"faults_at", o.faults_at},
      {"events", o.causes.events.size()}, {"noted_in", o.causes.noted_in.size()}, {"nodes", o.stats.nodes.size()}};
  std::string out = head.dump() + "\n";
  out += bytes_of(o.causes.events);
  out += bytes_of(o.causes.noted_in);
  out += bytes_of(o.stats.nodes);
  return out + o.log.to_bytes();
}

StatusOr<Outcome> outcome_from_bytes(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  check(end != std::string_view::npos, "a run returned no statistics");
  const Json head = Json::parse(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  Causes causes;
  causes.events = take_values<Causes::Happened>(bytes, head.at("events"));
  causes.noted_in = take_values<std::uint32_t>(bytes, head.at("noted_in"));
  WorldStats stats = stats_from(head.at("stats"));
  stats.nodes = take_values<NodeUse>(bytes, head.at("nodes"));
  TARRY_ASSIGN(EventLog log, EventLog::from_bytes(bytes));
  Outcome out{std::move(log), std::move(stats), {}, {}, {}};
  out.faults_at = head.at("faults_at").get<std::vector<Nanos>>();
  out.causes = std::move(causes);
  add_audited(head.at("audited"), out);
  return out;
}

}  // namespace tarry
