// The words for hosts, bandwidths, times, and for who has less than the others.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "placer/core/text.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {

std::string listed(std::vector<std::string> names) {
  if (names.size() > kMostNames)
    return fmt::format("{} and {} more", join(std::vector(names.begin(), names.begin() + kMostNames - 1), ", "),
                       names.size() - kMostNames + 1);
  const std::string last = std::move(names.back());
  names.pop_back();
  return join(names, ", ") + " and " + last;
}

std::string with_its_tasks(const Job& job, const TaskNames& names, HostId host) {
  std::vector<std::string> tasks;
  for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
    if (job.cluster.tasks[t].host == host) tasks.push_back(names.show(TaskId{t}));
  return fmt::format("{} ({})", job.cluster.hosts[host.index()].name, join(tasks, ", "));
}
std::string with_its_tasks(const Job& job, const Outcome& outcome, HostId host) {
  return with_its_tasks(job, outcome.tasks, host);
}

std::uint64_t as_limit(std::uint64_t bandwidth) {
  return bandwidth == 0 ? std::numeric_limits<std::uint64_t>::max() : bandwidth;
}
std::uint64_t from_limit(std::uint64_t limit) { return limit == std::numeric_limits<std::uint64_t>::max() ? 0 : limit; }

std::string bandwidth_in_words(std::uint64_t bandwidth) {
  if (bandwidth == 0) return "no limit";
  const double megabits = static_cast<double>(bandwidth) * 8 / 1e6;
  return megabits < 1000 ? fmt::format("{:.6g} Mb/s", megabits) : fmt::format("{:.6g} Gb/s", megabits / 1000);
}

std::string time_in_words(Nanos t) {
  if (t < kSecond / 1000) return fmt::format("{:.6g} us", static_cast<double>(t) / 1e3);
  return t < kSecond ? fmt::format("{:.6g} ms", static_cast<double>(t) / 1e6) : fmt::format("{:.6g} s", in_seconds(t));
}

std::string odd_in_words(const std::string& of, const std::vector<Amounted>& all,
                         const std::function<std::string(std::uint64_t)>& in_words) {
  if (all.size() < 2) return "";
  std::vector<std::uint64_t> limits;
  for (const Amounted& a : all) limits.push_back(as_limit(a.amount));
  std::ranges::sort(limits);
  const std::uint64_t usual = limits[limits.size() / 2];
  const Amounted& least = *std::ranges::min_element(all, {}, [](const Amounted& a) { return as_limit(a.amount); });
  if (static_cast<double>(as_limit(least.amount)) >= kMuchWorse * static_cast<double>(usual)) return "";
  return fmt::format("{}{} has {} and {} {}", of, least.name, in_words(least.amount),
                     of.empty() ? "the others" : "those of the others", in_words(from_limit(usual)));
}

}  // namespace tarry
