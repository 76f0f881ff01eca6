#include <fmt/format.h>

#include "results/loads.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

const char* nearer(const TaskNames& tasks) {
  if (tasks.are_on_one_host()) return "";
  return tasks.have_servers() ? "bring workers and parameter servers nearer to each other, or "
                              : "bring the workers nearer to each other, or ";
}

// "; and between the parameter servers one is under way for 39 % of the run", where that is a tenth or more.
std::string between_servers(const Evidence& e) {
  std::vector<TaskId> servers;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (e.tasks.is_ps(TaskId{t})) servers.push_back(TaskId{t});
  const double part = share(time_between(servers, e.log), e.log.ended_at - e.log.started_at);
  return part < kWorthTelling
             ? ""
             : fmt::format("; and between the parameter servers one is under way for {} % of the run", percent(part));
}

}  // namespace

Told judge_latency_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  const std::vector<Proof> proofs = proved(e, Proof::Cause::latency);
  if (proofs.empty()) return out;
  const StepTimes all = sum_of(read_loads(e.log));
  for (const Proof& p : proofs)
    out.push_back(
        fmt::format("Latency costs time: {} % of the workers' step time a message is under way that takes no longer "
                    "than the latency of its path{}.{} To do: {}let a step do more (larger batches).",
                    percent(share(all.on_the_way - all.transferring, all.total)), between_servers(e), in_words(p),
                    nearer(e.tasks)));
  return out;
}

}  // namespace tarry
