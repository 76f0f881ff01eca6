#include "scenarios/sweep/figures.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Measure& m) {
  constexpr const char* kBetter[] = {"more", "less", "neither"};
  return {
      {"name", m.name}, {"unit", m.unit}, {"what", m.what}, {"better", kBetter[static_cast<std::size_t>(m.better)]}};
}

Json interval_of(const std::optional<Interval>& i) {
  if (!i) return {{"mean", nullptr}, {"half", nullptr}, {"n", 0}};
  return {{"mean", i->mean}, {"half", std::isfinite(i->half) ? Json(i->half) : Json()}, {"n", i->n}};
}

Json measure_of(const Measure& m, const MeasureSummary& s, std::size_t runs, Json points) {
  return {{"mean", interval_of(s.mean)},
          {"mean_text", mean_in_words(s, runs)},
          {"points", std::move(points)},
          {"change", interval_of(s.first.change)},
          {"difference", interval_of(s.first.difference)},
          {"change_text", in_words(s.first)},
          {"says", says_of(m, s.first)}};
}

// By arm and measure.
std::vector<std::vector<Json>> points_of(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<std::vector<Json>> out(plan.arms.size(), std::vector<Json>(plan.measures.size(), Json::array()));
  for (const RunRow& r : rows)
    for (std::size_t m = 0; m < r.measures.size(); ++m)
      if (r.measures[m]) out[r.arm][m].push_back(*r.measures[m]);
  return out;
}

}  // namespace

nlohmann::ordered_json figures_of_sweep(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  const bool has_points = rows.size() * plan.measures.size() <= kMostPointsOfASweep;
  const auto points = points_of(plan, has_points ? rows : std::vector<RunRow>());
  const std::vector<ArmSummary> arms = summarise(plan, rows);
  const std::vector<ArmRows> by_arm = rows_by_arm(plan, rows);
  Json j{{"title", plan.title},           {"axes", plan.axes},
         {"confidence", plan.confidence}, {"runs", rows.size()},
         {"has_points", has_points},      {"measures", Json::array()},
         {"arms", Json::array()},         {"path_changes", Json::array()}};
  for (std::size_t m = 0; m < plan.measures.size(); ++m) {
    j["measures"].push_back(json_of(*plan.measures[m]));
    j["measures"].back()["best"] = best_arms(plan, by_arm, m);
    j["measures"].back()["counts_alike"] = !plan.measures[m]->counts_updates || have_same_updates(by_arm);
  }
  for (std::size_t a = 0; a < arms.size(); ++a) {
    Json measures = Json::array();
    for (std::size_t m = 0; m < plan.measures.size(); ++m)
      measures.push_back(measure_of(*plan.measures[m], arms[a].measures[m], arms[a].runs, points[a][m]));
    j["arms"].push_back(
        {{"values", plan.arms[a].values}, {"verdicts", verdicts_in_words(arms[a])}, {"measures", measures}});
  }
  return j;
}

}  // namespace tarry
