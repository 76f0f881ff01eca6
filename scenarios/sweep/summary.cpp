#include "scenarios/sweep/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "results/evidence.hpp"
#include "results/text_table.hpp"
#include "scenarios/sweep/fitted_table.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Interval> mean_of(const ArmRows& rows, std::size_t measure, double confidence) {
  std::vector<double> numbers;
  for (const auto& [seed, row] : rows)
    if (row->measures[measure]) numbers.push_back(*row->measures[measure]);
  if (numbers.empty()) return std::nullopt;
  return mean_interval(numbers, confidence);
}

ArmSummary summary_of(const SweepPlan& plan, const ArmRows& first, const ArmRows& rows) {
  ArmSummary out{.runs = rows.size(), .missed = missed_of(rows).runs};
  std::map<std::string, std::size_t> verdicts;
  for (const auto& [seed, row] : rows) {
    if (!row->error.empty() && out.failed++ == 0) out.first_error = row->error;
    for (const std::string_view kind : split(row->verdicts, ' '))
      if (!kind.empty()) ++verdicts[std::string(kind)];
  }
  out.verdicts.assign(verdicts.begin(), verdicts.end());
  std::ranges::stable_sort(out.verdicts, std::greater(), &std::pair<std::string, std::size_t>::second);
  for (std::size_t m = 0; m < plan.measures.size(); ++m)
    out.measures.push_back(
        {mean_of(rows, m, plan.confidence), &first == &rows ? Against() : against(first, rows, m, plan.confidence)});
  return out;
}

// ---- as text ----

std::string head_of(const Measure& m) {
  return m.unit.empty() || m.unit == m.name ? std::string(m.name) : fmt::format("{} ({})", m.name, m.unit);
}

std::string means_of(const SweepPlan& plan, const std::vector<ArmSummary>& arms, std::size_t width) {
  std::vector<std::vector<std::string>> lines{plan.axes};
  for (const Measure* m : plan.measures) lines[0].push_back(head_of(*m));
  lines[0].emplace_back("verdicts");
  for (std::size_t a = 0; a < arms.size(); ++a) {
    lines.push_back(plan.arms[a].values);
    for (const MeasureSummary& m : arms[a].measures) lines.back().push_back(mean_in_words(m, arms[a].runs));
    lines.back().push_back(verdicts_in_words(arms[a]));
  }
  return fitted_table(lines, plan.axes.size(), width);
}

std::string changes_of(const SweepPlan& plan, const std::vector<ArmSummary>& arms, std::size_t width) {
  std::vector<std::vector<std::string>> lines{plan.axes};
  for (const Measure* m : plan.measures) lines[0].emplace_back(m->name);
  for (std::size_t a = 1; a < arms.size(); ++a) {
    lines.push_back(plan.arms[a].values);
    for (const MeasureSummary& m : arms[a].measures) lines.back().push_back(in_words(m.first));
  }
  return fitted_table(lines, plan.axes.size(), width);
}

std::string how_to_read(const SweepPlan& plan, const std::vector<ArmSummary>& arms) {
  const auto differs = [](const MeasureSummary& m) { return m.mean && has_width(*m.mean); };
  if (std::ranges::any_of(arms, [&](const ArmSummary& a) { return std::ranges::any_of(a.measures, differs); }))
    return fmt::format(
        "Each number is a mean over the seeds, and ± the half-width of its {:.4g} % interval (Student's t).",
        100 * plan.confidence);
  const bool has_several = std::ranges::any_of(arms, [](const ArmSummary& a) { return a.runs > 1; });
  return has_several ? "Each number is that of every seed: nothing that is measured is drawn."
                     : "Each number is that of one run; intervals need more seeds.";
}

Json json_of(const std::optional<Interval>& i) {
  if (!i) return nullptr;
  return {{"mean", i->mean}, {"half_width", std::isfinite(i->half) ? Json(i->half) : Json()}, {"n", i->n}};
}

}  // namespace

std::string table_text(const std::vector<std::vector<std::string>>& lines) {
  const auto width_of = [](const std::string& cell) {  // in letters
    return static_cast<std::size_t>(std::ranges::count_if(cell, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) text += line[i] + std::string(widths[i] - width_of(line[i]) + 2, ' ');
    out += text.erase(text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string mean_in_words(const MeasureSummary& m, std::size_t runs) {
  if (!m.mean) return "-";
  const std::string mean = with_half_width(*m.mean);
  return m.mean->n == runs
             ? mean
             : fmt::format("{} ({} of {})", mean, m.mean->n, counted(static_cast<std::int64_t>(runs), "run", "runs"));
}

std::string verdicts_in_words(const ArmSummary& a) {
  std::vector<std::string> out;
  auto all = a.verdicts;
  if (a.missed > 0) all.emplace_back("stop not reached", a.missed);
  for (const auto& [kind, runs] : all)
    out.push_back(runs == a.runs ? kind : fmt::format("{} in {} of {}", kind, runs, a.runs));
  if (a.failed > 0) out.push_back(fmt::format("{} of {} failed: {}", a.failed, a.runs, a.first_error));
  return join(out, ", ");
}

std::vector<ArmSummary> summarise(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  const std::vector<ArmRows> by_arm = rows_by_arm(plan, rows);
  std::vector<ArmSummary> out;
  for (const ArmRows& of_arm : by_arm) out.push_back(summary_of(plan, by_arm.front(), of_arm));
  return out;
}

std::string text_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows, std::size_t width) {
  const std::vector<ArmSummary> arms = summarise(plan, rows);
  std::string out = plan.title.empty() ? "" : plan.title + "\n";
  out += wrapped(fmt::format("{}, {}. {}", counted(std::ssize(arms), "arm", "arms"),
                             counted(std::ssize(rows), "run", "runs"), how_to_read(plan, arms)),
                 "", width) +
         "\n" + means_of(plan, arms, width);
  if (arms.size() < 2) return out;
  out += "\n" + wrapped(fmt::format("Against the first arm ({}), as differences with the same seed; without %, in the "
                                    "measure's unit:",
                                    join(plan.arms.front().values, ", ")),
                        "", width);
  out += "\n" + changes_of(plan, arms, width);
  const bool has_updates = std::ranges::any_of(plan.measures, &Measure::counts_updates);
  if (has_updates && !have_same_updates(rows_by_arm(plan, rows)))
    out += "\nAn update, and so a global step, is an aggregate in some arms, and in others a step of one worker.\n";
  return out;
}

Json json_of_summary(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  Json j{{"title", plan.title}, {"confidence", plan.confidence}, {"interval", "Student's t"}, {"arms", Json::array()}};
  const std::vector<ArmSummary> arms = summarise(plan, rows);
  for (std::size_t a = 0; a < arms.size(); ++a) {
    Json values = Json::object(), measures = Json::object(), verdicts = Json::object();
    for (std::size_t i = 0; i < plan.axes.size(); ++i) values[plan.axes[i]] = plan.arms[a].values[i];
    for (const auto& [kind, runs] : arms[a].verdicts) verdicts[kind] = runs;
    for (std::size_t m = 0; m < plan.measures.size(); ++m)
      measures[std::string(plan.measures[m]->name)] = {{"mean", json_of(arms[a].measures[m].mean)},
                                                       {"change", json_of(arms[a].measures[m].first.change)},
                                                       {"difference", json_of(arms[a].measures[m].first.difference)},
                                                       {"says", says_of(*plan.measures[m], arms[a].measures[m].first)}};
    j["arms"].push_back({{"values", values},
                         {"runs", arms[a].runs},
                         {"failed", arms[a].failed},
                         {"first_error", arms[a].first_error},
                         {"stop_not_reached", arms[a].missed},
                         {"verdicts", verdicts},
                         {"measures", measures}});
  }
  return j;
}

}  // namespace tarry
