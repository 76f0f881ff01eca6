// A job that ran, with all that made it, for tests of what would cure it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/verdict.hpp"
#include "scenarios/file/cures.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {

// A parameter server and three workers, each on a host of its own.
inline const std::string kOneServer =
    "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
    "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n"
    "  network: {latency: 1ms}\n"
    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n";

struct RanCase {
  Scenario scenario;
  RunOptions options;
  Job job;
  Outcome outcome;
};

// `rest`: what follows in the scenario.
inline RanCase ran_case(const std::string& rest, const std::string& cluster = kOneServer) {
  Scenario scenario = parse_scenario(cluster + rest + "\n", "s.yaml").value();
  const RunOptions options{kGraphs, false, {}};
  Job job = make_job(scenario, options).value();
  Outcome outcome = run_apart(job).value();
  return {std::move(scenario), options, std::move(job), std::move(outcome)};
}

// What the verdicts of a kind say, with all proofs, one after the other; of all verdicts with "".
inline std::string said(const RanCase& c, const std::string& kind = "") {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  std::string all;
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs))
    if (kind.empty() || v.kind == kind) all += v.kind + ": " + v.text + "\n";
  return all;
}

inline const std::string kSyncBuild = "build: {graph: softmax_async_ps1_task0, protocol: sync}\n";
inline const Verdict kStuckByWorker2{
    "stuck",
    "x. To do: restart worker 2, or aggregate fewer gradients than there are workers; watch the time "
    "since the last aggregate."};

}  // namespace tarry
