// What is tried without its cause, and from which number on: one test just below each, one at it.

#include "scenarios/job/what_if.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "scenarios/job/overheads.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/small_why.hpp"
#include "scenarios/job/told_run.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- workers ----

TEST(WhatIf, a_worker_is_slow_whose_steps_take_more_than_ten_ninths_of_the_medians) {
  const auto with = [](Nanos third, Nanos fourth) {
    ToldRun t(1, 4);
    for (const std::size_t w : {1u, 2u}) t.busy(TaskId{w}, 80);
    t.busy(TaskId{3u}, third), t.busy(TaskId{4u}, fourth);
    return t.tried(Proof::Cause::slow_worker);
  };
  EXPECT_THAT(with(88, 60), IsEmpty());
  EXPECT_THAT(with(89, 60), ElementsAre("worker 2"));
  EXPECT_THAT(with(89, 89), ElementsAre("worker 2", "worker 3"));  // the lower of two medians
}

TEST(WhatIf, a_worker_is_not_slow_whose_copies_take_long) {
  const auto with_device = [](const char* name) {
    ToldRun t(1, 3);
    for (const std::size_t w : {1u, 2u, 3u}) t.busy(TaskId{w}, 100);
    t.outcome.stats.devices.push_back({.task = TaskId{3u}, .name = name, .busy = 100});
    return t.tried(Proof::Cause::slow_worker);
  };
  EXPECT_THAT(with_device("GPU:0/memcpy:HtoD"), IsEmpty());
  EXPECT_THAT(with_device("GPU:0"), ElementsAre("worker 2"));
}

TEST(WhatIf, copy_engines_are_tried_without_limits_with_the_roots_above_them_and_with_these_too) {
  const auto copies = [](std::uint64_t root) {
    ToldRun t(1, 2);
    t.job.cluster.tasks[1].gpus = t.job.cluster.tasks[2].gpus = {{.copy_bandwidth = 10}};
    t.job.cluster.hosts[1].pcie.root_bandwidth = root;
    t.outcome.stats.devices = {{.task = TaskId{1u}, .name = "GPU:0/memcpy:HtoD", .busy = 900}};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> left;
    for (const WhatIf& w : what_ifs(t.job, t.outcome))
      if (w.proof.cause == Proof::Cause::copies)
        left.emplace_back(w.job.cluster.tasks[1].gpus[0].copy_bandwidth, w.job.cluster.hosts[1].pcie.root_bandwidth);
    return left;
  };
  EXPECT_THAT(copies(0), ElementsAre(std::pair(0u, 0u)));
  EXPECT_THAT(copies(5), ElementsAre(std::pair(0u, 5u), std::pair(0u, 0u)));
}

TEST(WhatIf, a_step_that_does_not_end_has_computed_as_well) {
  ToldRun t(1, 3);
  t.busy(TaskId{1u}, 100), t.busy(TaskId{2u}, 100), t.busy(TaskId{3u}, 200);
  EXPECT_THAT(t.tried(Proof::Cause::slow_worker), ElementsAre("worker 2"));
  t.outcome.log.add(1000, StepBegan{TaskId{3u}, StepId{9}, Purpose::train});
  t.outcome.log.ended_at = 1800;  // four fifths of a usual step
  EXPECT_THAT(t.tried(Proof::Cause::slow_worker), IsEmpty());
  t.outcome.log.ended_at = 1200;
  EXPECT_THAT(t.tried(Proof::Cause::slow_worker), ElementsAre("worker 2"));
  t.outcome.log.add(1900, ProcessEnded{TaskId{3u}});
  EXPECT_THAT(t.tried(Proof::Cause::slow_worker), IsEmpty());
}

TEST(WhatIf, a_worker_that_finished_no_step_does_not_say_what_a_step_costs) {
  ToldRun t(1, 2);
  t.outcome.log.add(1000, StepBegan{TaskId{3u}, StepId{9}, Purpose::train});
  t.job.cluster.tasks.push_back({"/job:worker/replica:0/task:2", HostId{0u}});
  t.outcome.tasks.names.push_back(t.job.cluster.tasks.back().name);
  t.outcome.tasks.hosts.push_back("host0");
  t.busy(TaskId{1u}, 100), t.busy(TaskId{2u}, 100), t.busy(TaskId{3u}, 10);
  EXPECT_THAT(t.tried(Proof::Cause::slow_worker), IsEmpty());
}

TEST(WhatIf, several_slow_workers_are_tried_together_as_well) {
  const auto together = [](Nanos third) {
    ToldRun t(1, 5);
    for (const std::size_t w : {1u, 2u, 3u}) t.busy(TaskId{w}, 100);
    t.busy(TaskId{4u}, third), t.busy(TaskId{5u}, 200);
    for (const WhatIf& w : what_ifs(t.job, t.outcome))
      if (w.proof.cause == Proof::Cause::workers) return w.job.faults.size();
    return std::size_t{0};
  };
  EXPECT_EQ(together(100), 0u);
  EXPECT_EQ(together(300), 2u);
}

TEST(WhatIf, several_slow_workers_are_told_by_what_each_takes) {
  ToldRun t(1, 5);
  for (const std::size_t w : {1u, 2u, 3u}) t.busy(TaskId{w}, kSecond / 10);
  t.busy(TaskId{4u}, kSecond / 5), t.busy(TaskId{5u}, kSecond / 4);
  EXPECT_EQ(what_ifs(t.job, t.outcome).back().proof.what,
            "the kernels of worker 3 and worker 4 take longer than those of the median worker: 0.200 s a step and "
            "0.250 s a step; usual is 0.100 s a step");
  t.busy(TaskId{4u}, kSecond / 20);
  EXPECT_THAT(what_ifs(t.job, t.outcome).back().proof.what,
              testing::EndsWith(": 0.250 s a step each; usual is 0.100 s a step"));
}

TEST(WhatIf, a_slow_worker_is_made_like_the_median_where_the_job_says_what_makes_it_slow) {
  ToldRun t(1, 3);
  for (const std::uint64_t time : {100u, 100u, 400u}) {
    const TaskId task{t.outcome.stats.nodes.size() + 1};
    t.outcome.stats.nodes.push_back({task, NameId{0u}, static_cast<Nanos>(time), 1});
  }
  t.job.faults = {{Nanos{5}, Slow{TaskId{3u}, {900}, {}}}};
  const auto all = what_ifs(t.job, t.outcome);
  EXPECT_EQ(all.size(), 2u) << "the fault, and the worker";
  for (const WhatIf& w : all) EXPECT_THAT(w.job.faults, IsEmpty()) << w.proof.instead;
}

// As in a graph whose towers are nodes of their own: a node's cost, and not what is said of the worker, may be it.
TEST(WhatIf, a_slow_worker_that_runs_nodes_of_its_own_is_tried_at_that_pace_whatever_is_said_of_it) {
  ToldRun t(1, 3);
  t.busy(TaskId{1u}, 100), t.busy(TaskId{2u}, 100), t.busy(TaskId{3u}, 400);
  const CostRule harmless{.op = "NoOp", .task = t.job.cluster.tasks[3].name, .amount = Constant{1}};
  t.job.costs.rules = {harmless};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].job.costs.rules.size(), 1u);
  EXPECT_EQ(all[0].job.faults.size(), 1u);
}

TEST(WhatIf, a_slow_worker_is_tried_at_the_pace_of_the_median) {
  ToldRun t(1, 3);
  t.busy(TaskId{1u}, 100), t.busy(TaskId{2u}, 100), t.busy(TaskId{3u}, 400);
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(std::get<Slow>(all[0].job.faults.at(0).what), (Slow{TaskId{3u}, {25}, {}}));
}

// ---- paths ----

std::vector<std::string> far_hosts(const PathSpec& usual, const PathSpec& last) {
  ToldRun t(1, 3);
  t.job.cluster.network.between_hosts = usual;
  t.job.cluster.network.links.push_back({HostId{0u}, HostId{3u}, last});
  return t.tried(Proof::Cause::far_host);
}

TEST(WhatIf, a_host_is_far_from_which_messages_take_more_than_ten_ninths_of_the_medians) {
  EXPECT_THAT(far_hosts({.latency = 80}, {.latency = 88}), IsEmpty());
  EXPECT_THAT(far_hosts({.latency = 80}, {.latency = 89}), ElementsAre("host3"));
}

TEST(WhatIf, a_host_is_far_whose_path_has_less_than_nine_tenths_of_the_medians) {
  EXPECT_THAT(far_hosts({.latency = 1, .bandwidth = 1000}, {.latency = 1, .bandwidth = 900}), IsEmpty());
  EXPECT_THAT(far_hosts({.latency = 1, .bandwidth = 1000}, {.latency = 1, .bandwidth = 899}), ElementsAre("host3"));
}

TEST(WhatIf, a_far_host_is_tried_as_near_as_the_others) {
  ToldRun t(1, 3);
  t.job.cluster.network.between_hosts = {.latency = 10, .bandwidth = 1000};
  t.job.cluster.network.links.push_back({HostId{3u}, HostId{0u}, {.latency = 50, .bandwidth = 2000}});
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 1u);
  const NetworkSpec& n = all[0].job.cluster.network;
  EXPECT_EQ(link_between(n, HostId{0u}, HostId{3u}), (PathSpec{.latency = 10, .bandwidth = 2000}));
}

// The rack of the fourth host is as far away as the link of another job's would be.
TEST(WhatIf, a_host_in_a_far_rack_leaves_it_and_one_with_a_long_link_stays) {
  const auto tried = [](Nanos trunk, Nanos link) {
    ToldRun t(1, 3);
    t.job.cluster.network.between_hosts.latency = 10;
    t.job.cluster.network.racks = {{"far", {.latency = trunk}}};
    t.job.cluster.hosts[3].rack = RackId{0u};
    t.job.cluster.network.links.push_back({HostId{3u}, HostId{0u}, {.latency = link}});
    const auto all = what_ifs(t.job, t.outcome);
    if (all.size() != 1u) return std::pair(PathSpec{}, false);
    const ClusterSpec& c = all[0].job.cluster;
    return std::pair(path_between(c, HostId{3u}, HostId{0u}), c.hosts[3].rack.valid());
  };
  EXPECT_EQ(tried(50, 10), std::pair(PathSpec{.latency = 10}, false));
  EXPECT_EQ(tried(4, 50), std::pair(PathSpec{.latency = 10}, true));
}

TEST(WhatIf, a_host_is_not_far_because_its_rack_has_a_trunk_of_some_width) {
  ToldRun t(1, 3);
  t.job.cluster.network.racks = {{"r", {.bandwidth = 1000}}};
  t.job.cluster.hosts[3].rack = RackId{0u};
  EXPECT_THAT(t.tried(Proof::Cause::far_host), IsEmpty());
}

// ---- bandwidth ----

TEST(WhatIf, bandwidth_is_tried_where_transfers_take_a_tenth_of_the_steps) {
  const auto with_transfer = [](Nanos lasts) {
    ToldRun t(1, 1);
    t.job.cluster.hosts[0].nic_bandwidth = t.job.cluster.hosts[1].nic_bandwidth = 1000;
    t.outcome.log = EventLog();
    t.outcome.log.set_names({""});
    t.outcome.log.add(0, MessageDelivered{TaskId{0u}, TaskId{1u}, NameId{0u}, 0, 0});  // no latency
    t.outcome.log.add(0, StepBegan{TaskId{1u}, StepId{7}, Purpose::train});
    t.outcome.log.add(500, MessageDelivered{TaskId{0u}, TaskId{1u}, NameId{0u}, 9, 500 - lasts});
    t.outcome.log.add(1000, StepEnded{TaskId{1u}, StepId{7}, 0});
    t.outcome.log.ended_at = 1000;
    return t.tried(Proof::Cause::network).size();
  };
  EXPECT_EQ(with_transfer(99), 0u);
  EXPECT_EQ(with_transfer(100), 1u);
}

TEST(WhatIf, latency_is_tried_where_it_takes_a_tenth_of_the_steps) {
  const auto with_latency = [](Nanos lasts) {
    ToldRun t(1, 1);
    t.job.cluster.network.between_hosts.latency = 1;
    t.outcome.log = EventLog();
    t.outcome.log.set_names({""});
    t.outcome.log.add(0, StepBegan{TaskId{1u}, StepId{7}, Purpose::train});
    t.outcome.log.add(lasts, MessageDelivered{TaskId{0u}, TaskId{1u}, NameId{0u}, 9, 0});
    t.outcome.log.add(1000, StepEnded{TaskId{1u}, StepId{7}, 0});
    t.outcome.log.ended_at = 1000;
    return t.tried(Proof::Cause::latency).size();
  };
  EXPECT_EQ(with_latency(99), 0u);
  EXPECT_EQ(with_latency(100), 1u);
}

TEST(WhatIf, variables_are_spread_where_a_server_is_a_twentieth_above_the_mean) {
  const auto with_bytes = [](std::uint64_t first, std::uint64_t second) {
    ToldRun t(2, 1);
    t.sent(TaskId{0u}, TaskId{2u}, first), t.sent(TaskId{1u}, TaskId{2u}, second);
    return t.tried(Proof::Cause::imbalance).size();
  };
  EXPECT_EQ(with_bytes(10499, 9501), 0u);
  EXPECT_EQ(with_bytes(10500, 9500), 1u);
}

TEST(WhatIf, bytes_are_split_evenly_on_the_trunk_of_a_server_that_has_its_rack_for_itself) {
  const auto trunk = [](bool is_alone, std::uint64_t sent = 600) {
    ToldRun t(2, 1);
    t.sent(TaskId{0u}, TaskId{2u}, sent), t.sent(TaskId{1u}, TaskId{2u}, 1000 - sent);
    t.job.cluster.network.racks = {{"r", {.bandwidth = 1000}}};
    t.job.cluster.hosts[0].rack = RackId{0u};
    if (!is_alone) t.job.cluster.hosts[2].rack = RackId{0u};
    std::uint64_t found = 0;
    for (const WhatIf& w : what_ifs(t.job, t.outcome))
      if (w.proof.instead == "with the bytes split evenly over the parameter servers")
        found = w.job.cluster.network.racks[0].trunk.bandwidth;
    return found;
  };
  EXPECT_EQ(trunk(true), 1200u);
  EXPECT_EQ(trunk(false), 1000u);
  EXPECT_EQ(trunk(true, 599), 0u) << "less than a fifth above the mean";
}

// ---- faults and late clients ----

TEST(WhatIf, faults_about_the_same_are_taken_away_together) {
  ToldRun t(1, 2);
  t.job.faults = {{Nanos{1}, Kill{TaskId{1u}}}, {Nanos{2}, Kill{TaskId{2u}}}, {Nanos{3}, Restart{TaskId{1u}}}};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[0].job.faults, ElementsAre(Fault{Nanos{2}, Kill{TaskId{2u}}}));
  EXPECT_EQ(all[1].job.faults.size(), 2u);
  EXPECT_EQ(all[2].proof.what, "there were faults of worker 0 (kill, restart) and of worker 1 (kill)");
  EXPECT_THAT(all[2].job.faults, IsEmpty());
}

TEST(WhatIf, what_stops_a_task_and_what_slows_it_are_taken_away_apart) {
  ToldRun t(1, 2);
  const Fault pause{Nanos{1}, Pause{TaskId{1u}, {}}}, slow{Nanos{2}, Slow{TaskId{1u}, {300}, {}}};
  t.job.faults = {pause, slow};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 2u) << "and not once more together: they are about one task";
  EXPECT_EQ(all[0].proof.instead, "without the faults of worker 0 (pause)");
  EXPECT_THAT(all[0].job.faults, ElementsAre(slow));
  EXPECT_EQ(all[1].proof.instead, "without the faults of worker 0 (slow)");
  EXPECT_THAT(all[1].job.faults, ElementsAre(pause));
  t.job.faults = {slow, slow};
  EXPECT_EQ(what_ifs(t.job, t.outcome).at(0).proof.instead, "without the faults of worker 0");
}

// Two workers of ten steps of 0.1 s, one of which begins so late.
Job with_late_worker(Nanos late) {
  Job job = healthy();
  for (ClientJob& c : job.clients) c.options.steps = 10;
  job.clients[1].options.first_step_after = late;
  return job;
}

TEST(WhatIf, a_client_is_late_that_begins_after_the_first) {
  const auto tried = [](Nanos first, Nanos second) {
    Job job = with_late_worker(second);
    job.clients[0].options.first_step_after = first;
    Outcome outcome;
    outcome.tasks.names = {"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"};
    std::vector<TaskId> late;
    for (const WhatIf& w : what_ifs(job, outcome))
      if (w.proof.cause == Proof::Cause::late_start) late.push_back(w.proof.task);
    return late;
  };
  EXPECT_THAT(tried(5, 5), IsEmpty());
  EXPECT_THAT(tried(5, 6), ElementsAre(TaskId{2u}));
}

TEST(Prove, keeps_what_gains_a_hundredth_of_the_time) {
  const auto gain = [](Nanos late) {
    const Job job = with_late_worker(late);
    const auto proofs = prove(job, run_here(job));
    return proofs->empty() ? 0 : proofs->at(0).gain;
  };
  EXPECT_EQ(gain(kSecond / 100), 0);  // of 1.01 s
  EXPECT_GT(gain(kSecond / 98), 0.01);
}

// Without its slow network a job does a thousand times the work in the same time.
TEST(Prove, runs_a_job_without_its_cause_for_three_times_the_work_and_no_longer) {
  Job job = with_late_worker(0);
  for (ClientJob& c : job.clients) c.options.steps = {};
  job.costs.rules.clear();
  job.cluster.network.between_hosts = {.latency = kSecond / 1000, .bandwidth = 100'000};
  job.stop.time = 10 * kSecond;
  auto* longest = static_cast<Nanos*>(  // written in the child
      mmap(nullptr, sizeof(Nanos), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const Outcome outcome = *run_apart(job);
  const auto proofs = prove(job, outcome, [&](const Proof&, Nanos now) { *longest = std::max(*longest, now); });
  ASSERT_EQ(proofs->size(), 1u);
  EXPECT_EQ(proofs->at(0).cause, Proof::Cause::network);
  EXPECT_GT(proofs->at(0).gain, 0.5);
  EXPECT_LT(*longest, 5 * kSecond);
  munmap(longest, sizeof(Nanos));
}

TEST(OddOnes, are_named_where_they_have_much_less_than_the_median) {
  const auto odd = [](std::uint64_t b) {
    return odd_in_words("the trunk of ", {{"A", 100}, {"B", b}, {"C", 0}},
                        [](std::uint64_t n) { return n == 0 ? "no limit" : std::to_string(n); });
  };
  EXPECT_EQ(odd(89), "the trunk of B has 89 and those of the others 100");
  EXPECT_EQ(odd(90), "");
  EXPECT_EQ(odd(0), "the trunk of A has 100 and those of the others no limit");
  EXPECT_EQ(odd_in_words("", {{"A", 1'000'000}, {"B", 9'000'000}, {"C", 9'000'000}}, bandwidth_in_words),
            "A has 8 Mb/s and the others 72 Mb/s");
  EXPECT_EQ(odd_in_words("", {{"A", 1}}, bandwidth_in_words), "");
}

TEST(OddOnes, are_told_of_pcie_roots_beside_those_without_a_limit) {
  ToldRun t(1, 3);
  for (const std::size_t w : {1u, 2u, 3u}) t.job.cluster.tasks[w].gpus.resize(1);
  t.job.cluster.hosts[0].pcie.root_bandwidth = 1;  // nobody copies there
  const auto row = std::ranges::find(overheads(), Proof::Cause::pcie, &Overhead::cause);
  EXPECT_EQ(row->odd(t.job, t.outcome.tasks), "");
  t.job.cluster.hosts[2].pcie.root_bandwidth = 125'000'000;
  EXPECT_EQ(row->odd(t.job, t.outcome.tasks), "each PCIe root of host2 has 1 Gb/s and those of the others no limit");
}

TEST(OddOnes, are_told_of_racks_and_threads) {
  Job job = with_late_worker(0);
  job.cluster.network.racks = {{"left", {0, 1'000'000}}, {"right", {0, 100'000'000}}, {"middle", {0, 100'000'000}}};
  const auto of = [&](Proof::Cause cause) {
    const auto row = std::ranges::find(overheads(), cause, &Overhead::cause);
    return row->odd(job,
                    {{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"}});
  };
  EXPECT_EQ(of(Proof::Cause::trunks), "the trunk of left has 8 Mb/s and those of the others 800 Mb/s");
  EXPECT_EQ(of(Proof::Cause::threads), "");
  job.cluster.tasks[1].inter_op_threads = 1;
  EXPECT_THAT(of(Proof::Cause::threads),
              testing::HasSubstr("worker 0 has 1 thread and the others as many threads as kernels"));
}

// Of a worker, twice, and of a host.
TEST(WhatIf, takes_all_that_interferes_with_one_place_away_at_once) {
  ToldRun t{1, 2};
  t.job.costs.interference = {{.task = TaskId{1u}, .percent = 300}, {.task = TaskId{1u}, .percent = 200}};
  t.job.costs.interference.push_back({.host = HostId{2u}, .percent = 300});
  EXPECT_THAT(t.tried(Proof::Cause::interference), ::testing::ElementsAre("worker 0", "host2"));
}

}  // namespace
}  // namespace tarry
