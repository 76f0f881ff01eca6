#include <string>
#include <vector>

#include "scenarios/job/acquit.hpp"
#include "scenarios/job/outcome_bytes.hpp"
#include "scenarios/job/run_alone.hpp"
#include "sim/flow_module.hpp"
#include "sim/runner.hpp"

namespace tarry {

Outcome run_here(const Job& job, KnownJob* known) {
  Outcome out = run_alone(job, known);
  acquit_slow_faults(job, out, known);
  return out;
}

namespace {

// Blocks of many sizes, half of them given back: what comes next finds other places.
std::vector<std::string> some_memory() {
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i < 20'000; ++i) blocks.emplace_back(16 + i * 7919 % 3000, 'x');
  for (std::size_t i = 0; i < blocks.size(); i += 2) std::string().swap(blocks[i]);
  return blocks;
}

// Here, once for all runs.
Status open_what_they_need(const Job& job) {
  const bool needs_flows = has_flows(job.cluster) && flows_by(job.cluster) == FlowsBy::simgrid;
  return needs_flows ? open_flow_module().status() : Status();
}

std::string outcome_in_child(const Job& job, KnownJob* known) {
  const auto held = job.shifts_memory ? some_memory() : std::vector<std::string>();
  return to_bytes(run_alone(job, known));
}

// The acquittal is tried here: a process that ran flows of SimGrid runs no others.
StatusOr<Outcome> outcome_of_child(const Job& job, KnownJob* known, const StatusOr<std::string>& bytes) {
  TARRY_RETURN_IF_ERROR(bytes.status());
  TARRY_ASSIGN(Outcome out, outcome_from_bytes(*bytes));
  out.tasks = task_names(job.cluster);
  acquit_slow_faults(job, out, known);
  return out;
}

}  // namespace

StatusOr<Outcome> run_apart(const Job& job, KnownJob* known) {
  TARRY_RETURN_IF_ERROR(open_what_they_need(job));
  return outcome_of_child(job, known, run_in_child([&] { return outcome_in_child(job, known); }));
}

void run_each_apart(const std::vector<Job>& jobs, int at_once, KnownJob* known,
                    const std::function<bool(std::size_t, StatusOr<Outcome>)>& ended) {
  const auto job = [&](int i) -> const Job& { return jobs[static_cast<std::size_t>(i)]; };
  for (const Job& j : jobs)
    if (Status opened = open_what_they_need(j); !opened.ok()) return (void)ended(0, std::move(opened));
  run_in_order(
      static_cast<int>(jobs.size()), at_once, [&](int i) { return outcome_in_child(job(i), known); },
      [&](int i, const StatusOr<std::string>& bytes) {
        return ended(static_cast<std::size_t>(i), outcome_of_child(job(i), known, bytes));
      });
}

}  // namespace tarry
