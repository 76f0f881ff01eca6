// What a scenario leaves out.

#include "scenarios/file/resolve.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kMegabit = 125'000;

ClusterSpec cluster_with(const std::string& network) {
  return parse_scenario("cluster:\n  hosts: [a, {name: b, nic: 3Mbps}]\n  tasks: {worker/0: a}\n  network: {" +
                            network + "}\nprograms: []\nstop: {time: 1s}\n",
                        "s.yaml")
      .value()
      .cluster;
}
PathSpec only_link(const std::string& keys) {
  return cluster_with("latency: 3ms, bandwidth: 5Mbps, links: [{between: [a, b], " + keys + "}]")
      .network.links.at(0)
      .path;
}

TEST(Resolve, a_link_has_the_networks_latency_and_bandwidth_where_it_says_nothing_else) {
  EXPECT_EQ(only_link("bandwidth: 1Mbps"), (PathSpec{.latency = 3'000'000, .bandwidth = kMegabit}));
  EXPECT_EQ(only_link("latency: 7ms"), (PathSpec{.latency = 7'000'000, .bandwidth = 5 * kMegabit}));
  EXPECT_EQ(only_link("latency: 0s, bandwidth: unlimited"), PathSpec{});
}

TEST(Resolve, a_host_has_the_networks_card_where_it_says_nothing_else) {
  const ClusterSpec c = cluster_with("nic: 2Mbps");
  EXPECT_EQ(c.hosts[0].nic_bandwidth, 2 * kMegabit);
  EXPECT_EQ(c.hosts[1].nic_bandwidth, 3 * kMegabit);
}

StatusOr<Scenario> with_racks(const std::string& network) {
  return parse_scenario(
      "cluster:\n  hosts: [{name: a, rack: left}, {name: b, rack: right}]\n  tasks: {worker/0: a}\n"
      "  network: {" +
          network + "}\nprograms: []\nstop: {time: 1s}\n",
      "s.yaml");
}

TEST(Resolve, a_rack_has_the_networks_trunk_where_it_says_nothing_else) {
  const auto racks = with_racks("rack_trunk: 2Mbps, rack_latency: 3us, racks: [{name: right, trunk: 1Mbps}]")
                         .value()
                         .cluster.network.racks;
  EXPECT_EQ(racks, (std::vector<RackSpec>{{"left", {3000, 2 * kMegabit}}, {"right", {3000, kMegabit}}}));
  const auto slow = with_racks("rack_trunk: 2Mbps, racks: [{name: left, latency: 5us}]").value().cluster.network.racks;
  EXPECT_EQ(slow, (std::vector<RackSpec>{{"left", {5000, 2 * kMegabit}}, {"right", {0, 2 * kMegabit}}}));
}

TEST(Resolve, trunks_of_no_rack_are_refused) {
  for (const char* keys : {"rack_trunk: 1Gbps", "rack_latency: 1ms"})
    EXPECT_EQ(text_of(parse_scenario("cluster: {hosts: [a], tasks: {worker/0: a}, network: {" + std::string(keys) +
                                         "}}\nprograms: []\nstop: {time: 1s}\n",
                                     "s.yaml")
                          .status()),
              "s.yaml:1:10: no host is in a rack, so 'rack_trunk' and 'rack_latency' mean nothing; expected 'rack' or "
              "'per_rack' at hosts");
}

TEST(Resolve, a_rack_that_no_host_is_in_and_one_that_is_listed_twice_are_refused) {
  EXPECT_EQ(text_of(with_racks("racks: [{name: rihgt}]").status()),
            "s.yaml:4:28: no host is in the rack 'rihgt'; did you mean 'right'?");
  EXPECT_EQ(text_of(with_racks("racks: [{name: left}, {name: left}]").status()),
            "s.yaml:4:42: rack 'left' is listed twice");
}

StatusOr<Scenario> with_devices(const std::string& devices) {
  return parse_scenario(fmt::format("cluster:\n"
                                    "  hosts: [a]\n"
                                    "  tasks: {{ps/0: a, worker/0: {{host: a, gpus: 1}}}}\n"
                                    "  devices: {{{}}}\n"
                                    "build: {{graph: mlp_adam_async_res_ps2_task0, ps: 1, workers: 1}}\n"
                                    "stop: {{steps: 1}}\n",
                                    devices),
                        "s.yaml");
}

TEST(Resolve, ops_reach_shares_of_a_devices_peaks) {
  const auto s = with_devices(
      "cpu: {flops: 1Gflop/s, efficiency: {'Conv*': 0.55, MatMul: 1}}, "
      "gpu: {memory_bandwidth: 1GB/s, efficiency: {MatMul: 0.8}}");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->cluster.tasks[0].cpu.efficiency, (std::vector<Efficiency>{{"Conv*", 550'000}, {"MatMul", 1'000'000}}));
  EXPECT_EQ(s->cluster.tasks[1].gpus.at(0).rates.efficiency, (std::vector<Efficiency>{{"MatMul", 800'000}}));
  for (const char* share : {"0", "1.1", "-1", "half"}) {
    const auto refused = with_devices(fmt::format("cpu: {{efficiency: {{MatMul: {}}}}}", share));
    EXPECT_TRUE(text_of(refused.status()).starts_with("s.yaml:4:40: ")) << share << text_of(refused.status());
  }
}

std::string refused_devices(const std::string& devices) { return std::string(text_of(with_devices(devices).status())); }

TEST(Resolve, a_gpu_may_launch_ahead_where_launches_take_time) {
  for (const char* ahead : {"true", "false"}) {
    const auto s = with_devices(fmt::format("gpu: {{launch: 2us, launch_ahead: {}}}", ahead));
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_EQ(s->cluster.tasks[1].gpus.at(0).launches_ahead, ahead == std::string("true"));
  }
  EXPECT_EQ(refused_devices("gpu: {flops: 1Gflop/s, launch_ahead: true}"),
            "s.yaml:4:18: launch_ahead needs a time of launches; expected 'launch' beside it");
}

TEST(Resolve, shares_of_peaks_are_of_ops_that_tensorflow_has_and_of_peaks_that_are_given) {
  EXPECT_TRUE(with_devices("gpu: {flops: 1Gflop/s, efficiency: {'AvgPool*': 0.5, Conv2D: 0.5}}").ok());
  EXPECT_EQ(refused_devices("gpu: {flops: 1Gflop/s, efficiency: {Conv2d: 0.5}}"),
            "s.yaml:4:49: no op of TensorFlow is called 'Conv2d'; did you mean 'Conv2D'?");
  EXPECT_TRUE(
      refused_devices("cpu: {flops: 1Gflop/s, efficiency: {'Convo*lution': 1}}").starts_with("s.yaml:4:49: no op"));
  for (const char* device : {"cpu", "gpu"})
    EXPECT_EQ(refused_devices(fmt::format("{}: {{launch: 1us, efficiency: {{Conv2D: 0.5}}}}", device)),
              "s.yaml:4:18: efficiency is a share of flops and memory_bandwidth; expected one of them beside it");
  EXPECT_EQ(refused_devices("cpu: {flops: 1Gflop/s, efficiency: {MatMul: 0.3333333}}"),
            "s.yaml:4:57: expected a number from 0.000001 to 1 of at most six decimals, found '0.3333333'");
}

TEST(Resolve, towers_need_as_many_gpus_of_each_worker) {
  const auto with_towers = [](const std::string& gpus) {
    return parse_scenario(
        "cluster:\n  hosts: [h]\n  tasks: {ps/0: h, worker/0: {host: h, gpus: 2}, worker/1: {host: h" + gpus +
            "}}\nbuild: {graph: softmax_async_ps1_task0, protocol: async, towers: 2}\n"
            "stop: {steps: 1}\n",
        "s.yaml");
  };
  EXPECT_TRUE(with_towers(", gpus: 2").ok());
  EXPECT_EQ(text_of(with_towers(", gpus: 1").status()),
            "s.yaml:4:8: 2 towers need as many GPUs, and worker/1 has 1: expected gpus: 2 there");
}

// A host with that `pcie`, and a task on it with that many GPUs.
StatusOr<Scenario> with_pcie(const std::string& pcie, const std::string& task) {
  return parse_scenario(fmt::format("cluster:\n"
                                    "  hosts: [{{name: 'h{{index}}', count: 2, pcie: {{{}}}}}, other]\n"
                                    "  tasks: {{ps/0: other, worker: {{count: 2, host: 'h{{index}}', {}}}}}\n"
                                    "build: {{graph: mlp_adam_async_res_ps2_task0, ps: 1, workers: 2}}\n"
                                    "stop: {{steps: 1}}\n",
                                    pcie, task),
                        "s.yaml");
}

TEST(Resolve, the_gpus_of_a_host_share_its_roots) {
  const auto s = with_pcie("root: 12GB/s, gpus_per_root: 2", "gpus: 4, gpu: {copy_bandwidth: 10GB/s}");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->cluster.hosts[1].pcie, (PcieSpec{.root_bandwidth = 12'000'000'000, .gpus_per_root = 2}));
  EXPECT_EQ(s->cluster.hosts[2].pcie, PcieSpec{});
  EXPECT_EQ(s->cluster.tasks[1].gpus.at(0).copy_bandwidth, 10'000'000'000u);
}

TEST(Resolve, a_group_of_machines_may_have_roots_where_some_have_no_gpu) {
  const auto s = parse_scenario(
      "cluster:\n  hosts: [{name: 'h{index}', count: 3, pcie: {root: 12GB/s}}]\n  workers: 1\n"
      "  tasks: {ps/0: h0, worker/0: h0, worker/1: {host: h1, gpus: 1}}\n"
      "build: {graph: mlp_adam_async_res_ps2_task0, ps: 1, workers: 1}\nstop: {steps: 1}\n",
      "s.yaml");
  EXPECT_TRUE(s.ok()) << s.status();
}

TEST(Resolve, roots_of_no_gpu_are_refused) {
  EXPECT_EQ(text_of(with_pcie("root: 12GB/s", "gpus: 0").status()),
            "s.yaml:2:18: no task on a host with 'pcie' has a GPU, so it means nothing; expected 'gpus' at a task");
  for (const char* pcie : {"root: 12GB/s, gpus_per_root: 0", "gpus_per_root: 2"})
    EXPECT_FALSE(with_pcie(pcie, "gpus: 1").ok()) << pcie;
}

TEST(Resolve, the_networks_keys_are_those_of_the_cluster) {
  const NetworkSpec n = cluster_with("latency: 3ms, small_message: 2KiB, transfers_per_channel: 4").network;
  EXPECT_EQ(n.between_hosts, (PathSpec{.latency = 3'000'000, .bandwidth = 0}));
  EXPECT_EQ(n.small_message, 2048u);
  EXPECT_EQ(n.transfers_per_channel, 4);
}

TEST(Resolve, the_engine_of_flows_is_chosen_by_the_number_of_hosts_unless_it_is_named) {
  EXPECT_EQ(cluster_with("engine: shared").network.engine, FlowsBy::shared);
  EXPECT_EQ(cluster_with("engine: simgrid").network.engine, FlowsBy::simgrid);
  for (const char* keys : {"engine: auto", "nic: 1Gbps"})
    EXPECT_EQ(cluster_with(keys).network.engine, FlowsBy::automatic) << keys;
}

Scenario with_workers(const std::string& cluster_keys, const std::string& build_keys = "") {
  return parse_scenario(
             "cluster: {hosts: [a, b, c], tasks: {ps/0: a, worker/0: a, worker/1: {host: b, gpus: 2}}, network: "
             "{links: [{between: [a, b], latency: 3ms}, {between: [b, c], latency: 4ms}]}, " +
                 cluster_keys + "}\nbuild: {graph: softmax_async_ps1_task0" + build_keys + "}\nstop: {time: 1s}\n",
             "s.yaml")
      .value();
}

TEST(Resolve, a_worker_that_is_not_listed_is_like_the_last_one_on_a_host_of_its_own) {
  const Scenario s = with_workers("workers: 4");
  ASSERT_EQ(s.cluster.tasks.size(), 5u);
  const TaskSpec& last = s.cluster.tasks[4];
  EXPECT_EQ(last.name, "/job:worker/replica:0/task:3");
  EXPECT_EQ(last.gpus.size(), 2u);
  EXPECT_EQ(s.cluster.hosts[last.host.index()].name, "host-of-worker-3");
  EXPECT_EQ(s.build->plan.workers, 4);
  ASSERT_EQ(s.cluster.network.links.size(), 6u);
  EXPECT_EQ(s.cluster.network.links[4], (LinkSpec{HostId{0u}, last.host, {.latency = 3'000'000}}));
  EXPECT_EQ(s.cluster.network.links[5], (LinkSpec{HostId{2u}, last.host, {.latency = 4'000'000}}));
  EXPECT_EQ(s.places.tasks.size(), 5u);
}

TEST(Resolve, fewer_workers_are_the_first_of_those_that_are_listed) {
  const Scenario s = with_workers("workers: 1");
  ASSERT_EQ(s.cluster.tasks.size(), 2u);
  EXPECT_EQ(s.cluster.tasks[1].name, "/job:worker/replica:0/task:0");
  EXPECT_EQ(s.build->plan.workers, 1);
}

TEST(Resolve, backup_workers_are_those_without_which_an_aggregate_is_complete) {
  EXPECT_EQ(with_workers("workers: 4", ", backup_workers: 1").build->plan.replicas, 3);
}

TEST(Resolve, refuses_workers_that_are_like_nobody_and_backups_that_are_all) {
  const auto refused = [](const std::string& tasks, const std::string& build) {
    const auto s = parse_scenario(
        "cluster: {hosts: [a], tasks: {" + tasks + "}, workers: 3}\nbuild: {graph: g" + build + "}\nstop: {time: 1s}\n",
        "s.yaml");
    return std::string(text_of(s.status()));
  };
  EXPECT_EQ(refused("ps/0: a, worker/1: a", ""),
            "s.yaml:1:10: 'workers' adds workers that are like the last one of 'tasks': expected /job:worker/task:0 "
            "there, and numbers without a gap");
  EXPECT_EQ(refused("ps/0: a, worker/0: a", ", backup_workers: 3"),
            "s.yaml:2:8: 3 of 3 workers cannot be backup workers: an aggregate needs a gradient");
  EXPECT_EQ(refused("ps/0: a, worker/0: a", ", backup_workers: 1, protocol: async"),
            "s.yaml:2:8: backup_workers is for 'protocol: sync'");
  EXPECT_EQ(refused("ps/0: a, worker/0: a", ", backup_workers: 1, replicas_to_aggregate: 2"),
            "s.yaml:2:8: backup_workers and replicas_to_aggregate say the same: expected one of them");
}

std::string refused_with(const std::string& keys) {
  return std::string(text_of(
      parse_scenario("cluster: {hosts: [a], tasks: {worker/0: a}}\nprograms: []\nstop: {time: 1s}\n" + keys, "s.yaml")
          .status()));
}

TEST(Resolve, numbers_that_mean_nothing_are_refused_where_they_stand) {
  EXPECT_EQ(refused_with("costs: [{op: MatMul, time: {lognormal: {mean: 0ms, sd: 1ms}}}]"),
            "s.yaml:4:47: expected a mean above 0");
  EXPECT_EQ(refused_with("costs: [{op: MatMul, time: {normal: {mean: 0ms, sd: 1ms}}}]"), "");
  EXPECT_EQ(refused_with("feeds: {batch: 99999999999}"),
            "s.yaml:4:16: expected a whole number from 0 to 2147483647, found '99999999999'");
}

TEST(Links, that_say_nothing_are_refused) {
  const auto parsed = parse_scenario(
      "title: t\ncluster:\n  hosts: [s, a]\n  tasks: {ps/0: s, worker/0: a}\n  network: {links: [{between: [s, a]}]}\n"
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {steps: 1}\n",
      "s.yaml");
  EXPECT_EQ(text_of(parsed.status()), "s.yaml:5:21: a link needs a latency, a bandwidth, or both");
}

}  // namespace
}  // namespace tarry
