#include "workers/worker/transfer_log.hpp"

#include <algorithm>

#include "workers/rendezvous/key.hpp"

namespace tarry {
namespace {

constexpr double kMegabyte = 1048576, kGigabit = 1000;  // the second in megabits

std::string size_text(std::uint64_t bytes) {
  const auto b = static_cast<double>(bytes);
  return b >= 0.1 * kMegabyte ? fmt::format("[{:.1f}MB]", b / kMegabyte) : fmt::format("[{}B]", bytes);
}

std::string rate_text(std::uint64_t bytes, Nanos took) {
  const double rate = 8.0 * static_cast<double>(bytes) * 1000 / static_cast<double>(std::max<Nanos>(took, 1000));
  return rate >= kGigabit ? fmt::format("[{:.1f}Gb/s]", rate / kGigabit) : fmt::format("[{:f}Mb/s]", rate);
}

}  // namespace

void TransferLog::add(StepId step, std::string_view key, std::uint64_t bytes, Nanos took) {
  const auto k = parse_key(key);
  if (!is_on_ || !k.ok()) return;
  StepStats& stats = steps_[step];
  const std::string device(k->recv_device);
  auto it = std::ranges::find(stats, device, &DeviceStats::device);
  if (it == stats.end()) it = stats.insert(stats.end(), DeviceStats{device, {}});
  it->nodes.push_back({"RecvTensor",
                       fmt::format("{} {} {} from {} to {}", size_text(bytes), rate_text(bytes, took), k->tensor_name,
                                   k->send_device, device),
                       {},
                       bytes});
}

LoggingResponse TransferLog::take(const std::vector<StepId>& steps) {
  LoggingResponse r;
  for (const StepId step : steps)
    if (auto found = steps_.extract(step); !found.empty()) r.steps.emplace_back(step, std::move(found.mapped()));
  return r;
}

}  // namespace tarry
