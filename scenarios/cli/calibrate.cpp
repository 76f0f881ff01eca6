// `tarry calibrate`: launch and efficiencies of a scenario's devices, from step statistics of a real run.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/units.hpp"
#include "scenarios/job/calibration.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateArguments {
  ScenarioChoice scenario;
  std::vector<std::string> files;
  bool json = false;
};

struct CalibrateAnswer {
  std::string title;
  std::vector<std::string> files;
  std::size_t executions = 0;
  Calibration found;
};

double in_ms(Nanos t) { return static_cast<double>(t) / 1e6; }

Nanos total_of(const DeviceFit& d, Nanos OpFit::*time) {
  Nanos sum = 0;
  for (const OpFit& op : d.fit.ops) sum += op.*time;
  return sum;
}

std::string tasks_of(const DeviceFit& d) {
  std::vector<std::string> names;
  for (const std::string& task : d.tasks) names.push_back(short_task(task));
  if (names.size() > 4) names.resize(3), names.push_back(fmt::format("{} others", d.tasks.size() - 3));
  return join(names, ", ");
}

// "700GB/s": of memory, which is counted in bytes.
std::string bytes_a_second(std::uint64_t bandwidth) {
  for (const auto& [unit, name] : {std::pair(1'000'000'000u, "GB/s"), std::pair(1'000'000u, "MB/s")})
    if (bandwidth % unit == 0) return fmt::format("{}{}", bandwidth / unit, name);
  return format_bandwidth(bandwidth);
}

const char* key_of(const DeviceFit& d) { return d.is_gpu ? "gpu" : "cpu"; }

// ---- as a section of a scenario ----

std::string op_line(const OpFit& op, std::size_t widest) {
  return fmt::format("{:<{}}  # {:>6} {:>12.3f} {:>12.3f} {:>7.1f} %{}\n",
                     fmt::format("{}: {}", op.op, format_number(op.efficiency)), widest + 10, op.kernels,
                     in_ms(op.measured), in_ms(op.fitted), 100 * op.spread,
                     op.beyond_peak ? "  faster than the peaks allow" : "");
}

// What the scenario says of ops that were not measured stays.
std::string kept_lines(const DeviceFit& d, const std::string& indent) {
  std::string out;
  for (const Efficiency& e : d.device.rates.efficiency)
    if (std::ranges::find(d.fit.ops, e.op, &OpFit::op) == d.fit.ops.end())
      out += fmt::format("{}\"{}\": {}  # as in the scenario\n", indent, e.op, format_number(e.share));
  return out;
}

std::string efficiency_lines(const DeviceFit& d, const std::string& indent) {
  std::size_t widest = 0;
  for (const OpFit& op : d.fit.ops) widest = std::max(widest, op.op.size());
  std::string out =
      fmt::format("{:<{}}  # {:>6} {:>12} {:>12} {:>9}\n", indent + "efficiency:", indent.size() + widest + 12, "nodes",
                  "measured ms", "fitted ms", "spread");
  for (const OpFit& op : d.fit.ops) out += indent + "  " + op_line(op, widest);
  return out + kept_lines(d, indent + "  ");
}

std::string missed_line(const DeviceFit& d, const std::string& indent) {
  if (d.missed.empty()) return "";
  std::vector<std::string> ops;
  for (const auto& [op, names] : d.missed) ops.push_back(fmt::format("{} {}", names.size(), op));
  return fmt::format("{}# {} of its {} nodes were not measured, so they reach the peaks: {}.\n", indent,
                     d.nodes_missed(), d.nodes, join(ops, ", "));
}

// Another launch with other efficiencies takes as long on all that was measured, and not on other sizes.
std::string how_sure(const RatesFit& fit) {
  if (100 * (fit.launch - fit.least_launch) <= fit.launch) return "";
  return fmt::format("  # any launch from {} on fits as well: measure ops with kernels of several sizes",
                     format_time(fit.least_launch));
}

std::string lines_of(const DeviceFit& d, const std::string& indent) {
  const DeviceRates& rates = d.device.rates;
  std::string out =
      fmt::format("{}# Of {}: {} nodes took {:.3f} ms, with this section {:.3f} ms.\n", indent, tasks_of(d),
                  d.nodes - d.nodes_missed(), in_ms(total_of(d, &OpFit::measured)), in_ms(total_of(d, &OpFit::fitted)));
  out += missed_line(d, indent);
  const auto line = [&](const char* key, const std::string& value) {
    out += fmt::format("{}  {}: {}\n", indent, key, value);
  };
  out += fmt::format("{}{}:\n", indent, key_of(d));
  if (rates.flops > 0) line("flops", format_speed(rates.flops));
  if (rates.bandwidth > 0) line("memory_bandwidth", bytes_a_second(rates.bandwidth));
  line("launch", format_time(d.fit.launch) + how_sure(d.fit));
  if (d.device.launches_ahead) line("launch_ahead", "true");
  if (d.device.copy_bandwidth > 0) line("copy_bandwidth", bytes_a_second(d.device.copy_bandwidth));
  if (d.device.memory_bytes > 0) line("memory", format_size(d.device.memory_bytes));
  return out + efficiency_lines(d, indent + "  ");
}

std::string error_lines(const Calibration& found) {
  std::string out;
  for (const std::string& error : found.errors)
    out += fmt::format("# In the run of the scenario a client left training, so not all of its nodes are here. {}\n",
                       error);
  return out;
}

// The first CPU and the first GPU are the devices of all tasks, others a document each.
std::string text_of_answer(const CalibrateAnswer& a) {
  std::string shared, own;
  const DeviceFit* last = nullptr;
  for (const DeviceFit& d : a.found.devices) {
    if (d.fit.ops.empty()) continue;
    if (last == nullptr || last->is_gpu != d.is_gpu)
      shared += lines_of(d, "    ");
    else
      own += fmt::format("---\n# For cluster.tasks, where these tasks have a {} of their own.\n{}", key_of(d),
                         lines_of(d, ""));
    last = &d;
  }
  return fmt::format("# {}\n# Fitted by tarry calibrate to {} executions in {}.\n{}cluster:\n  devices:\n{}{}", a.title,
                     a.executions, a.files.size() > 3 ? fmt::format("{} files", a.files.size()) : join(a.files, ", "),
                     error_lines(a.found), shared, own);
}

// ---- as JSON ----

Json json_of(const OpFit& op) {
  return {{"op", op.op},
          {"nodes", op.kernels},
          {"efficiency", static_cast<double>(op.efficiency) / 1e6},
          {"beyond_peak", op.beyond_peak},
          {"measured_ns", op.measured},
          {"fitted_ns", op.fitted},
          {"spread", op.spread}};
}

Json json_of(const DeviceFit& d) {
  Json j{{"device", key_of(d)},
         {"tasks", d.tasks},
         {"nodes", d.nodes},
         {"missed", d.missed},
         {"launch_ns", d.fit.launch},
         {"least_launch_ns", d.fit.least_launch},
         {"measured_ns", total_of(d, &OpFit::measured)},
         {"fitted_ns", total_of(d, &OpFit::fitted)},
         {"ops", Json::array()}};
  for (const OpFit& op : d.fit.ops) j["ops"].push_back(json_of(op));
  return j;
}

Json json_of(const CalibrateAnswer& a) {
  Json j{{"title", a.title},
         {"files", a.files},
         {"executions", a.executions},
         {"errors", a.found.errors},
         {"devices", Json::array()}};
  for (const DeviceFit& d : a.found.devices) j["devices"].push_back(json_of(d));
  return j;
}

StatusOr<CalibrateAnswer> answer(const CalibrateArguments& a, const Home& home) {
  CalibrateAnswer out{.files = a.files};
  std::vector<std::vector<NodeExecTime>> runs;
  for (const std::string& file : a.files) {
    TARRY_ASSIGN(runs.emplace_back(), read_step_stats(file));
    out.executions += runs.back().size();
  }
  TARRY_ASSIGN(const Scenario scenario, open_scenario(a.scenario, home));
  TARRY_ASSIGN(Job job, make_job(scenario, {home.graphs(), true, {}}));
  ProgressLine progress;
  job.watch = [&](Nanos now, std::uint64_t events) {
    progress.show([&](double) { return fmt::format("{:.1f} s simulated, {} events", in_seconds(now), events); });
  };
  out.title = scenario.title;
  TARRY_ASSIGN(out.found, calibrate(job, runs));
  return out;
}

int print_answer(const CalibrateArguments& a, const Home& home) {
  const auto found = answer(a, home);
  if (!found.ok()) return refuse(found.status());
  fmt::print("{}", a.json ? json_text(json_of(*found), 1) + "\n" : text_of_answer(*found));
  return kOk;
}

}  // namespace

void add_calibrate(CommandLine& line) {
  auto a = std::make_shared<CalibrateArguments>();
  CLI::App* c = &line.command;
  add_options(*c, a->scenario);
  c->add_option("metadata", a->files, "Step statistics that were measured: TensorFlow's RunMetadata or StepStats")
      ->required();
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = print_answer(*a, line.home); });
}

}  // namespace tarry
