#include <fmt/format.h>

#include "results/loads.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

const char* nearer(const TaskNames& tasks, bool is_of_servers) {
  if (tasks.are_on_one_host()) return "";
  if (is_of_servers) return "bring the parameter servers nearer to each other, or ";
  return tasks.have_servers() ? "bring workers and parameter servers nearer to each other, or "
                              : "bring the workers nearer to each other, or ";
}

}  // namespace

Told judge_latency_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  const std::vector<Proof> proofs = proved(e, Proof::Cause::latency);
  if (proofs.empty()) return out;
  const StepTimes all = sum_of(read_loads(e.log));
  const double part = share(all.on_the_way - all.transferring, all.total);
  const std::string of_servers = between_servers(e);
  for (const Proof& p : proofs)
    out.push_back(fmt::format(
        "Latency costs time: for {} % of the workers' step time a message is under way that takes no longer "
        "than the latency of its path{}.{} To do: {}let a step do more (larger batches).",
        percent(part), of_servers, in_words(p), nearer(e.tasks, part < kWorthTelling && !of_servers.empty())));
  return out;
}

}  // namespace tarry
