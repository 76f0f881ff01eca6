#include "properties/bench/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

constexpr std::string_view kPublishedHeader = "graph,batch,workers,ps,gpus,images_per_second,fitted";
constexpr std::size_t kFields = 7;  // of the header

template <typename Number>
bool read_positive(std::string_view text, Number& out) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && end == text.data() + text.size() && out > 0 &&
         std::isfinite(static_cast<double>(out));
}

StatusOr<Published> read_row(std::string_view line, const std::string& place) {
  const std::vector<std::string_view> f = split(line, ',');
  Published p;
  if (f.size() != kFields || f[0].empty() || !read_positive(f[1], p.batch) || !read_positive(f[2], p.workers) ||
      !read_positive(f[3], p.ps) || !read_positive(f[4], p.gpus) || !read_positive(f[5], p.images_per_second) ||
      (f[6] != "yes" && f[6] != "no"))
    return invalid("{}expected {} (a graph's name, five positive numbers, yes or no), found '{}'", place,
                   kPublishedHeader, line);
  p.graph = f[0];
  p.fitted = f[6] == "yes";
  return p;
}

struct Errors {
  std::size_t count = 0;
  double sum = 0, worst = 0;
};

template <typename Counts>
Errors errors_of(std::span<const Predicted> rows, const Counts& counts) {
  Errors e;
  for (const Predicted& r : rows)
    if (counts(r)) ++e.count, e.sum += std::abs(r.error()), e.worst = std::max(e.worst, std::abs(r.error()));
  return e;
}

std::string in_words(const Errors& e) {
  return fmt::format("mean error {:.1f} %, worst {:.1f} %", 100 * e.sum / static_cast<double>(e.count), 100 * e.worst);
}

}  // namespace

StatusOr<std::vector<Published>> read_published(const std::string& text, const std::string& file) {
  std::vector<Published> rows;
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.empty() || lines[0] != kPublishedHeader)
    return invalid("{}:1: expected the header '{}', found '{}'", file, kPublishedHeader, lines.empty() ? "" : lines[0]);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    TARRY_ASSIGN(Published row, read_row(lines[i], fmt::format("{}:{}: ", file, i + 1)));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return invalid("{}:2: expected a row for each published figure", file);
  return rows;
}

std::vector<std::string> keys_of(const Published& row) {
  return {"build.graph=" + row.graph, fmt::format("build.towers={}", row.gpus),
          fmt::format("cluster.tasks.worker.count={}", row.workers), fmt::format("cluster.tasks.ps.count={}", row.ps)};
}

StatusOr<double> images_per_second(const Published& row, const Contributions& contributions) {
  double sum = 0;
  for (const WorkerStory& w : contributions.workers) {
    if (w.step_ended.size() < 2) return error(Code::kFailedPrecondition, "a worker finished fewer than two steps");
    const double seconds = in_seconds(w.step_ended.back() - w.step_ended.front());
    sum += static_cast<double>(row.batch * row.gpus) * static_cast<double>(w.step_ended.size() - 1) / seconds;
  }
  return sum;
}

std::string calibration_head() {
  return fmt::format("{:<20} {:<16} {:>7} {:>4} {:>4} {:>10} {:>10} {:>8}\n", "machine", "graph", "workers", "ps",
                     "gpus", "published", "predicted", "error");
}

std::string calibration_line(const Predicted& r) {
  return fmt::format("{:<20} {:<16} {:>7} {:>4} {:>4} {:>10.1f} {:>10.1f} {:>+6.1f} % {}\n", r.machine,
                     r.published.graph, r.published.workers, r.published.ps, r.published.gpus,
                     r.published.images_per_second, r.images_per_second, 100 * r.error(),
                     r.published.fitted ? "fitted" : "");
}

std::string calibration_summary(const std::string& of, std::span<const Predicted> rows) {
  const Errors all = errors_of(rows, [](const Predicted&) { return true; });
  const Errors free = errors_of(rows, [](const Predicted& r) { return !r.published.fitted; });
  std::string text = fmt::format("{}: {} points: {}", of, all.count, in_words(all));
  if (free.count > 0) text += fmt::format("; {} that were not fitted: {}", free.count, in_words(free));
  return text + "\n";
}

std::string calibration_csv(std::span<const Predicted> rows) {
  std::string text = "machine,graph,batch,workers,ps,gpus,published,predicted,error_percent,fitted\n";
  for (const Predicted& r : rows)
    text += fmt::format("{},{},{},{},{},{},{:.1f},{:.1f},{:.1f},{}\n", r.machine, r.published.graph, r.published.batch,
                        r.published.workers, r.published.ps, r.published.gpus, r.published.images_per_second,
                        r.images_per_second, 100 * r.error(), r.published.fitted ? "yes" : "no");
  return text;
}

}  // namespace tarry
