#include "scenarios/job/kept.hpp"

#include <algorithm>

namespace tarry {
namespace {

StatusOr<WorkDone> done_without_faults(Job job) {
  job.faults.clear();
  job.keep_kernels = false;
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  return work_done(job, outcome);
}

}  // namespace

std::optional<std::int64_t> last_global_step(const Job& job) {
  const auto has_none = [](const ClientJob& c) { return !c.options.last_global_step; };
  if (job.clients.empty() || std::ranges::any_of(job.clients, has_none)) return std::nullopt;
  const auto last = [](const ClientJob& c) { return *c.options.last_global_step; };
  return last(*std::ranges::max_element(job.clients, {}, last));
}

WorkDone work_done(const Job& job, const Outcome& outcome) {
  const Contributions c = read_contributions(outcome.log);
  WorkDone done = work_done(read_evidence(outcome.log, c, outcome.tasks), job.stop.time, last_global_step(job));
  const auto has_time = [](const Fault& f) { return std::holds_alternative<Nanos>(f.when); };
  done.has_faults = !job.faults.empty() && std::ranges::all_of(job.faults, has_time);
  return done;
}

StatusOr<std::vector<Breach>> breaches(const Must& must, const Job& job, const Outcome& outcome,
                                       std::span<const Verdict> verdicts) {
  const Contributions c = read_contributions(outcome.log);
  const Evidence e = read_evidence(outcome.log, c, outcome.tasks);
  const WorkDone done = work_done(e, job.stop.time, last_global_step(job));
  WorkDone without = done;
  if (must.throughput && !job.faults.empty()) {
    TARRY_ASSIGN(without, done_without_faults(job));
  }
  return breaches(must, e, verdicts, done, &without);
}

}  // namespace tarry
