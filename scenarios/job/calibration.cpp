#include "scenarios/job/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

using Runs = std::vector<std::vector<NodeExecTime>>;

constexpr Nanos kLongest = 3'600'000'000'000;  // no kernel takes more than an hour: sums of such times have room

bool has_peaks(const DeviceRates& rates) { return rates.flops > 0 || rates.bandwidth > 0; }

// At the peaks, which are the only source of times.
DeviceRates at_peaks(const DeviceRates& rates) {
  return has_peaks(rates) ? DeviceRates{rates.flops, rates.bandwidth, 0, {}} : DeviceRates{};
}

bool has_trained(const EventLog& log) {
  return std::ranges::any_of(log.events(), [](const LoggedEvent& e) {
    const auto* s = std::get_if<StepBegan>(&e.event);
    return s != nullptr && s->purpose == Purpose::train;
  });
}

// Every client's first training steps are enough: all its nodes run in them.
Job bare_job(Job job) {
  job.faults.clear();
  job.costs = {};
  for (TaskSpec& task : job.cluster.tasks) {
    task.cpu = at_peaks(task.cpu);
    for (GpuSpec& gpu : task.gpus) gpu.rates = at_peaks(gpu.rates);
  }
  job.stop.began = static_cast<std::int64_t>(2 * job.clients.size());
  job.keep_kernels = true;
  return job;
}

struct Executions {
  std::string op;
  Nanos at_peak = 0, measured = 0;  // together
  std::int64_t count = 0, found = 0;
};

// The devices with equal peaks, and what runs on them.
struct Kind {
  DeviceFit fit;
  std::map<std::string, Executions> nodes;
};

using Files = std::vector<Measured>;  // those that have anything

// The median of the files that measured the node.
std::optional<Nanos> median(const Files& files, std::string_view node, std::string_view device) {
  std::vector<Nanos> times;
  for (const Measured& m : files)
    if (const auto time = m.find(node, device)) times.push_back(*time);
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2];
}

class Calibrator {
 public:
  Calibrator(const Job& job, const EventLog& log, const Runs& runs) : log_(log) {
    for (const TaskSpec& task : job.cluster.tasks) add(task);
    of_kind_.resize(kinds_.size());
    for (const auto& times : runs) add(times);
  }

  std::vector<DeviceFit> read() {
    std::set<StepId> training;
    for (const LoggedEvent& e : log_.events()) {
      if (const auto* s = std::get_if<StepBegan>(&e.event); s != nullptr && s->purpose == Purpose::train)
        training.insert(s->step);
      if (const auto* k = std::get_if<KernelRan>(&e.event); k != nullptr && training.contains(k->step))
        add(*k, e.at - k->began);
    }
    std::vector<DeviceFit> out;
    for (Kind& kind : kinds_)
      if (!kind.nodes.empty()) out.push_back(fitted(kind));
    std::ranges::stable_sort(out, {}, &DeviceFit::is_gpu);
    return out;
  }

 private:
  void add(const TaskSpec& task) {
    const auto names = device_names(task);
    add(task, names[0], {false, {.rates = task.cpu}, {}, 0, {}, {}});
    for (std::size_t i = 0; i < task.gpus.size(); ++i) add(task, names[i + 1], {true, task.gpus[i], {}, 0, {}, {}});
  }
  void add(const TaskSpec& task, const std::string& device, const DeviceFit& as) {
    if (!has_peaks(as.device.rates)) return;
    auto kind = std::ranges::find_if(kinds_, [&](const Kind& k) { return is_like(k.fit, as); });
    if (kind == kinds_.end()) kind = kinds_.insert(kind, {as, {}});
    if (kind->fit.tasks.empty() || kind->fit.tasks.back() != task.name) kind->fit.tasks.push_back(task.name);
    by_device_[device] = static_cast<std::size_t>(kind - kinds_.begin());
  }
  static bool is_like(const DeviceFit& a, const DeviceFit& b) { return a.is_gpu == b.is_gpu && a.device == b.device; }

  void add(const KernelRan& k, Nanos at_peak) {
    const auto kind = by_device_.find(log_.name(k.device));
    if (kind == by_device_.end()) return;  // a copy engine
    Executions& node = kinds_[kind->second].nodes[std::string(log_.name(k.node))];
    node.op = log_.name(k.op);
    node.at_peak += std::min(at_peak, kLongest);
    ++node.count;
    if (const auto time = time_of(log_.name(k.node), log_.name(k.device), kind->second)) {
      node.measured += std::min(*time, kLongest);
      ++node.found;
    }
  }
  // By device, by kind, and all. What ran on a GPU itself (".../stream:all") names no task, and belongs to each.
  void add(const std::vector<NodeExecTime>& file) {
    std::map<std::string, std::vector<NodeExecTime>> devices;
    std::map<std::size_t, std::vector<NodeExecTime>> kinds;
    std::vector<NodeExecTime> streams;
    for (const NodeExecTime& t : file) {
      if (t.device.find("/stream:") != std::string::npos) streams.push_back(t);
      if (const auto kind = by_device_.find(t.device); kind != by_device_.end())
        devices[t.device].push_back(t), kinds[kind->second].push_back(t);
    }
    const auto measured = [&](std::vector<NodeExecTime>& times) {
      times.insert(times.end(), streams.begin(), streams.end());
      return Measured(times);
    };
    for (auto& [device, times] : devices) of_device_[device].push_back(measured(times));
    for (auto& [kind, times] : kinds) of_kind_[kind].push_back(measured(times));
    all_.emplace_back(file);
  }

  [[nodiscard]] std::optional<Nanos> time_of(std::string_view node, std::string_view device, std::size_t kind) const {
    if (const auto own = of_device_.find(device); own != of_device_.end())
      if (const auto time = median(own->second, node, device)) return time;
    const auto of_equal = median(of_kind_[kind], node, device);
    return of_equal ? of_equal : median(all_, node, device);
  }

  static DeviceFit fitted(Kind& kind) {
    std::vector<TimedKernel> kernels;
    for (const auto& [name, node] : kind.nodes)
      if (node.found == 0)
        kind.fit.missed[node.op].push_back(name);
      else
        kernels.push_back(
            {node.op, std::max<Nanos>(1, node.at_peak / node.count), std::max<Nanos>(1, node.measured / node.found)});
    kind.fit.nodes = kind.nodes.size();
    kind.fit.fit = fit_rates(kernels);
    return std::move(kind.fit);
  }

  const EventLog& log_;
  std::map<std::string, Files, std::less<>> of_device_;
  std::vector<Files> of_kind_;
  Files all_;
  std::vector<Kind> kinds_;
  std::map<std::string, std::size_t, std::less<>> by_device_;
};

// "worker 0: Attempting to use uninitialized value w1", each on a line.
std::vector<std::string> errors_of(const Outcome& o) {
  std::vector<std::string> out;
  for (const LoggedEvent& e : o.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event); s != nullptr && s->stage == SessionStage::failed) {
      std::string why(o.log.name(s->detail));
      std::ranges::replace_if(
          why, [](char c) { return c == '\n' || c == '\t'; }, ' ');
      out.push_back(fmt::format("{}: {}", o.tasks.show(s->task), why));
    }
  return out;
}

Status check_found(const std::vector<DeviceFit>& devices, const NodeExecTime& measured) {
  if (devices.empty())
    return invalid(
        "no node does work on a device with flops or memory_bandwidth, so there is nothing to compare with "
        "what was measured; expected the peaks that the vendor states, in cluster.devices");
  std::size_t nodes = 0;
  for (const DeviceFit& device : devices) {
    if (device.nodes_missed() < device.nodes) return absl::OkStatus();
    nodes += device.nodes;
  }
  return invalid(
      "none of the {} nodes that do work was measured: the scenario has '{}', the first measured node is "
      "'{}' on {}; expected the step statistics of the scenario's own graph",
      nodes, devices[0].missed.begin()->second[0], measured.node, measured.device);
}

}  // namespace

std::size_t DeviceFit::nodes_missed() const {
  std::size_t count = 0;
  for (const auto& [op, names] : missed) count += names.size();
  return count;
}

StatusOr<Calibration> calibrate(const Job& job, const Runs& runs) {
  const Job bare = bare_job(job);
  TARRY_ASSIGN(const Outcome outcome, run_apart(bare));
  if (!has_trained(outcome.log))
    return invalid("no training step of the scenario begins; `tarry run` says why, expected a scenario that trains");
  Calibration out{Calibrator(job, outcome.log, runs).read(), errors_of(outcome)};
  TARRY_RETURN_IF_ERROR(check_found(out.devices, runs.at(0).at(0)));
  return out;
}

}  // namespace tarry
