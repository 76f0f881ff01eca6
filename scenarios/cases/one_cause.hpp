// For tests: jobs with one cause that costs time, and what `tarry run` says of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {

inline std::vector<Verdict> verdicts_of(const Scenario& scenario) {
  const Job job = job_for(scenario).value();
  const Outcome outcome = run_apart(job).value();
  auto designs = likely_designs(scenario, {.graphs_folder = kGraphs, .keep_kernels = false}).value();
  const auto proofs = prove(job, outcome, {}, std::move(designs)).value();
  return judge(outcome.log, read_contributions(outcome.log), outcome.tasks, proofs);
}

// Workers, each on a host of its own, and parameter servers; steps of 100 ms. Texts are keys of the scenario.
struct Cluster {
  int workers = 4, servers = 1;
  std::string graph = "softmax_async_ps1_task0", build = "protocol: async", network = "latency: 1ms", costs, training,
              more, stop = "steps: 40", hosts, tasks;

  [[nodiscard]] std::string text() const {
    std::string h = hosts, t = tasks;
    for (int s = 0; s < servers && hosts.empty(); ++s) h += fmt::format("server{}, ", s);
    for (int w = 0; w < workers && hosts.empty(); ++w) h += fmt::format("host{}, ", w);
    for (int s = 0; s < servers && tasks.empty(); ++s) t += fmt::format("ps/{0}: server{0}, ", s);
    for (int w = 0; w < workers && tasks.empty(); ++w) t += fmt::format("worker/{0}: host{0}, ", w);
    return fmt::format(
        "title: one cause\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{engine: shared, {}}}\n"
        "build: {{graph: {}, ps: {}, {}}}\nfeeds: {{batch: 32}}\ncosts:\n{}"
        "  - {{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}}\n"
        "training: {{soft_placement: true{}}}\n{}stop: {{{}}}\n",
        h, t, network, graph, servers, build, costs, training, more, stop);
  }
  [[nodiscard]] std::vector<Verdict> verdicts() const {
    return verdicts_of(parse_scenario(text(), "one_cause.yaml").value());
  }
};

// What they say of that kind.
inline std::string said(const std::vector<Verdict>& verdicts, std::string_view kind) {
  std::string text;
  for (const Verdict& v : verdicts)
    if (v.kind == kind) text += v.text + "\n";
  return text;
}

inline std::string slow(int worker, int ms) {
  return fmt::format("  - {{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/{}, time: {}ms}}\n", worker, ms);
}

// The kind of the first that tells of a cause.
inline std::string first_cause(const std::vector<Verdict>& verdicts) {
  for (const Verdict& v : verdicts)
    if (v.text.find("Run again ") != v.text.npos) return v.kind;
  return "";
}

// What is said of that kind first is about it, and gains so much.
inline void expect_first(const Cluster& c, std::string_view kind, const std::vector<std::string>& words) {
  const auto told = c.verdicts();
  EXPECT_EQ(first_cause(told), kind) << c.text();
  for (const std::string& w : words) EXPECT_THAT(said(told, kind), testing::HasSubstr(w));
}

inline const Cluster kSync{.workers = 6, .build = "protocol: sync, num_tokens: 0", .stop = "aggregates: 20"};

}  // namespace tarry
