#include "properties/bench/compared.hpp"

#include <algorithm>

#include "placer/core/check.hpp"
#include "results/text_table.hpp"

namespace tarry {
namespace {

constexpr std::size_t kWidth = 120;

// The times of a figure in all rounds; empty where a round has none.
std::vector<double> times_of(const std::string& name, std::span<const Round> rounds) {
  std::vector<double> out;
  for (const Round& r : rounds)
    if (const auto it = std::ranges::find(r, name, &Figure::name); it != r.end()) out.push_back(it->seconds);
  return out.size() == rounds.size() ? out : std::vector<double>();
}

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return (of[of.size() / 2] + of[(of.size() - 1) / 2]) / 2;
}

ComparedFigure compare(const std::string& name, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(b[i] / a[i]);
  const auto [least, greatest] = std::ranges::minmax(ratios);
  return {name, median(a), median(b), median(b) / median(a), least, greatest};
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.2f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string table_of(const std::vector<ComparedFigure>& figures) {
  TextTable t{{"", "A", "B", "B / A", "in the rounds"}, {}};
  for (const ComparedFigure& f : figures)
    t.rows.push_back({f.name, time_text(f.a), time_text(f.b), fmt::format("{:.3f}", f.ratio),
                      fmt::format("{:.3f} to {:.3f}", f.least, f.greatest)});
  return text_of(t, kWidth);
}

std::string lone_text(const std::string& side, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += fmt::format("only {} has: {}\n", side, name);
  return out;
}

}  // namespace

Compared compare_rounds(std::span<const Round> a, std::span<const Round> b) {
  check(a.size() == b.size() && !a.empty(), "both sides have the same rounds");
  Compared out;
  for (const Figure& f : a.front()) {
    const std::vector<double> of_a = times_of(f.name, a), of_b = times_of(f.name, b);
    if (of_a.empty() || of_b.empty())
      out.only_a.push_back(f.name);
    else
      out.figures.push_back(compare(f.name, of_a, of_b));
  }
  for (const Figure& f : b.front())
    if (times_of(f.name, a).empty()) out.only_b.push_back(f.name);
  return out;
}

std::string text_of(const Compared& compared, const std::string& a, const std::string& b, std::size_t rounds) {
  return fmt::format(
             "A: {}\nB: {}\n{} round{}, A and B in turns. Times are medians, of an iteration. Below 1, B is "
             "quicker; above 1, A is.\n\n",
             a, b, rounds, rounds == 1 ? "" : "s") +
         table_of(compared.figures) + lone_text("A", compared.only_a) + lone_text("B", compared.only_b);
}

}  // namespace tarry
