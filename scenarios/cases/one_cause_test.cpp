// Jobs with one cause that costs time, and their twins without it: what `tarry run` says first names the cause, and
// says nothing of it where it is not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<Verdict> verdicts_of(const Scenario& scenario) {
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
std::string said(const std::vector<Verdict>& verdicts, std::string_view kind) {
  std::string text;
  for (const Verdict& v : verdicts)
    if (v.kind == kind) text += v.text + "\n";
  return text;
}

std::string slow(int worker, int ms) {
  return fmt::format("  - {{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/{}, time: {}ms}}\n", worker, ms);
}

// The kind of the first that tells of a cause.
std::string first_cause(const std::vector<Verdict>& verdicts) {
  for (const Verdict& v : verdicts)
    if (v.text.find("Run again ") != v.text.npos) return v.kind;
  return "";
}

// ---- the order of causes ----

TEST(Causes, that_cost_more_are_told_first) {
  Cluster c{.build = "protocol: sync", .network = "latency: 60ms", .stop = "aggregates: 30"};
  c.costs = slow(2, 400);
  EXPECT_EQ(first_cause(c.verdicts()), "straggler");
  c.costs = slow(2, 150);
  const auto told = c.verdicts();
  EXPECT_EQ(first_cause(told), "latency_bound");
  EXPECT_THAT(said(told, "straggler"), HasSubstr("worker 2"));
}

TEST(Causes, that_say_where_they_are_are_told_before_the_network_unless_it_costs_twice_as_much) {
  const std::string cards =
      "{name: server0, nic: 10Gbps}, {name: server1, nic: 1Gbps}, {name: host0, nic: 10Gbps}, "
      "{name: host1, nic: 10Gbps}";
  Cluster c{.workers = 2,
            .servers = 2,
            .graph = "mlp_adam_async_res_ps2_task0",
            .build = "protocol: sync",
            .stop = "aggregates: 20",
            .hosts = cards};
  EXPECT_EQ(first_cause(c.verdicts()), "slow_card");
  c.hosts =
      "{name: server0, nic: 10Gbps}, {name: server1, nic: 300Mbps}, {name: host0, nic: 500Mbps}, "
      "{name: host1, nic: 500Mbps}";
  EXPECT_EQ(first_cause(c.verdicts()), "network_bound");
}

// ---- workers that leave one after the other ----

TEST(WorkersThatLeave, leave_no_standstill_behind_for_one_that_a_fault_slowed_down) {
  Cluster c{.more = "faults:\n  - {at: 800ms, slow: {task: worker/2, percent: 400, lasts: 8s}}\n"};
  const auto told = c.verdicts();
  EXPECT_EQ(said(told, "stalled") + said(told, "stuck"), "");
  EXPECT_THAT(said(told, "slowed"), AllOf(HasSubstr("the kernels of worker 2"), Not(HasSubstr("left training"))));
}

TEST(WorkersThatLeave, are_not_stuck_while_the_chief_saves_its_last_checkpoint) {
  for (const char* time : {"200ms", "40s"}) {
    Cluster c{.costs = fmt::format("  - {{op: SaveV2, time: {}}}\n", time), .training = ", save_steps: 1000"};
    EXPECT_EQ(said(c.verdicts(), "stuck"), "") << time;
  }
}

TEST(WorkersThatLeave, are_not_what_a_pause_of_the_last_one_is_explained_by) {
  Cluster c{.more = "faults:\n  - {at: 1s, pause: {task: worker/2, lasts: 10s}}\n"};
  const std::string stalled = said(c.verdicts(), "stalled");
  EXPECT_THAT(stalled, AllOf(HasSubstr("worker 2 stands still"), Not(HasSubstr("left training"))));
}

TEST(WorkersThatLeave, are_no_cause_where_workers_wait_for_each_other_and_the_last_one_pauses) {
  Cluster c{.build = "protocol: stale_sync, staleness: 2",
            .costs = slow(2, 120),
            .more = "faults:\n  - {at: 4900ms, pause: {task: worker/2, lasts: 10s}}\n"};
  const std::string stalled = said(c.verdicts(), "stalled");
  EXPECT_THAT(stalled, AllOf(HasSubstr("worker 2 stands still"), Not(HasSubstr("left training"))));
}

TEST(WorkersThatLeave, are_waited_for_where_an_aggregate_needs_them) {
  Cluster c{.build = "protocol: sync, num_tokens: 0",
            .training = ", workers: {worker/1: {steps: 10}}",
            .stop = "aggregates: 40, time: 60s"};
  EXPECT_THAT(said(c.verdicts(), "stuck"), HasSubstr("worker 1 left training"));
}

// ---- several of a kind ----

// What is said of that kind first is about it, and gains so much.
void expect_first(const Cluster& c, std::string_view kind, const std::vector<std::string>& words) {
  const auto told = c.verdicts();
  EXPECT_EQ(first_cause(told), kind) << c.text();
  for (const std::string& w : words) EXPECT_THAT(said(told, kind), HasSubstr(w));
}

const Cluster kSync{.workers = 6, .build = "protocol: sync, num_tokens: 0", .stop = "aggregates: 20"};

TEST(Several, slow_workers_are_named_together_where_the_others_wait_for_all_of_them) {
  Cluster c = kSync;
  c.costs = slow(3, 200) + slow(5, 200);
  expect_first(c, "straggler", {"worker 3 and worker 5", "with all workers as fast as the median worker", "less time"});
  c.costs = slow(3, 105) + slow(5, 105);
  EXPECT_EQ(said(c.verdicts(), "straggler"), "");
}

TEST(Several, slow_workers_are_named_apart_where_each_gains_as_much_alone) {
  Cluster c = kSync;
  c.costs = slow(3, 400) + slow(5, 130);
  const std::string told = said(c.verdicts(), "straggler");
  EXPECT_THAT(told, AllOf(HasSubstr("worker 3 is what"), Not(HasSubstr("worker 5"))));
}

std::string link(const std::string& a, const std::string& b, const std::string& what) {
  return fmt::format("{{between: [{}, {}], {}}}", a, b, what);
}

TEST(Several, hosts_that_are_far_are_named_together) {
  Cluster c = kSync;
  const std::string far = "latency: 40ms";
  c.network = "latency: 1ms, links: [" + link("host2", "server0", far) + ", " + link("host5", "server0", far) + "]";
  expect_first(c, "far", {"host2 (worker 2) and host5 (worker 5)"});
}

TEST(Several, late_workers_are_named_together) {
  Cluster c = kSync;
  c.training = ", workers: {worker/2: {start_after: 3s}, worker/3: {start_after: 3s}}";
  expect_first(c, "late_start", {"worker 2 and worker 3 began later"});
}

TEST(Several, faults_that_cost_nothing_one_by_one_are_named_together) {
  Cluster c = kSync;
  c.more = "faults:\n";
  for (const int w : {1, 4})
    c.more += fmt::format("  - {{at: 100ms, slow: {{task: worker/{}, percent: 200, lasts: 3s}}}}\n", w);
  expect_first(c, "slowed", {"of worker 1", "of worker 4"});
}

// ---- parameter servers ----

TEST(FarServers, are_named_where_the_others_are_near) {
  Cluster c = kSync;
  c.servers = 2;
  std::string links;
  for (int w = 0; w < 6; ++w) links += link(fmt::format("host{}", w), "server1", "latency: 30ms") + ", ";
  c.network = "latency: 1ms, links: [" + links + "]";
  expect_first(c, "far", {"messages to server1 (ps 1) take 30 ms", "nearer to the workers"});
  c.network = "latency: 30ms";
  EXPECT_EQ(said(c.verdicts(), "far"), "");
}

TEST(BusyServers, are_named_where_their_kernels_are_waited_for) {
  Cluster c = kSync;
  c.servers = 2;
  const std::string usual = "  - {op: ApplyGradientDescent, job: ps, time: 5ms}\n";
  c.costs = "  - {op: ApplyGradientDescent, task: ps/1, time: 100ms}\n" + usual;
  expect_first(c, "busy_server", {"The workers wait for ps 1", "each other parameter server to 0.095 s"});
  c.costs = usual;
  EXPECT_EQ(said(c.verdicts(), "busy_server"), "");
}

TEST(BusyServers, are_named_together_where_all_are_busy) {
  Cluster c = kSync;
  c.servers = 2;
  c.costs = "  - {op: ApplyGradientDescent, job: ps, time: 50ms}\n";
  expect_first(c, "busy_server", {"the kernels of ps 0 add up to 0.950 s, those of ps 1 to 0.950 s, in a run of"});
}

TEST(BusyServers, are_not_told_of_messages_and_checkpoints) {
  Cluster c = kSync;
  c.costs = "  - {op: SaveV2, time: 1s}\n  - {op: _Send, job: ps, time: 20ms}\n";
  c.training = ", save_steps: 5";
  const auto told = c.verdicts();
  EXPECT_EQ(said(told, "busy_server"), "");
  EXPECT_NE(said(told, "checkpoint_bound"), "");
  EXPECT_NE(said(told, "message_bound"), "");
}

// ---- what interferes ----

std::string now_and_then(const std::string& with, int percent) {
  return fmt::format("interference:\n  - {{{}, every: 1s, lasts: 500ms, percent: {}, one_in: 4}}\n", with, percent);
}

TEST(Interference, is_named_even_where_it_is_rare) {
  Cluster c = kSync;
  c.stop = "aggregates: 100";
  c.more = now_and_then("task: worker/3", 1000);
  expect_first(c, "straggler", {"worker 3 is what the others wait for: again and again"});
  c.more = now_and_then("host: host3", 1000);
  expect_first(c, "straggler", {"host3 (worker 3)"});
  c.more = now_and_then("task: worker/3", 105);
  EXPECT_EQ(said(c.verdicts(), "straggler"), "");
}

TEST(Interference, with_a_parameter_server_is_its_host_s) {
  Cluster c = kSync;
  c.costs = "  - {op: ApplyGradientDescent, job: ps, time: 10ms}\n";
  c.more = "interference:\n  - {host: server0, every: 1s, lasts: 900ms, percent: 900}\n";
  EXPECT_THAT(said(c.verdicts(), "busy_server"),
              AllOf(HasSubstr("without what interferes with server0 (ps 0)"), Not(HasSubstr("add up to"))));
}

// ---- the others ----

TEST(SlowWorkers, are_not_found_beside_one_that_failed_in_its_first_step) {
  Cluster c{.more = "faults:\n  - {at: 20ms, kill: worker/2}\n"};
  EXPECT_EQ(said(c.verdicts(), "straggler"), "");
}

TEST(Latency, is_told_where_it_gains_a_tenth_however_much_the_steps_compute) {
  Cluster c{.network = "latency: 5ms"};
  expect_first(c, "latency_bound", {"16.7 % less time"});
  c.network = "latency: 1ms";
  EXPECT_EQ(said(c.verdicts(), "latency_bound"), "");
}

TEST(LateLooks, are_told_where_a_worker_found_no_model) {
  Cluster c = kSync;
  c.training = ", start: natural, workers: {worker/3: {poll_first: true}}";
  expect_first(c, "late_start", {"worker 3", "found no model ready"});
  c.training = ", start: natural";
  EXPECT_EQ(said(c.verdicts(), "late_start"), "");
}

TEST(LateStarts, of_who_makes_the_model_say_who_waited_for_it) {
  const std::string waited = "It makes the model: worker 1, worker 2 found none before that";
  EXPECT_THAT(said(verdicts_of(shipped("013_late_start")), "late_start"),
              HasSubstr("worker that began first. " + waited));
  const std::string together = said(verdicts_of(shipped("073_waits_for_all")), "late_start");
  EXPECT_THAT(together, AllOf(HasSubstr("after the worker that began first. Run again"), Not(HasSubstr("the model"))));
}

// Their healthy twin, without a bandwidth of copies, stands among the load verdicts.
TEST(GpuCopies, are_told_as_what_they_are_and_not_as_roots) {
  EXPECT_THAT(said(verdicts_of(shipped("023_gpu_half_batch")), "pcie_bound"),
              testing::AllOf(HasSubstr("Copies between GPUs"), testing::Not(HasSubstr("roots"))));
}

TEST(OverAsked, is_told_where_an_aggregate_needs_more_gradients_than_there_are_workers) {
  const auto told = [](const std::string& build) {
    Cluster c{.workers = 3, .build = build, .stop = "aggregates: 20"};
    return said(c.verdicts(), "over_asked");
  };
  EXPECT_THAT(told("protocol: sync, replicas_to_aggregate: 4"), HasSubstr("needs 4 gradients, and 3 workers train"));
  EXPECT_EQ(told("protocol: sync, replicas_to_aggregate: 3"), "");
}

// ---- what is said of others ----

TEST(SlowCards, are_named_where_a_variation_of_their_own_narrows_them) {
  Cluster c{.network = "latency: 1ms, nic: 100Mbps, variations: [{host: host2, every: 100ms, factors: [0.02]}]"};
  c.build = "protocol: sync", c.stop = "aggregates: 20";
  expect_first(c, "slow_card",
               {"the network card of host2 (worker 2) has 2 Mb/s on average and those of the others 100 Mb/s"});
  c.network = "latency: 1ms, nic: 100Mbps, variations: [{every: 100ms, factors: [0.9]}]";
  EXPECT_EQ(said(c.verdicts(), "slow_card"), "");
}

TEST(Barriers, name_the_worker_that_never_came) {
  Cluster c{.build = "protocol: stale_sync, staleness: 2", .training = ", workers: {worker/2: {absent: true}}"};
  EXPECT_THAT(said(c.verdicts(), "stuck"), HasSubstr("The cause: worker 2 never came, and every worker has a part"));
}

TEST(SlowChiefs, are_told_as_slow_and_not_as_lost) {
  Cluster c = kSync;
  c.more = "faults:\n  - {at: 500ms, slow: {task: worker/0, percent: 300}}\n";
  EXPECT_THAT(said(c.verdicts(), "slowed"), AllOf(HasSubstr("the kernels of worker 0"), Not(HasSubstr("sync thread"))));
}

TEST(ProgressLost, by_a_lost_folder_is_not_told_to_save) {
  Cluster c = kSync;
  c.training = ", save_steps: 3";
  c.more = "faults:\n  - {at: 1s, lose_checkpoints: all}\n  - {at: 1010ms, preempt: {task: ps/0, back_after: 1s}}\n";
  EXPECT_THAT(said(c.verdicts(), "progress_lost"),
              HasSubstr("To do: find out what removed the checkpoints: they were gone at 1.000 s."));
}

TEST(Faults, of_several_at_once_are_proved_together_where_each_alone_changes_little) {
  Cluster c = kSync;
  c.more = "faults:\n";
  for (int w : {1, 2}) c.more += fmt::format("  - {{at: 1s, preempt: {{task: worker/{}, back_after: 2s}}}}\n", w);
  EXPECT_THAT(said(c.verdicts(), "stalled"), HasSubstr("Run again without any fault (same seed), the same work takes"));
  c.more = "faults:\n  - {at: 1s, preempt: {task: worker/1, back_after: 2s}}\n";
  EXPECT_THAT(said(c.verdicts(), "stalled"), HasSubstr("Run again without the faults of worker 1 (same seed)"));
  c.more += "  - {at: 3500ms, preempt: {task: worker/2, back_after: 20s}}\n";  // another standstill, of its own
  c.stop = "aggregates: 60";
  EXPECT_THAT(said(c.verdicts(), "stalled"),
              AllOf(HasSubstr("Run again without the faults of worker 2"), Not(HasSubstr("without any fault"))));
}

TEST(InGraph, names_the_task_whose_part_takes_longest) {
  const auto verdicts = [](const char* costs) {
    return verdicts_of(
        parse_scenario(
            fmt::format(
                "title: in-graph\ncluster:\n  hosts: [a, b, c, d]\n"
                "  tasks: {{worker/0: a, worker/1: b, worker/2: c, worker/3: d, /job:idle/task:0: a, /job:idle/task:1: "
                "a, /job:idle/task:2: a, /job:idle/task:3: a}}\n"
                "build: {{graph: handwritten_dense_w3, protocol: handwritten}}\n"
                "costs: [{}{{node: worker0/MatMul, time: 1ms}}, {{node: worker*/MatMul, time: 40ms}}, {{task: "
                "worker/0, time: 100us}}]\n"
                "stop: {{steps: 20}}\n",
                costs),
            "s.yaml")
            .value());
  };
  EXPECT_THAT(said(verdicts("{node: worker2/MatMul, time: 120ms}, "), "straggler"),
              HasSubstr("worker 2 is what the others wait for"));
  EXPECT_EQ(said(verdicts(""), "straggler"), "");
}

// ---- luck ----

// Every worker draws from one law, of which the longest times are a hundred times the shortest.
Cluster with_heavy_tail(int seed) {
  Cluster c = kSync;
  c.costs = "  - {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {pareto: {least: 30ms, shape: 1.3}}}\n";
  c.more = fmt::format("seed: {}\n", seed);
  return c;
}

TEST(Luck, makes_nobody_a_straggler) {
  for (int seed = 1; seed <= 8; ++seed) EXPECT_EQ(said(with_heavy_tail(seed).verdicts(), "straggler"), "") << seed;
}

TEST(Luck, does_not_end_where_something_is_said_of_another) {
  for (int seed = 1; seed <= 4; ++seed) {
    Cluster c = with_heavy_tail(seed);
    c.costs += "  - {op: ApplyGradientDescent, task: ps/0, time: 1ms}\n";
    c.more += "faults: [{at: 1s, pause: {task: ps/0, lasts: 100ms}}]\n";
    EXPECT_EQ(said(c.verdicts(), "straggler"), "") << seed;
  }
}

TEST(Luck, is_no_excuse_for_a_worker_of_which_the_scenario_says_that_it_is_slow) {
  Cluster c = with_heavy_tail(1);
  c.more += "variations: [{task: worker/2, factor: 4}]\n";
  expect_first(c, "straggler", {"worker 2 is what the others wait for"});
}

}  // namespace
}  // namespace tarry
