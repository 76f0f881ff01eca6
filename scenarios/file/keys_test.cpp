#include "scenarios/file/keys.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

const TaskNames kTasks{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:12"}, {"server", "host12"}};

Scenario with_tasks() {
  Scenario s;
  for (const std::string& name : kTasks.names) {
    s.cluster.hosts.push_back({kTasks.hosts[s.cluster.hosts.size()]});
    s.cluster.tasks.push_back({name, HostId{s.cluster.tasks.size()}});
  }
  return s;
}

std::string keys(const Proof& p, const Scenario& s = with_tasks()) { return keys_of(p, kTasks, s); }

Proof of_worker() { return {.cause = Proof::Cause::slow_worker, .task = TaskId{1u}}; }
Proof of_host() { return {.cause = Proof::Cause::far_host, .a = "host12"}; }

// Of what a scenario has nothing of, nothing is ever told.
TEST(Keys, every_cause_has_some) {
  Scenario s = with_tasks();
  s.cluster.hosts[0].nic_bandwidth = 1, s.cluster.network.between_hosts.latency = 1;
  for (int c = 0; c <= static_cast<int>(Proof::Cause::input); ++c)
    EXPECT_NE(keys({.cause = static_cast<Proof::Cause>(c), .task = TaskId{1u}}, s), "") << c;
}

TEST(Keys, name_the_task_the_host_and_the_op) {
  EXPECT_EQ(keys({.cause = Proof::Cause::late_start, .task = TaskId{1u}}),
            "training.workers.worker/12.start_after, training.workers.worker/12.first_step_after");
  EXPECT_EQ(keys({.cause = Proof::Cause::late_start, .together = true}),
            "training.workers.T.start_after, training.workers.T.first_step_after");
  EXPECT_EQ(keys({.cause = Proof::Cause::slow_card, .a = "server"}), "cluster.hosts[] with 'name: server': nic");
  EXPECT_EQ(keys({.cause = Proof::Cause::slow_card, .a = "server", .b = "card 1"}),
            "cluster.hosts[] with 'name: server': nics, card 1");
  EXPECT_EQ(keys({.cause = Proof::Cause::op, .a = "MatMul"}), "costs[] with 'op: MatMul'");
  EXPECT_EQ(keys({.cause = Proof::Cause::input, .a = "DecodeCSV"}),
            "costs[] of what queue runners run, such as 'op: DecodeCSV'");
}

TEST(Keys, of_a_slow_worker_are_its_devices_where_most_have_others) {
  Scenario s = with_tasks();
  const auto add_worker = [&](const char* name, std::size_t gpus) {
    s.cluster.tasks.push_back({name, HostId{1u}});
    s.cluster.tasks.back().gpus.resize(gpus);
  };
  const auto are_told = [&] { return keys(of_worker(), s).find("cluster.tasks.worker/12.cpu") != std::string::npos; };
  EXPECT_FALSE(are_told()) << "all of one";
  add_worker("/job:worker/replica:0/task:1", 1);
  EXPECT_TRUE(are_told()) << "one of two";
  add_worker("/job:worker/replica:0/task:2", 0);
  EXPECT_FALSE(are_told()) << "two of three";
  for (const char* name : {"/job:ps/replica:0/task:1", "/job:ps/replica:0/task:2"}) add_worker(name, 1);
  EXPECT_FALSE(are_told()) << "parameter servers do not count";
}

TEST(Keys, of_a_card_that_something_narrows_are_those_of_what_narrows_it) {
  Scenario s = with_tasks();
  s.cluster.hosts = {{.name = "a", .nic_bandwidth = 100}, {.name = "b", .nic_bandwidth = 100}, {.name = "c"}};
  s.cluster.hosts[2].nic_bandwidth = 100;
  s.cluster.network.variations = {{.host = HostId{1u}, .every = 1, .factor = Amount{Constant{10'000}}}};
  const auto of = [&](const char* host, const char* card = "") {
    return keys({.cause = Proof::Cause::slow_card, .a = host, .b = card}, s);
  };
  EXPECT_EQ(of("b"), "cluster.network.variations[] with 'host: b'");
  EXPECT_EQ(of("a"), "cluster.hosts[] with 'name: a': nic");
  EXPECT_EQ(of("b", "card 1"),
            "cluster.network.variations[] with 'host: b'; cluster.hosts[] with 'name: b': nics, card 1");
  s.cluster.hosts[2].nic_bandwidth = 200;
  EXPECT_EQ(of("b"), "cluster.network.variations[] with 'host: b'") << "one host alone has more";
  s.cluster.hosts[1].nic_bandwidth = 90;
  EXPECT_EQ(of("b"), "cluster.network.variations[] with 'host: b'; cluster.hosts[] with 'name: b': nic");
}

TEST(Keys, of_servers_with_unequal_bytes_are_none_where_a_variable_is_to_be_split) {
  Scenario s = with_tasks();
  s.build.emplace();
  EXPECT_EQ(keys({.cause = Proof::Cause::imbalance, .instead = "with the variables spread by bytes"}, s),
            "build.ps_strategy and build.ps");
  EXPECT_EQ(
      keys({.cause = Proof::Cause::imbalance, .instead = "with the bytes split evenly over the parameter servers"}, s),
      "no key: the graph splits its large variables, or does not");
}

TEST(Keys, of_a_slow_worker_are_those_that_the_scenario_has) {
  Scenario s = with_tasks();
  EXPECT_EQ(keys(of_worker(), s), "costs[] with 'task: worker/12', which the scenario lacks");
  s.costs.variations = {{.job = "worker"}};
  EXPECT_EQ(keys(of_worker(), s), "variations");
  s.costs.variations = {{.task = TaskId{1u}}};
  s.costs.interference = {{.task = TaskId{0u}}, {.host = HostId{1u}}};
  EXPECT_EQ(keys(of_worker(), s), "variations[] with 'task: worker/12'; interference");
  s.costs = {.rules = {{.task = s.cluster.tasks[1].name}, {.task = s.cluster.tasks[0].name}}};
  EXPECT_EQ(keys(of_worker(), s), "costs[] with 'task: worker/12'");
  s.costs.rules.erase(s.costs.rules.begin());
  s.faults = {{Nanos{0}, Slow{TaskId{1u}, {200}, {}}}};
  EXPECT_EQ(keys(of_worker(), s), "faults");
}

TEST(Keys, of_a_slow_worker_are_faults_only_where_one_makes_its_kernels_longer) {
  const auto with = [](const FaultKinds& what) {
    Scenario s = with_tasks();
    s.costs.rules = {{.task = s.cluster.tasks[1].name}};
    s.faults = {{Nanos{0}, what}};
    return keys(of_worker(), s);
  };
  const std::string costs = "costs[] with 'task: worker/12'";
  EXPECT_EQ(with(Kill{TaskId{1u}}), costs);
  EXPECT_EQ(with(Slow{TaskId{0u}, {200}, {}}), costs);
  EXPECT_EQ(with(SlowHost{HostId{0u}, {200}, {}}), costs);
  EXPECT_EQ(with(SlowHost{HostId{1u}, {200}, {}}), costs + "; faults");
  EXPECT_EQ(with(Pause{TaskId{1u}, kSecond}), costs + "; faults");
}

TEST(Keys, of_a_slow_worker_name_devices_where_they_are_its_own) {
  Scenario s = with_tasks();
  s.cluster.tasks.push_back({"/job:worker/replica:0/task:0", HostId{0u}});
  s.cluster.tasks.push_back({"/job:worker/replica:0/task:1", HostId{0u}});
  s.cluster.tasks[1].cpu.flops = 7;
  EXPECT_EQ(keys(of_worker(), s), "cluster.tasks.worker/12.cpu, cluster.tasks.worker/12.gpu");
}

TEST(Keys, of_a_far_host_are_links_or_the_rack_behind_whose_trunk_it_is) {
  Scenario s = with_tasks();
  EXPECT_EQ(keys(of_host(), s), "cluster.network.links[] between host12 and the others");
  s.cluster.network.racks = {{"left", {}}, {"right", {.latency = 5}}};
  s.cluster.hosts[1].rack = RackId{0u};
  EXPECT_EQ(keys(of_host(), s), "cluster.network.links[] between host12 and the others") << "its trunk takes no time";
  s.cluster.hosts[1].rack = RackId{1u};
  EXPECT_EQ(keys(of_host(), s), "cluster.network.racks[] with 'name: right': latency, trunk");
}

TEST(Keys, of_the_network_are_those_that_the_scenario_has) {
  Scenario s = with_tasks();
  s.cluster.network.between_hosts = {.latency = 1};
  for (HostSpec& h : s.cluster.hosts) h.nic_bandwidth = 9;
  EXPECT_EQ(keys({.cause = Proof::Cause::latency}, s), "cluster.network.latency");
  EXPECT_EQ(keys({.cause = Proof::Cause::network}, s), "cluster.network.nic");
  s.cluster.network.links = {{HostId{0u}, HostId{1u}, {.latency = 2, .bandwidth = 3}}};
  s.cluster.hosts[0].nic_bandwidth = 8;
  EXPECT_EQ(keys({.cause = Proof::Cause::latency}, s), "cluster.network.latency, cluster.network.links[].latency");
  EXPECT_EQ(keys({.cause = Proof::Cause::network}, s),
            "cluster.network.nic, cluster.network.links[].bandwidth; cluster.hosts[].nic, cluster.hosts[].nics");
}

TEST(Keys, of_the_network_of_one_host_are_those_of_messages_inside_it) {
  Scenario s = with_tasks();
  for (HostSpec& h : s.cluster.hosts) h.nic_bandwidth = 9;
  s.cluster.network.same_host.bandwidth = 5;
  EXPECT_EQ(keys({.cause = Proof::Cause::network}, s), "cluster.network.nic");
  EXPECT_EQ(keys({.cause = Proof::Cause::network, .b = "host"}, s), "cluster.network.same_host");
  for (TaskSpec& t : s.cluster.tasks) t.host = HostId{0u};
  EXPECT_EQ(keys({.cause = Proof::Cause::network}, s), "") << "no message passes a card";
}

TEST(Keys, of_the_transport_are_those_of_the_part_that_costs_time) {
  const Scenario s = with_tasks();
  const auto keys_of_part = [&](const char* part) { return keys({.cause = Proof::Cause::transport, .b = part}, s); };
  EXPECT_EQ(keys({.cause = Proof::Cause::transport, .b = "all", .together = true}, s), "cluster.network.transport");
  EXPECT_EQ(keys_of_part("copies"), "cluster.network.transport.send.copy, cluster.network.transport.receive.copy");
  EXPECT_EQ(keys_of_part("threads"), "cluster.network.transport.threads");
  EXPECT_EQ(keys_of_part("windows"), "cluster.network.transport.window");
  EXPECT_EQ(keys_of_part("incast"), "cluster.network.transport.incast");
}

TEST(Keys, of_a_law_with_a_heavy_tail_are_the_costs) {
  const Scenario s = with_tasks();
  EXPECT_EQ(keys({.cause = Proof::Cause::variations, .instead = "without variations"}, s), "variations");
  EXPECT_EQ(keys({.cause = Proof::Cause::variations, .instead = "with the mean of its law each time"}, s),
            "costs[].time");
}

}  // namespace
}  // namespace tarry
