// For tests: a run that is told by hand, and what is tried without its cause.
#pragma once

#include <string>
#include <vector>

#include "scenarios/job/what_if.hpp"

namespace tarry {

// Hosts, tasks, and what each of them did.
struct ToldRun {
  Job job;
  Outcome outcome;

  // Parameter servers and workers, each on a host of its own.
  ToldRun(std::size_t servers, std::size_t workers) {
    for (std::size_t i = 0; i < servers + workers; ++i) {
      const bool is_ps = i < servers;
      const std::string name =
          fmt::format("/job:{}/replica:0/task:{}", is_ps ? "ps" : "worker", is_ps ? i : i - servers);
      job.cluster.hosts.push_back({fmt::format("host{}", i)});
      job.cluster.tasks.push_back({name, HostId{i}});
      outcome.tasks.names.push_back(name);
      outcome.tasks.hosts.push_back(job.cluster.hosts.back().name);
      if (!is_ps) step(TaskId{i}, i + 1, 0, 1000);
    }
    outcome.log.set_names({""});
  }
  void step(TaskId task, std::uint64_t id, Nanos from, Nanos to) {
    outcome.log.add(from, StepBegan{task, StepId{id}, Purpose::train});
    outcome.log.add(to, StepEnded{task, StepId{id}, 0});
    outcome.log.ended_at = to;
  }
  void sent(TaskId from, TaskId to, std::uint64_t bytes) {
    outcome.log.add(2000, MessageDelivered{from, to, NameId{0u}, bytes, 2000});
  }
  void busy(TaskId task, Nanos time) { outcome.stats.devices.push_back({.task = task, .busy = time}); }

  [[nodiscard]] std::vector<std::string> tried(Proof::Cause cause) const {
    std::vector<std::string> all;
    for (const WhatIf& w : what_ifs(job, outcome))
      if (w.proof.cause == cause)
        all.push_back(w.proof.task.valid() ? outcome.tasks.show(w.proof.task) : w.proof.a + w.proof.b);
    return all;
  }
};

}  // namespace tarry
