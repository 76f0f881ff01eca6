// What a scenario's clients are told: when they begin, when they stop, what they save.

#include "scenarios/file/make_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

// A chief and another worker, asynchronous.
Scenario pair_of_workers(const std::string& training, const std::string& stop) {
  return parse_scenario(
             "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h, worker/1: h}}\n"
             "programs: [{task: worker/0, graph: softmax_async_ps1_task0}, "
             "{task: worker/1, graph: softmax_async_ps1_task1}]\n"
             "training: {" +
                 training + "}\nstop: {" + stop + "}\n",
             "s.yaml")
      .value();
}

StatusOr<Job> job_of(const Scenario& s) {
  return make_job(s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}});
}
TrainOptions client(const std::string& training, const std::string& stop, std::size_t which) {
  return job_of(pair_of_workers(training, stop)).value().clients.at(which).options;
}

TEST(Scenario, with_programs_is_told_what_to_write_in_their_place_where_it_builds_a_job_as_well) {
  const auto both =
      parse_scenario("cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h}}\nprograms: []\nbuild: {}\n", "s.yaml");
  EXPECT_THAT(std::string(both.status().message()),
              testing::AllOf(HasSubstr("s.yaml:3:8: the scenario has both 'programs' and 'build'"),
                             HasSubstr("build: {graph: softmax_async_ps1_task0, protocol: sync}, say")));
}

TEST(MakeJob, a_client_that_begins_later_does_not_join_the_common_start) {
  const std::string late = "start: together, workers: {worker/1: {start_after: 2s}}";
  EXPECT_TRUE(client(late, "steps: 1", 0).joins_gate);
  EXPECT_FALSE(client(late, "steps: 1", 1).joins_gate);
  EXPECT_EQ(client(late, "steps: 1", 1).start_after, 2 * kSecond);
}

TEST(MakeJob, a_client_whose_first_step_begins_later_joins_the_common_start) {
  const TrainOptions o = client("workers: {worker/1: {first_step_after: 2s}}", "steps: 1", 1);
  EXPECT_TRUE(o.joins_gate);
  EXPECT_EQ(o.first_step_after, 2 * kSecond);
}

TEST(MakeJob, a_clients_own_limits_replace_those_of_the_job) {
  const std::string own = "workers: {worker/1: {global_step: 7, steps: 3}}", stop = "global_step: 20, steps: 10";
  EXPECT_EQ(client(own, stop, 0).last_global_step, 20);
  EXPECT_EQ(client(own, stop, 0).steps, 10);
  EXPECT_EQ(client(own, stop, 1).last_global_step, 7);
  EXPECT_EQ(client(own, stop, 1).steps, 3);
  EXPECT_EQ(client("", "steps: 10", 1).last_global_step, std::nullopt);
}

TEST(MakeJob, a_session_sees_its_own_task_and_the_servers_unless_filters_are_off) {
  EXPECT_EQ(client("", "steps: 1", 1).session.device_filters,
            (std::vector<std::string>{"/job:ps", "/job:worker/replica:0/task:1"}));
  EXPECT_TRUE(client("device_filters: false", "steps: 1", 1).session.device_filters.empty());
}

TEST(MakeJob, an_absent_worker_has_no_client) {
  const auto job = job_of(pair_of_workers("workers: {worker/0: {absent: true}}", "steps: 1"));
  ASSERT_EQ(job->clients.size(), 1u);
  EXPECT_EQ(job->clients[0].task, TaskId{2u});
}

TEST(MakeJob, a_chief_begins_later_when_another_one_is_to_look_first) {
  const auto job = job_of(pair_of_workers("workers: {worker/1: {poll_first: true}}", "steps: 1"));
  EXPECT_EQ(job->clients[0].options.start_after, 2 * kSecond);
  EXPECT_TRUE(job->clients[0].lets_others_look);
  EXPECT_EQ(job->clients[1].options.start_after, 0);
  EXPECT_FALSE(job->clients[1].lets_others_look);
}

TEST(MakeJob, an_asynchronous_job_that_stops_after_aggregates_only_is_refused) {
  EXPECT_THAT(std::string(text_of(job_of(pair_of_workers("", "aggregates: 1")).status())),
              HasSubstr("this job is asynchronous and takes none"));
  for (const char* other : {"steps: 1", "global_step: 1", "time: 1s"})
    EXPECT_TRUE(job_of(pair_of_workers("", std::string("aggregates: 1, ") + other)).ok()) << other;
}

TEST(MakeJob, the_scenarios_seed_yields_to_one_that_is_asked_for) {
  Scenario s = pair_of_workers("", "steps: 1");
  s.seed = 5;
  EXPECT_EQ(job_of(s)->seed, 5u);
  EXPECT_EQ(make_job(s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = 9})->seed, 9u);
}

TEST(MakeJob, flows_need_an_engine_only_where_a_bandwidth_is_limited) {
  const Job plain = job_of(pair_of_workers("", "steps: 1")).value();
  EXPECT_EQ(flow_engine(plain), "");
  for (const int where : {0, 1, 2, 3}) {
    Job limited = plain;
    NetworkSpec& n = limited.cluster.network;
    if (where == 0) n.between_hosts.bandwidth = 1;
    if (where == 1) n.same_host.bandwidth = 1;
    if (where == 2) n.links.push_back({HostId{0u}, HostId{0u}, {.latency = 0, .bandwidth = 1}});
    if (where == 3) limited.cluster.hosts[0].nic_bandwidth = 1;
    EXPECT_NE(flow_engine(limited), "") << where;
  }
}

TEST(MakeJob, flows_are_computed_by_the_engine_that_the_network_names) {
  Job job = job_of(pair_of_workers("", "steps: 1")).value();
  job.cluster.network.between_hosts.bandwidth = 1;
  EXPECT_THAT(flow_engine(job), testing::StartsWith("simgrid "));
  job.cluster.network.engine = FlowsBy::shared;
  EXPECT_EQ(flow_engine(job), "shared");
}

// ---- checkpoints ----

// A graph of one op, without a saver, run by a chief or by another worker.
Status of_a_graph_without_saver(const std::string& training, bool is_chief) {
  const Folder folder;
  folder.put("g.pbtxt", "node { name: 'train' op: 'NoOp' }");
  folder.put(
      "g.json",
      fmt::format(R"({{"name": "g", "task": "/job:worker/task:0", "is_chief": {}, "feeds": [], "targets": ["train"],)"
                  R"( "fetches": [], "session": {{}}, "variables": []}})",
                  is_chief));
  const auto s = parse_scenario(
      "cluster: {hosts: [h], tasks: {worker/0: h}}\nprograms: [{task: worker/0, graph: g.pbtxt}]\ntraining: {" +
          training + "}\nstop: {steps: 1}\n",
      folder.path() + "/s.yaml");
  return job_of(s.value()).status();
}

TEST(MakeJob, a_chief_that_saves_needs_a_saver) {
  for (const char* saves : {"save_every: 10s", "save_steps: 10", "save_steps: 10, save_every: 10s"})
    EXPECT_THAT(std::string(text_of(of_a_graph_without_saver(saves, true))),
                HasSubstr("s.yaml:3:11: training saves checkpoints, but the graph g has no saver"))
        << saves;
}

TEST(MakeJob, who_saves_nothing_needs_no_saver) {
  EXPECT_TRUE(of_a_graph_without_saver("", true).ok());
  EXPECT_TRUE(of_a_graph_without_saver("save_every: 10s", false).ok());
  EXPECT_TRUE(job_of(pair_of_workers("save_every: 10s", "steps: 1")).ok());
}

// The tokens that are put before the first aggregate, in a recorded job of three workers.
int first_tokens(const std::string& num_tokens) {
  const Scenario s = parse_scenario(
                         "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h, worker/1: h, worker/2: h}}\n"
                         "programs: [{task: worker/0, graph: sync_softmax_w3_r3_ps1_task0}, "
                         "{task: worker/1, graph: sync_softmax_w3_r3_ps1_task1}, "
                         "{task: worker/2, graph: sync_softmax_w3_r3_ps1_task2}]\n"
                         "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, time: 1s}]\n"
                         "training: {start: together, num_tokens: " +
                             num_tokens + "}\nstop: {aggregates: 3}\n",
                         "s.yaml")
                         .value();
  const auto outcome = run_apart(job_of(s).value());
  int tokens = 0;
  for (const LoggedEvent& e : outcome->log.events()) {
    if (std::holds_alternative<AggregateTaken>(e.event)) break;
    tokens += std::holds_alternative<Enqueued>(e.event);
  }
  return tokens;
}

TEST(MakeJob, a_recorded_job_begins_with_as_many_tokens_as_training_says) {
  for (const int n : {1, 3, 7}) EXPECT_EQ(first_tokens(std::to_string(n)), n);
  EXPECT_EQ(first_tokens("0"), 0);
  EXPECT_EQ(first_tokens("-1"), 3) << "as many as to aggregate";
}

TEST(MakeJob, a_graph_that_was_built_without_initial_tokens_is_refused_where_some_are_wanted) {
  const auto job = job_of(parse_scenario("cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h, worker/1: h}}\n"
                                         "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n"
                                         "training: {num_tokens: 4}\nstop: {steps: 1}\n",
                                         "s.yaml")
                              .value());
  EXPECT_EQ(job.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(text_of(job.status()), HasSubstr("s.yaml:3:11: num_tokens: 4: 'no_init_tokens' of the graph"));
}

}  // namespace
}  // namespace tarry
