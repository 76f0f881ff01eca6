#include "scenarios/file/trace.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

namespace tarry {
namespace {

constexpr std::int64_t kMostWorkers = 100'000, kMostSteps = 100'000'000;
constexpr std::int64_t kMostFactor = std::numeric_limits<std::int64_t>::max();

// What the columns of a file are.
struct Columns {
  std::string_view header, key, number;  // "worker,step,factor", "worker", "step"
  std::string_view example;
  std::int64_t least = 0, most = kMostFactor;  // factors
  std::string_view limits = "";                // in words
};
constexpr Columns kSteps{"worker,step,factor", "worker", "step", "0,12,1.25"};
constexpr Columns kIntervals{"host,interval,factor",
                             "host",
                             "interval",
                             "server,12,0.5",
                             1000,
                             1'000'000'000,
                             ", with a factor from 0.001 to 1000"};

using Factors = std::map<std::int64_t, std::pair<std::int64_t, std::size_t>>;  // by step or interval: factor, line

template <class Key>
struct Row {
  Key key{};
  std::int64_t number = 0, factor = 0;
};

bool read_count(std::string_view text, std::int64_t most, std::int64_t& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() && out >= 0 && out < most;
}

bool read_key(std::string_view text, std::int64_t& worker) { return read_count(text, kMostWorkers, worker); }
bool read_key(std::string_view text, std::string& host) { return !(host = text).empty(); }

// As any program writes a number: "1.25", "2.3577400000000006", "1e-3". Rounded to millionths; nullopt for what is
// none.
std::optional<std::int64_t> read_factor(std::string_view text) {
  constexpr double kMost = 1e12;
  double factor = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (fault != std::errc() || end != text.data() + text.size() || !(factor >= 0 && factor <= kMost))
    return std::nullopt;
  return std::llround(factor * 1e6);
}

// nullopt for what is no such row.
template <class Key>
std::optional<Row<Key>> row_of_line(std::string_view line, const Columns& columns) {
  const std::size_t second = line.rfind(','), first = second == 0 ? line.npos : line.rfind(',', second - 1);
  if (first == line.npos || second == line.npos) return std::nullopt;
  const std::optional<std::int64_t> factor = read_factor(line.substr(second + 1));
  Row<Key> row{.factor = factor.value_or(0)};
  if (!factor || row.factor < columns.least || row.factor > columns.most || !read_key(line.substr(0, first), row.key) ||
      !read_count(line.substr(first + 1, second - first - 1), kMostSteps, row.number))
    return std::nullopt;
  return row;
}

template <class Key>
StatusOr<std::map<Key, std::vector<std::int64_t>>> without_gaps(const std::map<Key, Factors>& all,
                                                                const std::string& file, const Columns& c) {
  std::map<Key, std::vector<std::int64_t>> out;
  for (const auto& [key, factors] : all)
    for (const auto& [number, factor] : factors) {
      std::vector<std::int64_t>& before = out[key];
      if (number != std::ssize(before))
        return invalid("{}:{}: {} {} of {} {}, and there is no {} {}; {}s count from 0, without a gap", file,
                       factor.second, c.number, number, c.key, key, c.number, before.size(), c.number);
      before.push_back(factor.first);
    }
  return out;
}

template <class Key>
StatusOr<std::map<Key, std::vector<std::int64_t>>> parse_factors(std::string_view text, const std::string& file,
                                                                 const Columns& c) {
  std::map<Key, Factors> all;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line != c.header) return invalid("{}:1: expected the line {}, found '{}'", file, c.header, line);
    if (number == 1 || line.empty()) continue;
    const auto row = row_of_line<Key>(line, c);
    if (!row)
      return invalid("{}:{}: expected {}, such as {}{}, found '{}'", file, number, c.header, c.example, c.limits, line);
    if (!all[row->key].emplace(row->number, std::pair(row->factor, number)).second)
      return invalid("{}:{}: {} {} of {} {} comes twice", file, number, c.number, row->number, c.key, row->key);
  }
  if (all.empty())
    return invalid("{}: no factors; expected the line {}, and lines such as {}", file, c.header, c.example);
  return without_gaps(all, file, c);
}

}  // namespace

StatusOr<Trace> parse_trace(std::string_view text, const std::string& file) {
  return parse_factors<std::int64_t>(text, file, kSteps);
}

StatusOr<HostTrace> parse_host_trace(std::string_view text, const std::string& file) {
  return parse_factors<std::string>(text, file, kIntervals);
}

}  // namespace tarry
