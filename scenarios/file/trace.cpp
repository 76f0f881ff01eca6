#include "scenarios/file/trace.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr std::string_view kHeader = "worker,step,factor";
constexpr std::int64_t kMostWorkers = 100'000, kMostSteps = 100'000'000;

using Steps = std::map<std::int64_t, std::pair<std::int64_t, std::size_t>>;  // by step: factor, line

struct Row {
  std::int64_t worker = 0, step = 0, factor = 0;
};

bool read_count(std::string_view text, std::int64_t most, std::int64_t& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() && out >= 0 && out < most;
}

// nullopt for what is no such row.
std::optional<Row> row_of_line(std::string_view line) {
  const std::size_t first = line.find(','), second = line.find(',', first + 1);
  if (first == line.npos || second == line.npos) return std::nullopt;
  const auto factor = parse_number(line.substr(second + 1));
  Row row{0, 0, factor.ok() ? *factor : 0};
  if (!factor.ok() || !read_count(line.substr(0, first), kMostWorkers, row.worker) ||
      !read_count(line.substr(first + 1, second - first - 1), kMostSteps, row.step))
    return std::nullopt;
  return row;
}

StatusOr<Trace> without_gaps(const std::map<std::int64_t, Steps>& all, const std::string& file) {
  Trace out;
  for (const auto& [worker, steps] : all)
    for (const auto& [step, factor] : steps) {
      std::vector<std::int64_t>& factors = out[worker];
      if (step != std::ssize(factors))
        return invalid("{}:{}: step {} of worker {}, and there is no step {}; steps count from 0, without a gap", file,
                       factor.second, step, worker, factors.size());
      factors.push_back(factor.first);
    }
  return out;
}

}  // namespace

StatusOr<Trace> parse_trace(std::string_view text, const std::string& file) {
  std::map<std::int64_t, Steps> all;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line != kHeader) return invalid("{}:1: expected the line {}, found '{}'", file, kHeader, line);
    if (number == 1 || line.empty()) continue;
    const auto row = row_of_line(line);
    if (!row) return invalid("{}:{}: expected {}, such as 0,12,1.25, found '{}'", file, number, kHeader, line);
    if (!all[row->worker].emplace(row->step, std::pair(row->factor, number)).second)
      return invalid("{}:{}: step {} of worker {} comes twice", file, number, row->step, row->worker);
  }
  if (all.empty()) return invalid("{}: no factors; expected the line {}, and lines such as 0,12,1.25", file, kHeader);
  return without_gaps(all, file);
}

}  // namespace tarry
