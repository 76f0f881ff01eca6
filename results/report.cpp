#include "results/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
    if (column + (end - start) > 110 && column > indent.size()) {
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

// Accumulators whose aggregates took the same workers share a table.
std::string aggregates_of(const Report& r) {
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
    out += fmt::format("\nGradients in each aggregate of {} (needs {}), by {}:\n", fmt::join(names, ", "), a.required,
                       worker_names(r));
    for (std::size_t k = 0; k < a.aggregates.size();) {
      std::size_t last = k;
      while (last + 1 < a.aggregates.size() && a.aggregates[last + 1].by_worker == a.aggregates[k].by_worker) ++last;
      const std::string range = k == last ? fmt::format("{}", k + 1) : fmt::format("{}-{}", k + 1, last + 1);
      out += fmt::format("  {:>9}   {}{}   at {}{}\n", range, a.aggregates[k].by_worker,
                         a.aggregates[k].is_lone() ? "  alone" : "", seconds(a.aggregates[k].at),
                         k == last ? "" : fmt::format(" to {}", seconds(a.aggregates[last].at)));
      k = last + 1;
    }
  }
  return out;
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

}  // namespace

std::string to_text(const Report& r) {
  std::string out = r.title + "\n";
  for (const std::string& w : r.waits) out += "  " + w + "\n";
  out += aggregates_of(r) + workers_of(r) + devices_of(r) + costs_of(r) + links_of(r);
  for (const std::string& n : r.notes) out += "\n" + wrapped("Note: " + n, "");
  for (const Verdict& v : r.verdicts) out += fmt::format("\nVerdict: {}\n{}", v.kind, wrapped(v.text, "  "));
  return out + fmt::format("\n{} events in {} of simulated time, seed {}, hash {}\n", r.events, seconds(r.time), r.seed,
                           r.hash);
}

nlohmann::ordered_json to_json(const Report& r) {
  Json j{{"title", r.title}, {"hash", r.hash}, {"seed", r.seed}, {"time_s", in_seconds(r.time)}, {"events", r.events}};
  j["verdicts"] = Json::array();
  for (const Verdict& v : r.verdicts) j["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
  j["what_if"] = Json::array();
  for (const Proof& p : r.proofs)
    j["what_if"].push_back({{"cause", p.what}, {"instead", p.instead}, {"gain", p.gain}, {"goes_on", p.goes_on}});
  const Contributions& c = r.contributions;
  j["aggregates"] = Json::array();
  j["accumulators"] = Json::array();
  for (std::size_t i = 0; i < c.accumulators.size(); ++i) {
    Json list = Json::array();
    for (const Aggregate& g : c.accumulators[i].aggregates)
      list.push_back({{"step", g.step}, {"by_worker", g.by_worker}, {"at_s", in_seconds(g.at)}});
    if (i == 0) j["aggregates"] = list;
    j["accumulators"].push_back({{"name", c.accumulators[i].name},
                                 {"variable", c.accumulators[i].variable},
                                 {"dropped", c.accumulators[i].dropped},
                                 {"left", c.accumulators[i].left},
                                 {"aggregates", std::move(list)}});
  }
  j["workers"] = Json::array();
  for (std::size_t w = 0; w < c.workers.size(); ++w) {
    const bool sync = !c.accumulators.empty();
    j["workers"].push_back({{"task", r.tasks.names[c.workers[w].task.index()]},
                            {"steps", c.workers[w].steps},
                            {"accepted", sync ? c.accumulators[0].accepted[w] : 0},
                            {"dropped", sync ? c.accumulators[0].dropped[w] : 0},
                            {"tokens", c.workers[w].tokens}});
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
