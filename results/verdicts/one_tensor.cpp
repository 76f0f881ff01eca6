#include "results/verdicts/one_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/loads.hpp"

namespace tarry {

std::optional<OneTensor> one_tensor(const Evidence& e) {
  constexpr double kMost = 0.5;
  std::int64_t steps = 0;
  for (const WorkerStory& w : e.contributions.workers) steps += w.steps;
  const Loads loads = read_loads(e.log);
  std::optional<OneTensor> one;
  std::uint64_t most = 0;
  for (const auto& [task, load] : loads.tasks) {
    if (!e.tasks.is_ps(task) || load.bytes <= most || load.tensors.empty()) continue;
    most = load.bytes;
    const auto& [bytes, times] = *load.tensors.rbegin();
    const double share = static_cast<double>(bytes) *
                         static_cast<double>(std::min(times, static_cast<std::uint64_t>(steps))) /
                         static_cast<double>(load.bytes);
    one = share < kMost ? std::nullopt : std::optional(OneTensor{task, bytes, share});
  }
  return one;
}

std::string in_words(const OneTensor& one, const Evidence& e) {
  return fmt::format(" One tensor of {:.3f} MB is {} % of what {} sends.", static_cast<double>(one.bytes) / 1e6,
                     percent(one.share), e.tasks.show(one.server));
}

std::string how_to_split(const Evidence& e) {
  std::size_t servers = 0;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t) servers += e.tasks.is_ps(TaskId{t}) ? 1 : 0;
  return fmt::format("split that variable over {} parameter servers", servers > 1 ? "the" : "several");
}

}  // namespace tarry
