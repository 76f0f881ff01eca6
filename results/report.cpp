#include "results/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

std::string seconds(Nanos t) { return fmt::format("{}.{:03} s", t / 1'000'000'000, t / 1'000'000 % 1000); }

// The words of one line put into lines of at most 110 characters, each indented.
std::string wrapped_line(std::string_view text, std::string_view indent) {
  std::string out(indent);
  std::size_t column = indent.size();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (column + 1 + (end - start) > 110 && column > indent.size()) {
      out += fmt::format("\n{}", indent);
      column = indent.size();
    }
    if (column > indent.size()) {
      out += ' ';
      ++column;
    }
    out += text.substr(start, end - start);
    column += end - start;
    start = end + 1;
  }
  return out + "\n";
}

std::string wrapped(std::string_view text, std::string_view indent) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += wrapped_line(line, indent);
  return out;
}

std::string worker_names(const Report& r) {
  std::vector<std::string> names;
  for (const WorkerStory& w : r.contributions.workers) names.push_back(r.tasks.show(w.task));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool same_story(const AccumulatorStory& a, const AccumulatorStory& b) {
  return a.dropped == b.dropped &&
         std::ranges::equal(a.aggregates, b.aggregates, {}, &Aggregate::by_worker, &Aggregate::by_worker);
}

constexpr std::size_t kRowsShown = 12;     // of runs of equal aggregates
constexpr std::size_t kPatternsShown = 8;  // where there are more rows

// A run of equal aggregates in each row: "2-40   [1, 1, 1]   at 0.159 s to 2.642 s".
std::vector<std::string> rows_of(const AccumulatorStory& a) {
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < a.aggregates.size();) {
    std::size_t last = k;
    while (last + 1 < a.aggregates.size() && a.aggregates[last + 1].by_worker == a.aggregates[k].by_worker) ++last;
    const std::string range = k == last ? fmt::format("{}", k + 1) : fmt::format("{}-{}", k + 1, last + 1);
    rows.push_back(fmt::format("  {:>9}   {}{}   at {}{}\n", range, a.aggregates[k].by_worker,
                               a.aggregates[k].is_lone() ? "  alone" : "", seconds(a.aggregates[k].at),
                               k == last ? "" : fmt::format(" to {}", seconds(a.aggregates[last].at))));
    k = last + 1;
  }
  return rows;
}

// How many aggregates are alike, most first: "  46 of 100   [1, 1, 1]".
std::string patterns_of(const AccumulatorStory& a) {
  std::map<std::vector<std::int64_t>, std::size_t> counts;
  for (const Aggregate& g : a.aggregates) ++counts[g.by_worker];
  std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> most;
  for (const auto& [pattern, count] : counts) most.emplace_back(count, pattern);
  std::ranges::stable_sort(most, [](const auto& x, const auto& y) { return x.first > y.first; });
  std::string out;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::min(most.size(), kPatternsShown); ++i) {
    shown += most[i].first;
    out += fmt::format("  {:>5} of {}   {}\n", most[i].first, a.aggregates.size(), most[i].second);
  }
  if (most.size() > kPatternsShown)
    out += fmt::format("  {:>5} of {}   in {} other ways\n", a.aggregates.size() - shown, a.aggregates.size(),
                       most.size() - kPatternsShown);
  return out + "  (--details lists every aggregate)\n";
}

std::string aggregates_of(const AccumulatorStory& a, Detail detail) {
  const std::vector<std::string> rows = rows_of(a);
  return detail == Detail::all || rows.size() <= kRowsShown ? join(rows, "") : patterns_of(a);
}

// Accumulators whose aggregates took the same workers share a table.
std::string aggregates_of(const Report& r, Detail detail) {
  std::string out;
  std::vector<bool> shown(r.contributions.accumulators.size(), false);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i]) continue;
    const AccumulatorStory& a = r.contributions.accumulators[i];
    std::vector<std::string> names;
    for (std::size_t k = i; k < shown.size(); ++k)
      if (!shown[k] && same_story(a, r.contributions.accumulators[k])) {
        shown[k] = true;
        names.push_back(r.contributions.accumulators[k].variable);
      }
    out += fmt::format("\nGradients in each aggregate of {} (needs {}), by {}:\n{}", fmt::join(names, ", "), a.required,
                       worker_names(r), aggregates_of(a, detail));
  }
  return out;
}

// "40 aggregates, 15.1 a second; 1520 examples a second."; "" without progress.
std::string headline(const Report& r) {
  const Contributions& c = r.contributions;
  std::int64_t steps = 0;
  for (const WorkerStory& w : c.workers) steps += w.steps;
  if (r.time <= 0 || steps == 0) return "";
  const auto a_second = [&](std::int64_t n) {
    return fmt::format("{:.4g}", static_cast<double>(n) / in_seconds(r.time));
  };
  const std::string examples = r.batch == 0 ? "" : fmt::format("; {} examples a second", a_second(steps * r.batch));
  if (c.accumulators.empty()) return fmt::format("{} steps, {} a second{}.\n", steps, a_second(steps), examples);
  const std::int64_t n = std::ssize(c.accumulators.front().aggregates);
  return fmt::format("{} aggregates, {} a second{}.\n", n, a_second(n), examples);
}

std::string workers_of(const Report& r) {
  const Contributions& c = r.contributions;
  std::string out =
      fmt::format("\n{:<14}{:>8}{:>10}{:>10}{:>14}\n", "worker", "steps", "accepted", "dropped", "steps/s");
  for (std::size_t w = 0; w < c.workers.size(); ++w) {
    const WorkerStory& s = c.workers[w];
    const bool sync = !c.accumulators.empty();
    const Nanos span = s.step_ended.size() < 2 ? 0 : s.step_ended.back() - s.step_ended.front();
    const std::string pace =
        span == 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(s.step_ended.size() - 1) / in_seconds(span));
    out += fmt::format("{:<14}{:>8}{:>10}{:>10}{:>14}\n", r.tasks.show(s.task), s.steps,
                       sync ? std::to_string(c.accumulators[0].accepted[w]) : "-",
                       sync ? std::to_string(c.accumulators[0].dropped[w]) : "-", pace);
  }
  return out;
}

std::uint64_t mebibytes(std::uint64_t bytes) { return (bytes + (1u << 20) - 1) >> 20; }

std::string devices_of(const Report& r) {
  if (r.devices.empty()) return "";
  const bool counts_memory = std::ranges::any_of(r.devices, [](const DeviceRow& d) { return d.memory_bytes > 0; });
  std::size_t width = 46;
  for (const DeviceRow& d : r.devices) width = std::max(width, d.device.size() + 1);
  std::string out = fmt::format("\n{:<{}}{:>10}{:>14}{:>8}{}\n", "device", width, "kernels", "busy", "use",
                                counts_memory ? fmt::format("{:>24}", "peak of memory") : "");
  for (const DeviceRow& d : r.devices) {
    const std::string use =
        d.lanes == 0 || r.time == 0
            ? "-"
            : fmt::format("{:.1f} %", 100.0 * static_cast<double>(d.busy) / static_cast<double>(r.time) / d.lanes);
    const std::string memory =
        d.memory_bytes == 0
            ? ""
            : fmt::format("{:>24}", fmt::format("{} of {} MiB", mebibytes(d.peak_bytes), mebibytes(d.memory_bytes)));
    out += fmt::format("{:<{}}{:>10}{:>14}{:>8}{}\n", d.device, width, d.kernels, seconds(d.busy), use, memory);
  }
  return out;
}

// Only where there is a choice: a scenario that says all its costs itself needs no table of it.
std::string costs_of(const Report& r) {
  if (r.costs[1] == 0 && r.costs[2] == 0) return "";
  return fmt::format(
      "\nOp executions by where their time comes from: {} scenario, {} measured, {} roofline, {} default\n", r.costs[0],
      r.costs[1], r.costs[2], r.costs[3]);
}

std::string links_of(const Report& r) {
  if (r.links.empty()) return "";
  std::string out = fmt::format("\n{:<30}{:>10}{:>18}\n", "from host to host", "messages", "bytes");
  for (const LinkRow& l : r.links)
    out += fmt::format("{:<30}{:>10}{:>18}\n", l.from + " -> " + l.to, l.messages, l.bytes);
  return out;
}

Json devices_json(const Report& r) {
  Json all = Json::array();
  for (const DeviceRow& d : r.devices)
    all.push_back({{"device", d.device},
                   {"kernels", d.kernels},
                   {"busy_s", in_seconds(d.busy)},
                   {"peak_bytes", d.peak_bytes},
                   {"memory_bytes", d.memory_bytes}});
  return all;
}

Json costs_json(const Report& r) {
  return {{"scenario", r.costs[0]},
          {"measured", r.costs[1]},
          {"roofline", r.costs[2]},
          {"default", r.costs[3]},
          {"default_ops", r.unpriced}};
}

// Of the steps that followed another one at once: mean, median and the 95th of 100.
Json step_times_json(const WorkerStory& w) {
  std::vector<double> times;
  for (std::size_t i = 1; i < w.step_ended.size(); ++i)
    times.push_back(in_seconds(w.step_ended[i] - w.step_ended[i - 1]));
  if (times.empty()) return nullptr;
  std::ranges::sort(times);
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {{"mean_s", sum / static_cast<double>(times.size())},
          {"median_s", times[times.size() / 2]},
          {"p95_s", times[times.size() * 95 / 100]}};
}

Json aggregates_json(const AccumulatorStory& a) {
  Json list = Json::array();
  for (const Aggregate& g : a.aggregates)
    list.push_back({{"step", g.step}, {"by_worker", g.by_worker}, {"at_s", in_seconds(g.at)}});
  return list;
}

}  // namespace

std::string to_text(const Report& r, Detail detail) {
  std::string out = r.title + "\n" + headline(r);
  for (const Verdict& v : r.verdicts) out += fmt::format("\nVerdict: {}\n{}", v.kind, wrapped(v.text, "  "));
  for (const Breach& b : r.breaches.value_or(std::vector<Breach>()))
    out += fmt::format("\nBroken: {}\n{}", b.property, wrapped(b.text, "  "));
  if (!r.waits.empty()) out += "\n";
  for (const std::string& w : r.waits) out += "  " + w + "\n";
  out += aggregates_of(r, detail) + workers_of(r) + devices_of(r) + costs_of(r) + links_of(r);
  for (const std::string& n : r.notes) out += "\n" + wrapped("Note: " + n, "");
  return out + fmt::format("\n{} events in {} of simulated time, seed {}, hash {}\n", r.events, seconds(r.time), r.seed,
                           r.hash);
}

nlohmann::ordered_json to_json(const Report& r) {
  Json j{{"title", r.title}, {"hash", r.hash}, {"seed", r.seed}, {"time_s", in_seconds(r.time)}, {"events", r.events}};
  j["verdicts"] = Json::array();
  for (const Verdict& v : r.verdicts) j["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
  if (r.breaches) j["broken"] = Json::array();
  for (const Breach& b : r.breaches.value_or(std::vector<Breach>()))
    j["broken"].push_back({{"property", b.property}, {"text", b.text}});
  j["what_if"] = Json::array();
  for (const Proof& p : r.proofs)
    j["what_if"].push_back({{"cause", p.what}, {"instead", p.instead}, {"gain", p.gain}, {"goes_on", p.goes_on}});
  const Contributions& c = r.contributions;
  j["aggregates"] = c.accumulators.empty() ? Json::array() : aggregates_json(c.accumulators[0]);
  j["accumulators"] = Json::array();
  for (const AccumulatorStory& a : c.accumulators)
    j["accumulators"].push_back({{"name", a.name},
                                 {"variable", a.variable},
                                 {"dropped", a.dropped},
                                 {"left", a.left},
                                 {"aggregates", aggregates_json(a)}});
  j["workers"] = Json::array();
  for (std::size_t w = 0; w < c.workers.size(); ++w) {
    const bool sync = !c.accumulators.empty();
    j["workers"].push_back({{"task", r.tasks.names[c.workers[w].task.index()]},
                            {"steps", c.workers[w].steps},
                            {"accepted", sync ? c.accumulators[0].accepted[w] : 0},
                            {"dropped", sync ? c.accumulators[0].dropped[w] : 0},
                            {"tokens", c.workers[w].tokens},
                            {"step_times", step_times_json(c.workers[w])}});
  }
  j["global_step"] = c.global_step;
  j["devices"] = devices_json(r);
  j["costs"] = costs_json(r);
  j["links"] = Json::array();
  for (const LinkRow& l : r.links)
    j["links"].push_back({{"from", l.from}, {"to", l.to}, {"messages", l.messages}, {"bytes", l.bytes}});
  j["notes"] = r.notes;
  return j;
}

}  // namespace tarry
