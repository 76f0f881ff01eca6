// Which tensors cross between tasks in one step, against TensorFlow 2.15.1's step traces of softmax regression with two
// workers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

using Transfers = std::map<std::string, std::int64_t>;  // "ps:0 -> worker:1" -> tensors

std::string scenario_text(const std::string& graph, int ps, const std::string& protocol, int steps) {
  std::string tasks;
  for (int i = 0; i < ps; ++i) tasks += fmt::format("/job:ps/task:{0}: h, ", i);
  return fmt::format(
      "title: transfers\ncluster: {{hosts: [h], tasks: {{{}/job:worker/task:0: h, /job:worker/task:1: h}}}}\nbuild: "
      "{{graph: {}, protocol: {}}}\nfeeds: {{batch: 100}}\nstop: {{steps: {}}}\n",
      tasks, graph, protocol, steps);
}

// "/job:ps/task:0" is ps:0.
std::string short_name(const std::string& task) {
  const std::size_t job = task.find(':') + 1, slash = task.find('/', job);
  return task.substr(job, slash - job) + task.substr(task.rfind(':'));
}

// Of a whole run.
Transfers tensors_sent(const std::string& text) {
  const Scenario s = parse_scenario(text, "transfers").value();
  const Outcome o = run_here(job_for(s).value());
  Transfers counts;
  for (const LoggedEvent& e : o.log.events()) {
    const auto* m = std::get_if<MessageDelivered>(&e.event);
    if (m == nullptr || o.log.name(m->kind) != "RecvTensor reply") continue;
    ++counts[short_name(s.cluster.tasks[m->from.index()].name) + " -> " +
             short_name(s.cluster.tasks[m->to.index()].name)];
  }
  return counts;
}

// What four more rounds of both workers send, a round.
Transfers per_round(const std::string& graph, int ps, const std::string& protocol) {
  Transfers counts = tensors_sent(scenario_text(graph, ps, protocol, 8));
  for (const auto& [pair, tensors] : tensors_sent(scenario_text(graph, ps, protocol, 4))) counts[pair] -= tensors;
  for (auto& [pair, tensors] : counts) {
    EXPECT_EQ(tensors % 4, 0) << pair;
    tensors /= 4;
  }
  std::erase_if(counts, [](const auto& c) { return c.second == 0; });
  return counts;
}

struct Traced {
  std::string graph, protocol;
  int ps;
  Transfers of_a_worker;        // in the trace of a training step: to and from that worker, here worker:N
  std::int64_t between_ps = 0;  // ps:1 -> ps:0, of two training steps and what the chief adds to a round
};
std::ostream& operator<<(std::ostream& out, const Traced& t) {
  return out << t.protocol << " " << t.graph << " on " << t.ps;
}

class StepTransfers : public testing::TestWithParam<Traced> {};

TEST_P(StepTransfers, are_those_of_the_trace) {
  const Traced& t = GetParam();
  Transfers expected;
  for (const char* worker : {"worker:0", "worker:1"})
    for (const auto& [pair, tensors] : t.of_a_worker)
      expected[std::string(pair).replace(pair.find("worker:N"), 8, worker)] = tensors;
  if (t.between_ps > 0) expected["ps:1 -> ps:0"] = t.between_ps;
  EXPECT_EQ(per_round(t.graph, t.ps, t.protocol), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, StepTransfers,
    testing::Values(
        // The learning rate crosses once to one ps, and is made where it is needed on two.
        Traced{"softmax_async_ps1_task0", "async", 1, {{"ps:0 -> worker:N", 2}, {"worker:N -> ps:0", 3}}},
        Traced{"softmax_async_ps1_task0",
               "async",
               2,
               {{"ps:0 -> worker:N", 2}, {"ps:1 -> worker:N", 2}, {"worker:N -> ps:0", 2}, {"worker:N -> ps:1", 1}}},
        Traced{"softmax_async_ps1_task0", "sync", 1, {{"ps:0 -> worker:N", 3}, {"worker:N -> ps:0", 3}}},
        Traced{"softmax_async_res_ps2_task1", "sync", 1, {{"ps:0 -> worker:N", 3}, {"worker:N -> ps:0", 4}}},
        Traced{"softmax_async_ps1_task0",
               "sync",
               2,
               {{"ps:0 -> worker:N", 2}, {"ps:1 -> worker:N", 1}, {"worker:N -> ps:0", 2}, {"worker:N -> ps:1", 2}},
               3},
        Traced{"softmax_async_res_ps2_task1",
               "sync",
               2,
               {{"ps:0 -> worker:N", 2}, {"ps:1 -> worker:N", 1}, {"worker:N -> ps:0", 2}, {"worker:N -> ps:1", 2}},
               3}));

}  // namespace
}  // namespace tarry
