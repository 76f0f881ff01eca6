#include "results/report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/text_table.hpp"

namespace tarry {
namespace {

constexpr const char* kNothing = "-";

// "0.854 to 0.861" of the numbers that are there.
std::string range_of(std::vector<double> numbers, fmt::format_string<double> as) {
  if (numbers.empty()) return kNothing;
  const auto [least, most] = std::ranges::minmax(numbers);
  const std::string from = fmt::format(as, double{least}), to = fmt::format(as, double{most});
  return from == to ? from : from + " to " + to;
}

std::vector<double> shares_of(std::vector<double> weights) {
  const double most = weights.empty() ? 0 : std::ranges::max(weights);
  for (double& w : weights) w = most <= 0 ? 0 : w / most;
  return weights;
}

// The rows that are shown, and where others are left out the bar of none beside what they sum up to.
std::vector<double> bars_of(const std::vector<double>& weights, const std::vector<std::size_t>& rows) {
  const std::vector<double> all = shares_of(weights);
  std::vector<double> out;
  for (const std::size_t r : rows) out.push_back(all[r]);
  if (rows.size() < weights.size()) out.push_back(0);
  return out;
}

std::string percent_of(double part, double whole) {
  return whole <= 0 ? kNothing : fmt::format("{:.1f} %", 100 * part / whole);
}

// ---- workers ----

struct WorkerRow {
  std::int64_t steps = 0, accepted = 0, dropped = 0;
  std::int64_t aggregated = 0;  // gradients in complete aggregates
  double pace = 0;              // steps a second; 0 = nobody can know
};

class Workers {
 public:
  explicit Workers(const Report& r) : r_(r), is_sync_(!r.contributions.accumulators.empty()) {
    for (std::size_t w = 0; w < r.contributions.workers.size(); ++w) rows_.push_back(row_of(w));
    for (const WorkerRow& row : rows_) all_ += part(row);
  }

  [[nodiscard]] std::string text(const Shown& shown) const {
    std::vector<std::size_t> rows = busiest(distances(), shown.everything);
    std::ranges::sort(rows);
    TextTable t{{"worker", "steps", "accepted", "dropped", "steps/s", "share"}, {}};
    for (const std::size_t w : rows) t.rows.push_back(cells(w, shown));
    if (rows.size() < rows_.size()) t.rows.push_back(cells_of_rest(others(rows_.size(), rows), shown));
    if (tells_shares()) t.bars = bars_of(parts(), rows);
    return "\n" + text_of(t, shown.width, shown.everything);
  }

 private:
  [[nodiscard]] WorkerRow row_of(std::size_t w) const {
    const WorkerStory& s = r_.contributions.workers[w];
    const Nanos span = s.step_ended.size() < 2 ? 0 : s.step_ended.back() - s.step_ended.front();
    WorkerRow row{.steps = s.steps};
    if (is_sync_) row.accepted = r_.contributions.accumulators[0].accepted[w];
    if (is_sync_) row.dropped = r_.contributions.accumulators[0].dropped[w];
    if (is_sync_)
      for (const Aggregate& a : r_.contributions.accumulators[0].aggregates) row.aggregated += a.by_worker[w];
    if (span > 0) row.pace = static_cast<double>(s.step_ended.size() - 1) / in_seconds(span);
    return row;
  }
  // What a worker's share is of: the aggregated gradients, or the steps.
  [[nodiscard]] double part(const WorkerRow& row) const {
    return static_cast<double>(is_sync_ ? row.aggregated : row.steps);
  }
  [[nodiscard]] std::vector<double> parts() const {
    std::vector<double> out;
    for (const WorkerRow& row : rows_) out.push_back(part(row));
    return out;
  }
  // From the median.
  [[nodiscard]] std::vector<double> distances() const {
    std::vector<double> sorted = parts(), out;
    std::ranges::sort(sorted);
    for (const double p : parts()) out.push_back(std::abs(p - sorted[sorted.size() / 2]));
    return out;
  }
  [[nodiscard]] bool tells_shares() const {
    const std::vector<double> all = parts();
    return !all.empty() && std::ranges::min(all) < std::ranges::max(all);
  }
  [[nodiscard]] bool has_drops() const {
    return std::ranges::any_of(rows_, [](const WorkerRow& row) { return row.dropped > 0; });
  }

  [[nodiscard]] std::vector<std::string> cells_of(const WorkerRow& row, std::string name, std::string pace,
                                                  const Shown& shown) const {
    const bool tells_drops = is_sync_ && (has_drops() || shown.everything);
    return {std::move(name),
            std::to_string(row.steps),
            is_sync_ ? std::to_string(row.accepted) : kNothing,
            tells_drops ? std::to_string(row.dropped) : kNothing,
            std::move(pace),
            tells_shares() ? percent_of(part(row), all_) : kNothing};
  }
  [[nodiscard]] std::vector<std::string> cells(std::size_t w, const Shown& shown) const {
    const WorkerRow& row = rows_[w];
    return cells_of(row, r_.tasks.show(r_.contributions.workers[w].task),
                    row.pace == 0 ? kNothing : fmt::format("{:.3f}", row.pace), shown);
  }
  [[nodiscard]] std::vector<std::string> cells_of_rest(const std::vector<std::size_t>& rest, const Shown& shown) const {
    WorkerRow sum;
    std::vector<double> paces;
    for (const std::size_t w : rest) {
      sum.steps += rows_[w].steps, sum.accepted += rows_[w].accepted, sum.dropped += rows_[w].dropped;
      sum.aggregated += rows_[w].aggregated;
      if (rows_[w].pace > 0) paces.push_back(rows_[w].pace);
    }
    return cells_of(sum, fmt::format("{} others", rest.size()), range_of(paces, "{:.3f}"), shown);
  }

  const Report& r_;
  const bool is_sync_;
  std::vector<WorkerRow> rows_;
  double all_ = 0;
};

// ---- devices ----

std::uint64_t mebibytes(std::uint64_t bytes) { return (bytes + (1u << 20) - 1) >> 20; }

// "/job:worker/replica:0/task:1/device:GPU:0" is "worker 1 GPU:0". Another name stays as it is.
std::string short_device(const std::string& name) {
  const auto at = name.find("/device:");
  if (at == std::string::npos) return name;
  const TaskNames task{{name.substr(0, at)}};
  return task.show(TaskId{0}) + " " + name.substr(at + std::string_view("/device:").size());
}

// Of all its lanes; negative = nobody can know.
double use_of(const Report& r, const DeviceRow& d) {
  const Nanos trained = training_time(r.contributions, r.time);
  return d.lanes == 0 || trained == 0 ? -1 : static_cast<double>(d.busy) / static_cast<double>(trained) / d.lanes;
}

std::string memory_of(const DeviceRow& d) {
  return d.memory_bytes == 0 ? kNothing
                             : fmt::format("{} of {} MiB", mebibytes(d.peak_bytes), mebibytes(d.memory_bytes));
}

std::vector<std::string> cells_of(const Report& r, const DeviceRow& d, const Shown& shown) {
  const double use = use_of(r, d);
  return {shown.everything ? d.device : short_device(d.device), std::to_string(d.kernels), to_the_millisecond(d.busy),
          memory_of(d), use < 0 ? kNothing : fmt::format("{:.1f} %", 100 * use)};
}

std::vector<std::string> cells_of_rest(const Report& r, const std::vector<std::size_t>& rest) {
  DeviceRow sum;
  std::vector<double> uses;
  for (const std::size_t d : rest) {
    sum.kernels += r.devices[d].kernels, sum.busy += r.devices[d].busy;
    if (const double use = use_of(r, r.devices[d]); use >= 0) uses.push_back(100 * use);
  }
  return {fmt::format("{} others", rest.size()), std::to_string(sum.kernels), to_the_millisecond(sum.busy), kNothing,
          range_of(uses, "{:.1f} %")};
}

// ---- links ----

std::vector<std::string> cells_of(const std::string& name, const LinkRow& l, double all) {
  return {name, std::to_string(l.messages), fmt::format("{:.3f}", static_cast<double>(l.bytes) / 1e6),
          percent_of(static_cast<double>(l.bytes), all)};
}

std::string end_of(const std::string& host, const std::optional<std::uint32_t>& nic) {
  return nic ? fmt::format("{} card {}", host, *nic) : host;
}
std::string ends_of(const LinkRow& l) { return end_of(l.from, l.from_nic) + " -> " + end_of(l.to, l.to_nic); }

LinkRow sum_of(const Report& r, const std::vector<std::size_t>& links) {
  LinkRow sum;
  for (const std::size_t l : links) sum.bytes += r.links[l].bytes, sum.messages += r.links[l].messages;
  return sum;
}

}  // namespace

std::string to_the_millisecond(Nanos t) { return fmt::format("{:.3f} s", in_seconds(t)); }

std::string table_of_workers(const Report& r, const Shown& shown) { return Workers(r).text(shown); }

std::string table_of_devices(const Report& r, const Shown& shown) {
  if (r.devices.empty()) return "";
  std::vector<double> busy, uses;
  for (const DeviceRow& d : r.devices) busy.push_back(static_cast<double>(d.busy));
  const std::vector<std::size_t> rows = busiest(busy, shown.everything);
  TextTable t{{"device", "kernels", "busy", "peak of memory", "use"}, {}};
  for (const std::size_t d : rows) {
    t.rows.push_back(cells_of(r, r.devices[d], shown));
    t.bars.push_back(std::clamp(use_of(r, r.devices[d]), 0.0, 1.0));
  }
  if (rows.size() < r.devices.size()) {
    t.rows.push_back(cells_of_rest(r, others(r.devices.size(), rows)));
    t.bars.push_back(0);
  }
  return "\n" + text_of(t, shown.width, shown.everything);
}

std::string table_of_links(const Report& r, const Shown& shown) {
  if (r.links.empty()) return "";
  std::vector<double> bytes;
  for (const LinkRow& l : r.links) bytes.push_back(static_cast<double>(l.bytes));
  const std::vector<std::size_t> rows = busiest(bytes, shown.everything);
  std::vector<std::size_t> every(r.links.size());
  for (std::size_t l = 0; l < every.size(); ++l) every[l] = l;
  const auto all = static_cast<double>(sum_of(r, every).bytes);
  TextTable t{{"from host to host", "messages", "MB", "share"}, {}};
  for (const std::size_t l : rows) t.rows.push_back(cells_of(ends_of(r.links[l]), r.links[l], all));
  if (const auto rest = others(r.links.size(), rows); !rest.empty())
    t.rows.push_back(cells_of(fmt::format("{} others", rest.size()), sum_of(r, rest), all));
  t.bars = bars_of(bytes, rows);
  return "\n" + text_of(t, shown.width, shown.everything);
}

}  // namespace tarry
