#include "properties/conform/judged.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "placer/core/text.hpp"
#include "properties/conform/checked.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

// ---- reading ----

// [[5, [3, 0, 0]], ["rest", [1, 1, 1]]]: runs of equal vectors.
std::vector<Counts> unrolled(const Json& runs, int aggregates) {
  std::vector<Counts> vectors;
  for (const Json& run : runs) {
    const auto left = static_cast<std::size_t>(aggregates) - std::min<std::size_t>(vectors.size(), aggregates);
    const auto length = static_cast<std::int64_t>(left);
    vectors.insert(
        vectors.end(),
        run.at(0) == "rest" ? left : static_cast<std::size_t>(integer_within(run.at(0), 0, length, "vectors")),
        run.at(1).get<Counts>());
  }
  return vectors;
}

Judged::Also read_also(const Json& j, int aggregates) {
  Judged::Also also;
  if (j.contains("vectors")) also.vectors = unrolled(j.at("vectors"), aggregates);
  if (j.contains("dropped")) also.dropped = j.at("dropped").get<Counts>();
  return also;
}

Status check_keys(const Json& j) {
  const std::vector<std::string> known = {"class", "also", "dropped", "seconds", "slack", "why"};
  for (const auto& [key, value] : j.items())
    if (std::ranges::find(known, key) == known.end())
      return invalid("judged: unknown key '{}'; expected one of {}", key, join(known, ", "));
  const std::string by = j.value("class", "");
  if (by == "exact" || by == "totals") return {};
  return invalid("judged: expected \"class\": \"exact\" or \"totals\", found \"{}\"", by);
}

// ---- exact ----

// What a worker did, as one list: the same for two workers only if either may stand for the other.
Counts column(const RunSums& s, std::size_t worker, bool with_drops) {
  Counts out;
  for (const Counts* counts : {&s.steps, &s.pushes})
    if (!counts->empty()) out.push_back(counts->at(worker));
  for (const VariableSums& v : s.variables) {
    out.push_back(std::ssize(v.vectors));
    for (const Counts& held : v.vectors) out.push_back(held.at(worker));
    if (with_drops && !v.dropped.empty()) out.push_back(v.dropped.at(worker));
  }
  return out;
}

// The same for all exchanges of equal workers: each group's columns in order.
std::vector<std::pair<int, Counts>> canonical(const RunSums& s, const std::vector<int>& groups, bool with_drops) {
  std::vector<std::pair<int, Counts>> columns;
  for (std::size_t w = 0; w < groups.size(); ++w) columns.emplace_back(groups[w], column(s, w, with_drops));
  std::ranges::sort(columns);
  return columns;
}

// Their run with the variables of ours, without what either did not count.
RunSums with_variables_of(const RunSums& theirs, const RunSums& ours) {
  RunSums out = theirs;
  out.variables.clear();
  for (const VariableSums& v : ours.variables)
    out.variables.push_back(theirs.variables.at(std::min(v.stands_for, theirs.variables.size() - 1)));
  return out;
}

bool equals(const Judged& judged, const RunPair& run, const std::vector<int>& groups) {
  if (run.theirs.variables.empty()) return false;
  const RunSums theirs = with_variables_of(run.theirs, run.ours);
  return canonical(theirs, groups, judged.dropped) == canonical(run.ours, groups, judged.dropped);
}

const VariableSums* first_variable(const RunSums& s) {
  const auto found = std::ranges::find(s.variables, std::size_t{0}, &VariableSums::stands_for);
  return found == s.variables.end() ? nullptr : &*found;
}

// Whether ours is what `also` says.
bool equals_also(const Judged& judged, const RunSums& ours, const std::vector<int>& groups) {
  const VariableSums* own = first_variable(ours);
  if (!judged.also || own == nullptr) return false;
  VariableSums wanted = *own;
  if (judged.also->vectors) wanted.vectors = *judged.also->vectors;
  if (judged.also->dropped) wanted.dropped = *judged.also->dropped;
  const RunSums theirs{.variables = {wanted}}, mine{.variables = {*own}};
  return canonical(theirs, groups, judged.dropped) == canonical(mine, groups, judged.dropped);
}

std::string compare_exactly(const Judged& judged, std::span<const RunPair> runs, const std::vector<int>& groups) {
  const auto agrees = [&](const RunPair& run) {
    return equals(judged, run, groups) || equals_also(judged, run.ours, groups);
  };
  if (std::ranges::any_of(runs, agrees)) return "";
  return fmt::format("theirs: {}\n      ours: {}", to_string(runs.back().theirs), to_string(runs.back().ours));
}

// ---- totals ----

using Figures = std::map<std::string, double>;

double mixed_aggregates(const RunSums& s) {
  std::set<std::size_t> mixed;
  for (const VariableSums& v : s.variables)
    for (std::size_t k = 0; k < std::min(v.vectors.size(), s.variables[0].vectors.size()); ++k)
      if (v.vectors[k] != s.variables[0].vectors[k]) mixed.insert(k);
  return static_cast<double>(mixed.size());
}

void add_by_group(Figures& out, const char* what, const Counts& by_worker, const std::vector<int>& groups) {
  for (std::size_t w = 0; w < by_worker.size(); ++w)
    out[fmt::format("{} of group {}", what, groups[w])] += static_cast<double>(by_worker[w]);
}

void add_variable(Figures& out, const Judged& judged, const VariableSums& v, const RecordedConfig& c,
                  const std::vector<int>& groups) {
  double above = 0;
  for (const Counts& held : v.vectors) {
    add_by_group(out, "accepted", held, groups);
    above += std::accumulate(held.begin(), held.end(), std::int64_t{0}) > c.replicas ? 1 : 0;
  }
  if (judged.dropped) add_by_group(out, "dropped", v.dropped, groups);
  out["aggregates above R"] = above;
}

// Named figures of the first variable and of the run.
Figures figures(const Judged& judged, const RunSums& s, const RecordedConfig& c, const std::vector<int>& groups) {
  Figures out;
  add_by_group(out, "steps", s.steps, groups);
  if (const VariableSums* first = first_variable(s)) add_variable(out, judged, *first, c, groups);
  if (!s.variables.empty()) out["mixed aggregates"] = mixed_aggregates(s);
  return out;
}

struct Range {
  double low = 1e300, high = -1e300;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  [[nodiscard]] bool holds(double v, double part, double slack) const {
    return v >= low - std::max(slack, part * std::abs(low)) && v <= high + std::max(slack, part * std::abs(high));
  }
};

std::map<std::string, Range> ranges(const std::vector<Figures>& all) {
  std::map<std::string, Range> out;
  for (const Figures& one : all)
    for (const auto& [name, value] : one) out[name].add(value);
  return out;
}

void compare_figures(const std::vector<Figures>& theirs, const Figures& ours, double part, double slack,
                     std::vector<std::string>& differences) {
  for (const auto& [name, range] : ranges(theirs)) {
    const auto own = ours.find(name);
    const double value = own == ours.end() ? 0 : own->second;
    if (!range.holds(value, part, slack))
      differences.push_back(
          fmt::format("{}: theirs {:.4g} to {:.4g}, ours {:.4g}", name, range.low, range.high, value));
  }
}

std::string compare_totals(const Judged& judged, std::span<const RunPair> runs, const RecordedConfig& c,
                           const std::vector<int>& groups) {
  if (equals_also(judged, runs[0].ours, groups)) return "";
  std::vector<Figures> theirs, times;
  for (const RunPair& run : runs) {
    theirs.push_back(figures(judged, run.theirs, c, groups));
    times.push_back(run.theirs.seconds);
  }
  std::vector<std::string> differences;
  compare_figures(theirs, figures(judged, runs[0].ours, c, groups), 0.05, judged.slack, differences);
  if (judged.seconds) compare_figures(times, runs[0].ours.seconds, 0.08, 0, differences);
  return join(differences, "; ");
}

}  // namespace

namespace {

StatusOr<Judged> judged_from(const Json& recorded, int aggregates) {
  if (!recorded.contains("judged"))
    return invalid("no 'judged'; a recorded run says how it is compared, such as \"judged\": {{\"class\": \"exact\"}}");
  const Json& j = recorded.at("judged");
  TARRY_RETURN_IF_ERROR(check_keys(j));
  Judged judged;
  judged.by = j.at("class") == "exact" ? Judged::Class::exact : Judged::Class::totals;
  if (j.contains("also")) judged.also = read_also(j.at("also"), aggregates);
  judged.dropped = j.value("dropped", judged.dropped);
  judged.seconds = j.value("seconds", judged.seconds);
  judged.slack = j.value("slack", judged.slack);
  judged.why = j.value("why", judged.why);
  return judged;
}

}  // namespace

StatusOr<Judged> read_judged(const Json& recorded, int aggregates) {
  return refused("judged", [&] { return judged_from(recorded, aggregates); });
}

Status check_also(const Judged& judged, int workers) {
  if (!judged.also) return {};
  const auto fits = [&](const Counts& counts) { return std::cmp_equal(counts.size(), workers); };
  if (judged.also->vectors && !std::ranges::all_of(*judged.also->vectors, fits))
    return invalid("judged: also: a vector has not {} counts, one for each worker", workers);
  if (judged.also->dropped && !fits(*judged.also->dropped))
    return invalid("judged: also: 'dropped' has not {} counts, one for each worker", workers);
  return {};
}

std::string compare_runs(const Judged& judged, std::span<const RunPair> runs, const RecordedConfig& c) {
  const std::vector<int> groups = equal_workers(c);
  std::string difference = judged.by == Judged::Class::exact ? compare_exactly(judged, runs, groups)
                                                             : compare_totals(judged, runs, c, groups);
  if (!difference.empty() && !judged.why.empty()) difference += fmt::format(" (judged so: {})", judged.why);
  return difference;
}

}  // namespace tarry
