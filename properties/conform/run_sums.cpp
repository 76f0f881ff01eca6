#include "properties/conform/run_sums.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "properties/conform/checked.hpp"
#include "results/contributions.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

constexpr char kPerAggregate[] = "seconds per aggregate";
std::string per_step(int worker) { return fmt::format("seconds per step of worker {}", worker); }

// ---- theirs ----

VariableSums recorded_variable(const Json& rep, const std::string& name, const RecordedConfig& c) {
  VariableSums v;
  for (const Json& held : rep.at("variables").at(name).at("vectors"))
    v.vectors.push_back(counts_of(held, c.workers, "vectors"));
  if (std::cmp_greater(v.vectors.size(), c.aggregates)) v.vectors.resize(static_cast<std::size_t>(c.aggregates));
  if (rep.at("dropped_per_worker").is_object())
    v.dropped = counts_of(rep.at("dropped_per_worker").at(name), c.workers, "dropped_per_worker");
  return v;
}

void add_pace(RunSums& s, const Json& variable, const RecordedConfig& c) {
  const auto at = variable.at("at").get<std::vector<double>>();
  if (std::cmp_greater_equal(at.size(), c.aggregates) && c.aggregates > 1)
    s.seconds[kPerAggregate] = (at[c.aggregates - 1] - at[0]) / (c.aggregates - 1);
}

RunSums recorded_asynchronous(const Json& rep, const RecordedConfig& c) {
  RunSums s{.steps = counts_of(rep.at("steps_at_end"), c.workers, "steps_at_end")};
  const auto pace = rep.at("steps_per_second").get<std::vector<double>>();
  for (std::size_t w = 0; w < pace.size(); ++w)
    if (pace[w] > 0) s.seconds[per_step(static_cast<int>(w))] = 1 / pace[w];
  return s;
}

// ---- ours ----

// The recorded numbers of the workers that run, in our order.
std::vector<int> present_workers(const RecordedConfig& c) {
  std::vector<int> present;
  for (const int recorded : worker_order(c))
    if (!c.absent[recorded]) present.push_back(recorded);
  return present;
}

Counts spread(const Counts& ours, const RecordedConfig& c) {
  const std::vector<int> present = present_workers(c);
  Counts out(static_cast<std::size_t>(c.workers), 0);
  for (std::size_t i = 0; i < std::min(ours.size(), present.size()); ++i) out[present[i]] = ours[i];
  return out;
}

// `a` is all of it, `counted` as far as the recording went.
VariableSums our_variable(const AccumulatorStory& a, const AccumulatorStory& counted, const RecordedConfig& c,
                          const std::map<std::string, std::size_t>& stands_for) {
  VariableSums v{.dropped = spread(counted.dropped, c)};
  const auto found = stands_for.find(a.variable.substr(0, a.variable.find(':')));
  if (found != stands_for.end()) v.stands_for = found->second;
  for (const Aggregate& g : a.aggregates)
    if (g.step <= c.aggregates) v.vectors.push_back(spread(g.by_worker, c));
  return v;
}

bool reaches(const AccumulatorStory& a, const RecordedConfig& c) {
  return std::cmp_greater_equal(a.aggregates.size(), c.aggregates);
}

// At aggregate G; zeros when it never comes.
void add_counts(RunSums& s, const Contributions& at_g, const RecordedConfig& c) {
  Counts steps, pushes;
  if (!at_g.accumulators.empty() && reaches(at_g.accumulators[0], c))
    for (std::size_t w = 0; w < at_g.workers.size(); ++w) {
      steps.push_back(at_g.workers[w].steps);
      pushes.push_back(at_g.accumulators[0].pushed[w]);
    }
  s.steps = spread(steps, c);
  s.pushes = spread(pushes, c);
}

RunSums our_asynchronous(const EventLog& log, const RecordedConfig& c) {
  const Contributions all = read_contributions(log);
  const std::vector<int> present = present_workers(c);
  RunSums s;
  Counts steps;
  for (std::size_t i = 0; i < all.workers.size(); ++i) {
    const auto& ended = all.workers[i].step_ended;
    steps.push_back(all.workers[i].steps);
    if (ended.size() > 1)
      s.seconds[per_step(present.at(i))] =
          in_seconds(ended.back() - ended.front()) / static_cast<double>(ended.size() - 1);
  }
  s.steps = spread(steps, c);
  return s;
}

std::string show(const std::vector<Counts>& vectors) {
  std::string out;
  for (std::size_t i = 0; i < vectors.size();) {
    std::size_t n = 1;
    while (i + n < vectors.size() && vectors[i + n] == vectors[i]) ++n;
    out += fmt::format("{}{}x{}", out.empty() ? "" : " ", vectors[i], n);
    i += n;
  }
  return out.substr(0, 400);
}

}  // namespace

Counts counts_of(const Json& list, int workers, const char* key) {
  Counts counts = integers_within(list, 0, std::int64_t{1} << 40, key);
  if (std::cmp_not_equal(counts.size(), workers))
    malformed("{} has {} counts for {} workers", key, counts.size(), workers);
  return counts;
}

std::int64_t recorded_aggregates(const Json& rep) {
  if (!rep.contains("variables") || rep.at("variables").empty()) return 0;
  return std::ssize(rep.at("variables").front().at("vectors"));
}

RunSums recorded_sums(const Json& rep, const RecordedConfig& c) {
  if (c.is_async) return recorded_asynchronous(rep, c);
  RunSums s;
  for (const RecordedVariable& v : c.vars) {
    if (!rep.at("variables").contains(v.name)) continue;
    s.variables.push_back(recorded_variable(rep, v.name, c));
    s.variables.back().stands_for = s.variables.size() - 1;
    if (s.seconds.empty()) add_pace(s, rep.at("variables").at(v.name), c);
  }
  if (rep.contains("steps_at_G")) s.steps = counts_of(rep.at("steps_at_G"), c.workers, "steps_at_G");
  if (rep.contains("pushes_at_G")) s.pushes = counts_of(rep.at("pushes_at_G"), c.workers, "pushes_at_G");
  return s;
}

RunSums our_sums(const EventLog& log, const Json& rep, const RecordedConfig& c,
                 const std::map<std::string, std::size_t>& stands_for) {
  if (c.is_async) return our_asynchronous(log, c);
  const Contributions all = read_contributions(log), counted = read_contributions(log, recorded_aggregates(rep));
  RunSums s;
  for (std::size_t i = 0; i < counted.accumulators.size(); ++i)
    s.variables.push_back(our_variable(all.accumulators[i], counted.accumulators[i], c, stands_for));
  if (!all.accumulators.empty() && reaches(all.accumulators[0], c) && c.aggregates > 1) {
    const auto& g = all.accumulators[0].aggregates;
    s.seconds[kPerAggregate] = in_seconds(g[c.aggregates - 1].at - g[0].at) / (c.aggregates - 1);
  }
  add_counts(s, read_contributions(log, c.aggregates), c);
  return s;
}

std::string to_string(const RunSums& s) {
  std::string out = fmt::format("steps {} pushes {}", s.steps, s.pushes);
  for (const auto& [name, value] : s.seconds) out += fmt::format(", {:.4f} {}", value, name);
  if (s.variables.empty()) return out + ", no aggregates";
  for (const VariableSums& v : s.variables) out += fmt::format("; dropped {}, {}", v.dropped, show(v.vectors));
  return out;
}

}  // namespace tarry
