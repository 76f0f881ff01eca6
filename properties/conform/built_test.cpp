// Jobs that tarry builds from one recorded graph, against the graphs that TensorFlow 2.15.1 built for the same jobs:
// node by node, names included.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/conform/graph_match.hpp"
#include "scenarios/job/shipped_graphs.hpp"
#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/job_plan.hpp"
#include "workers/train/build/strip_sync.hpp"

namespace tarry {
namespace {

using testing::IsEmpty;

// ---- the facts beside a graph ----

std::string show(const SyncProgram& s) {
  return fmt::format(
      "R={} W={} T0={} queue {} sync {} close {} cancel {} tokens {} init {} ready {} step {} accumulators {} sparse "
      "{}",
      s.replicas_to_aggregate, s.total_replicas, s.num_tokens, s.token_queue,
      fmt::join(s.chief_runner.enqueue_ops, ","), s.chief_runner.close_op, s.chief_runner.cancel_op, s.init_tokens_op,
      s.local_init_op, s.ready_for_local_init, s.local_step, fmt::join(s.accumulators, ","),
      fmt::join(s.sparse_accumulators, ","));
}

std::string facts(const ClientProgram& p) {
  return fmt::format("{} chief {} targets {} fetches {} init {} {} ready {} {} saver {} {} {} step {} {}", p.task,
                     p.is_chief, fmt::join(p.targets, ","), fmt::join(p.fetches, ","), p.init_op, p.local_init_op,
                     p.ready, p.ready_for_local_init, p.saver.filename, p.saver.save, p.saver.restore, p.global_step,
                     p.sync ? show(*p.sync) : "asynchronous");
}

void expect_equal(const ClientProgram& built, const ClientProgram& theirs) {
  EXPECT_EQ(difference(own_graph(built), own_graph(theirs)), "");
  EXPECT_EQ(facts(built), facts(theirs));
}

struct Twin {
  std::string from, stem;  // the built job's graph, and the recorded job: STEM_task0, STEM_task1, ...
  JobPlan plan;
  int recorded_workers;  // whose graphs were kept
};
std::ostream& operator<<(std::ostream& out, const Twin& t) { return out << t.from << " -> " << t.stem; }

JobPlan sync_plan(int workers, int replicas, std::optional<int> ps = std::nullopt) {
  return {.protocol = Protocol::synchronous, .workers = workers, .ps = ps, .replicas = replicas};
}
JobPlan async_plan(int workers, std::optional<int> ps = std::nullopt) {
  return {.protocol = Protocol::asynchronous, .workers = workers, .ps = ps};
}

class Built : public testing::TestWithParam<Twin> {};

TEST_P(Built, job_is_the_recorded_one) {
  const auto job = build_job(shipped_program(GetParam().from), GetParam().plan);
  ASSERT_TRUE(job.ok()) << job.status();
  for (int w = 0; w < GetParam().recorded_workers; ++w)
    expect_equal(job->at(static_cast<std::size_t>(w)), shipped_program(fmt::format("{}_task{}", GetParam().stem, w)));
}

INSTANTIATE_TEST_SUITE_P(
    FromAnAsynchronousTwin, Built,
    testing::Values(Twin{"softmax_async_ps1_task0", "sync_softmax_w3_r3_ps1", sync_plan(3, 3), 3},
                    Twin{"softmax_async_ps1_task2", "sync_softmax_w4_r3_ps1", sync_plan(4, 3), 4},
                    Twin{"softmax_async_ps2_task1", "sync_softmax_w3_r3_ps1", sync_plan(3, 3, 1), 3},
                    Twin{"softmax_async_res_ps2_task1", "sync_softmax_res_w3_r3_ps2", sync_plan(3, 3), 1},
                    Twin{"softmax_async_res_ps2_task1", "sync_softmax_res_w3_r3_ps1", sync_plan(3, 3, 1), 3},
                    Twin{"softmax_async_ps1_task1", "softmax_async_ps1", async_plan(3), 3},
                    Twin{"softmax_async_ps1_task0", "softmax_async_ps2", async_plan(3, 2), 3},
                    Twin{"softmax_async_ps2_task0", "softmax_async_ps1", async_plan(3, 1), 3}));

// There is no recorded asynchronous graph of these models: SyncReplicasOptimizer's part is taken out of one worker's
// and built anew for all.
INSTANTIATE_TEST_SUITE_P(
    FromASynchronousOne, Built,
    testing::Values(Twin{"sync_sparse_w3_r3_ps2_task0", "sync_sparse_w3_r3_ps2", sync_plan(3, 3), 2},
                    Twin{"sync_mlp_adam_w3_ps2_task1", "sync_mlp_adam_w3_ps2", sync_plan(3, 3), 2},
                    Twin{"sync_uneven_w3_r3_ps2_task2", "sync_uneven_w3_r3_ps2", sync_plan(3, 3), 3},
                    Twin{"sync_spread_w3_r3_ps3_task1", "sync_spread_w3_r3_ps3", sync_plan(3, 3), 3},
                    Twin{"sync_spread_w3_r3_ps3_task1", "sync_spread_w3_r3_ps3", sync_plan(3, 3, 3), 3},
                    Twin{"sync_softmax_w4_r3_ps1_task3", "sync_softmax_w3_r3_ps1", sync_plan(3, 3), 3},
                    Twin{"sync_softmax_res_w3_r3_ps1_task1", "sync_softmax_res_w3_r3_ps2", sync_plan(3, 3, 2), 1}));

// ---- taking SyncReplicasOptimizer out ----

class Stripped : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(Stripped, is_the_asynchronous_graph) {
  ClientProgram program = shipped_program(GetParam().first);
  ASSERT_EQ(strip_sync_replicas(program), absl::OkStatus());
  expect_equal(program, shipped_program(GetParam().second));
}
// session.run gives what minimize returned: a tensor where local_step is a reference.
TEST_P(Stripped, is_the_asynchronous_graph_where_the_step_is_fetched) {
  ClientProgram program = shipped_program(GetParam().first);
  for (const std::string& target : program.targets) program.fetches.push_back(target + ":0");
  program.targets.clear();
  ASSERT_EQ(strip_sync_replicas(program), absl::OkStatus());
  expect_equal(program, shipped_program(GetParam().second));
}
INSTANTIATE_TEST_SUITE_P(Recorded, Stripped,
                         testing::Values(std::pair{"sync_softmax_w3_r3_ps1_task0", "softmax_async_ps1_task0"},
                                         std::pair{"sync_softmax_w4_r3_ps1_task1", "softmax_async_ps1_task1"}));

// ---- the device setter ----

// How many parameter servers a graph was recorded with: its variables took turns.
int servers_of(const ClientProgram& program) {
  int ps = 0;
  for (const NodeSpec& n : program.graph->nodes) ps = std::max(ps, ps_task_of(n.device).value_or(-1) + 1);
  return ps;
}

PsStrategy strategy_of(const std::string& graph) {
  return graph.starts_with("vgg16") ? PsStrategy::greedy : PsStrategy::round_robin;
}  // "greedy by bytes" in its sidecar

std::vector<std::string> graphs_with_servers() {
  std::vector<std::string> graphs;
  for (const std::string& name : list_graphs(kGraphs))
    if (name.find("_ps") != std::string::npos) graphs.push_back(name);
  return graphs;
}

class Placed : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Recorded, Placed, testing::ValuesIn(graphs_with_servers()));

TEST_P(Placed, variables_are_where_the_strategy_puts_them) {
  const ClientProgram program = shipped_program(GetParam());
  const auto variables = find_variables(GraphEditor(*program.graph));
  const auto chosen = choose_ps(variables, servers_of(program), strategy_of(GetParam()));
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (chosen->at(i)) EXPECT_EQ(chosen->at(i), ps_task_of(variables[i].device)) << variables[i].name;
  }
}

TEST_P(Placed, graph_moved_to_where_it_is_stays_the_same) {
  ClientProgram program = shipped_program(GetParam());
  ASSERT_EQ(strip_sync_replicas(program), absl::OkStatus());
  const auto before = program.graph;
  ASSERT_EQ(set_ps(program, servers_of(program), strategy_of(GetParam())), absl::OkStatus());
  EXPECT_EQ(difference(*program.graph, *before, MatchNames::no), "");
}

TEST_P(Placed, graph_moved_away_and_back_is_the_same_again) {
  ClientProgram program = shipped_program(GetParam());
  ASSERT_EQ(strip_sync_replicas(program), absl::OkStatus());
  const auto before = program.graph;
  const int ps = servers_of(program);
  ASSERT_EQ(set_ps(program, ps + 3, PsStrategy::round_robin), absl::OkStatus());
  ASSERT_EQ(set_ps(program, ps, strategy_of(GetParam())), absl::OkStatus());
  EXPECT_EQ(difference(*program.graph, *before, MatchNames::no), "");
}

}  // namespace
}  // namespace tarry
