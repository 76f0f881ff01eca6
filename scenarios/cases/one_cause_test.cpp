// Jobs with one cause that costs time, and their twins without it: what `tarry run` says first names the cause, and
// says nothing of it where it is not.

#include "scenarios/cases/one_cause.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST(Causes, name_the_card_where_the_host_has_several) {
  Cluster c{.workers = 2,
            .graph = "mlp_adam_async_res_ps2_task0",
            .build = "protocol: sync",
            .network = "nic: 10Gbps",
            .stop = "aggregates: 20"};
  c.hosts = "{name: server0, nics: [10Gbps, 300Mbps]}, host0, host1";
  const auto told = c.verdicts();
  EXPECT_EQ(first_cause(told), "slow_card");
  EXPECT_THAT(said(told, "slow_card"), HasSubstr("the network card 1 of server0 (ps 0) has 300 Mb/s and those of"));
  c.hosts = "{name: server0, nics: [10Gbps, 10Gbps]}, host0, host1";
  EXPECT_EQ(said(c.verdicts(), "slow_card"), "");
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
  expect_first(c, "busy_server", {"the kernels of ps 0 add up to 0.950 s, those of ps 1 to 0.950 s, in "});
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

}  // namespace
}  // namespace tarry
