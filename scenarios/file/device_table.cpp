// The keys of devices: what they can do.

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/graph/op_def.hpp"
#include "scenarios/file/raw.hpp"

namespace tarry {
namespace {

// A machine's description serves many graphs, so an op need not be in this one; but TensorFlow must have it.
void check_op(Reader& in, const Named& op) {
  if (ops_of_tf215().find(op.text) != nullptr) return;
  std::vector<std::string> names;
  for (const OpDef& def : ops_of_tf215().all()) names.push_back(def.name);
  if (std::ranges::any_of(names, [&](const std::string& name) { return matches_glob(name, op.text); })) return;
  in.fail(op.at, fmt::format("no op of TensorFlow is called '{}'{}", op.text, did_you_mean(op.text, names)));
}

Type<std::vector<Efficiency>> efficiency_type() {
  using Shares = std::vector<std::pair<Named, std::int64_t>>;
  const auto shares = map_of("ops to numbers from 0.000001 to 1", number_type(1, kOneShape));
  const auto read = [inner = shares.read](Reader& in, const YAML::Node& node, std::vector<Efficiency>& out) {
    Shares all;
    inner(in, node, all);
    for (const auto& [op, share] : all) {
      if (in.ok()) check_op(in, op);
      out.push_back({op.text, share});
    }
  };
  return {shares.expected, shares.schema, read, {}};
}

template <class T>
Type<T> refusing(Type<T> type, bool (*is_wrong)(const T&), const char* why) {
  type.read = [inner = type.read, is_wrong, why](Reader& in, const YAML::Node& node, T& out) {
    inner(in, node, out);
    if (in.ok() && is_wrong(out)) in.fail(node, why);
  };
  return type;
}

bool lacks_peaks(const DeviceRates& rates) {
  return !rates.efficiency.empty() && rates.flops == 0 && rates.bandwidth == 0;
}

constexpr char kNoPeaks[] = "efficiency is a share of flops and memory_bandwidth; expected one of them beside it";
constexpr char kNoLaunch[] = "launch_ahead needs a time of launches; expected 'launch' beside it";
constexpr char kAhead[] =
    "a kernel is launched while the one before it runs, as on a stream: a busy GPU takes the longer of launch and work";
constexpr char kEfficiency[] = "what kernels of an op reach of both peaks; the first op that fits, others reach them";

}  // namespace

Type<DeviceRates> cpu_type() {
  const auto type =
      Section<DeviceRates>("cpu", "What one kernel on a CPU can do at most: its time is a roofline of that.")
          .key("flops", &DeviceRates::flops, speed_type(), "floating-point operations a second")
          .key("memory_bandwidth", &DeviceRates::bandwidth, bandwidth_type(), "of its memory")
          .key("launch", &DeviceRates::launch, time_type(), "until a kernel begins, however small")
          .key("efficiency", &DeviceRates::efficiency, efficiency_type(), kEfficiency)
          .type();
  return refusing(type, lacks_peaks, kNoPeaks);
}

namespace {

Type<RawGpu> with_sense(const Type<RawGpu>& type) {
  const auto with_peaks = refusing<RawGpu>(
      type, [](const RawGpu& gpu) { return lacks_peaks(gpu.rates); }, kNoPeaks);
  return refusing<RawGpu>(
      with_peaks, [](const RawGpu& gpu) { return gpu.launches_ahead && gpu.rates.launch == 0; }, kNoLaunch);
}

}  // namespace

Type<RawGpu> gpu_type() {
  struct Flat {
    std::uint64_t flops = 0, bandwidth = 0, copy = 0, memory = 0;
    Nanos launch = 0;
    bool ahead = false;
    std::vector<Efficiency> efficiency;
  };
  const auto type = converted<RawGpu>(
      Section<Flat>("gpu", "What a GPU can do at most: a kernel's time is a roofline of that.")
          .key("flops", &Flat::flops, speed_type(), "floating-point operations a second")
          .key("memory_bandwidth", &Flat::bandwidth, bandwidth_type(), "of its memory")
          .key("launch", &Flat::launch, time_type(), "until a kernel begins, however small")
          .key("launch_ahead", &Flat::ahead, boolean_type(), kAhead)
          .key("efficiency", &Flat::efficiency, efficiency_type(), kEfficiency)
          .key(
              "copy_bandwidth", &Flat::copy, bandwidth_type(),
              "of each of its two copy engines, to and from host memory; where a PCIe root has no limit either, copies "
              "take no time")
          .key("memory", &Flat::memory, size_type(),
               "tensors take it while they live, and too much is an OOM; without it memory is not counted")
          .type(),
      [](Flat f) {
        return RawGpu{{f.flops, f.bandwidth, f.launch, std::move(f.efficiency)}, f.copy, f.memory, f.ahead};
      });
  return with_sense(type);
}

Type<RawDevices> devices_type() {
  return Section<RawDevices>(
             "devices", "What the devices of all tasks can do, for rooflines; a task's own 'cpu' and 'gpu' come first.")
      .key("cpu", &RawDevices::cpu, cpu_type(), "the CPUs")
      .key("gpu", &RawDevices::gpu, gpu_type(), "the GPUs")
      .type();
}

}  // namespace tarry
