#include "workers/worker/graph_manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "placer/core/check.hpp"
#include "workers/fake_env.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

const std::string kTask = "/job:worker/replica:0/task:0", kCpu0 = kTask + "/device:CPU:0",
                  kCpu1 = kTask + "/device:CPU:1";

LocalDevices two_cpus(Env& env, const std::string& task = kTask) {
  LocalDevices devices;
  for (const std::string& name : {task + "/device:CPU:0", task + "/device:CPU:1"}) {
    check(devices.set.add(name, "CPU", 1).ok(), "a device name");
    auto& d = *devices.devices.emplace_back(std::make_unique<LocalDevice>());
    d.host = {&env, TaskId{0u}, name, env.name(name), &d.resources, [](std::string_view) { return TaskId{0u}; }, 4096};
  }
  return devices;
}

SentGraph sent(GraphSpec part) { return SentGraph(std::make_shared<const GraphSpec>(std::move(part))); }

// A worker's task.
struct World {
  std::string add(std::vector<NodeSpec> nodes) {
    const auto handle = manager.register_graph(sent({std::move(nodes)}));
    return handle.ok() ? *handle : code_name(handle.status().code()) + ": " + std::string(text_of(handle.status()));
  }
  FakeEnv env = FakeEnv();
  LocalDevices devices = two_cpus(env);
  GraphManagerOptions options = {};
  GraphManager manager{env, devices, options};
};

NodeSpec constant(std::string name, std::string device = kCpu0) {
  const TensorSpec zero{DataType::kFloat, Shape(), {}, {}};
  return {std::move(name),
          "Const",
          std::move(device),
          {},
          {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(zero)}}};
}
NodeSpec identity(std::string name, std::string input, std::string device = kCpu0) {
  return {std::move(name), "Identity", std::move(device), {std::move(input)}, {{"T", DataType::kFloat}}};
}

TEST(GraphManager, numbers_its_graphs) {
  World w;
  EXPECT_EQ(w.add({constant("a")}), "0000000000000001");
  EXPECT_EQ(w.add({constant("a")}), "0000000000000002");
  EXPECT_NE(w.manager.find("0000000000000002"), nullptr);
  EXPECT_EQ(w.manager.find("0000000000000003"), nullptr);
}

TEST(GraphManager, an_empty_graph_is_fine) {
  World w;
  EXPECT_EQ(w.add({}), "0000000000000001");
  EXPECT_TRUE(w.manager.find("0000000000000001")->executors.empty());
}

TEST(GraphManager, makes_an_executor_for_each_device_that_has_nodes) {
  World w;
  const auto one = w.manager.find(w.add({constant("a"), identity("b", "a")}));
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->executors.size(), 1u);
  const auto two = w.manager.find(w.add({constant("a"), identity("b", "a", kCpu1)}));
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->executors.size(), 2u);
}

TEST(GraphManager, nodes_made_by_the_cut_use_up_numbers) {
  World w;
  const std::string first = w.add({constant("a"), identity("b", "a", kCpu1)});
  EXPECT_GT(first, "0000000000000001");  // the Send and the Recv were numbered first
  const std::string second = w.add({constant("a")});
  EXPECT_EQ(std::stoull(second, nullptr, 16), std::stoull(first, nullptr, 16) + 1);
}

// A part of two devices, registered again and again by workers of one job.
struct KnownPart {
  KnownPart() {
    for (NodeSpec& n : spec.nodes) n.attrs.set("_start_time", std::int64_t{0});
    part = sent(std::move(spec));
  }
  std::size_t cuts_after_registering(bool scheduled, std::int64_t values_up_to = 4096) {
    World w{.options = {.known = &known}};
    for (auto& d : w.devices.devices) d->host.values_up_to = values_up_to;
    GraphOptions how;
    how.enable_recv_scheduling = scheduled;
    EXPECT_TRUE(w.manager.register_graph(part, how).ok());
    const auto* cuts = known.about<std::vector<DeviceCut>>(part.spec.get());
    return cuts == nullptr ? 0 : cuts->size();
  }

  GraphSpec spec{{constant("a"), identity("b", "a", kCpu1)}};
  SentGraph part;
  KnownJob known;
};

TEST(GraphManager, keeps_nothing_of_a_part_that_no_other_run_meets) {
  KnownPart p;
  EXPECT_EQ(p.cuts_after_registering(false), 0u);
}

TEST(GraphManager, a_known_cut_serves_the_same_part_but_not_when_its_receives_are_to_be_scheduled) {
  KnownPart p;
  p.known.keep(p.part.spec);
  EXPECT_EQ(p.cuts_after_registering(false), 1u);
  EXPECT_EQ(p.cuts_after_registering(false), 1u);
  EXPECT_EQ(p.cuts_after_registering(true), 2u);
  EXPECT_EQ(p.cuts_after_registering(true), 2u);
}

TEST(GraphManager, a_known_cut_serves_hosts_that_compute_as_large_values) {
  KnownPart p;
  p.known.keep(p.part.spec);
  EXPECT_EQ(p.cuts_after_registering(false), 1u);
  EXPECT_EQ(p.cuts_after_registering(false, 10), 2u);
}

// ---- a part that is several workers' ----

std::string worker_task(int task) { return "/job:worker/replica:0/task:" + std::to_string(task); }

// A worker, its part of a graph, and the keys of the transfers that it registers.
struct Worker {
  explicit Worker(int number, KnownJob* known = nullptr)
      : task(worker_task(number)), devices(two_cpus(env, task)), manager(env, devices, {.known = known}) {}

  // Two devices, and a value that goes to a parameter server.
  [[nodiscard]] GraphSpec part() const {
    const NodeSpec send{"send",
                        "_Send",
                        task + "/device:CPU:1",
                        {"b"},
                        {{"T", DataType::kFloat},
                         {"tensor_name", std::string("b")},
                         {"send_device", task + "/device:CPU:1"},
                         {"recv_device", std::string("/job:ps/replica:0/task:0/device:CPU:0")},
                         {"send_device_incarnation", std::int64_t{1}}}};
    return {{constant("a", task + "/device:CPU:0"), identity("b", "a", task + "/device:CPU:1"), send}};
  }
  // The part of `other` is this worker's, too: it was written for that one.
  std::set<std::string> keys_after_registering(SentGraph sent_part, const std::string& written_for) {
    sent_part.renewed = std::make_shared<const Renewal>(Renewal{{}, {written_for, task}});
    check(manager.register_graph(sent_part).ok(), "a part that can be registered");
    std::set<std::string> keys;
    for (std::size_t i = 0; i < env.names().size(); ++i)
      if (const std::string text(env.text(NameId{i})); text.find(';') != text.npos) keys.insert(text);
    return keys;
  }

  std::string task;
  FakeEnv env = FakeEnv();
  LocalDevices devices;
  GraphManager manager;
};

std::set<std::string> own_keys(int number) {
  Worker w(number);
  return w.keys_after_registering(sent(w.part()), w.task);
}

TEST(GraphManager, cuts_another_workers_part_as_its_own) {
  const Worker other(7);
  EXPECT_EQ(Worker(0).keys_after_registering(sent(other.part()), other.task), own_keys(0));
}

TEST(GraphManager, takes_a_cut_that_one_worker_made_of_anothers_part_as_its_own) {
  KnownJob known;
  const Worker written_for(7);
  const SentGraph part = sent(written_for.part());
  known.keep(part.spec);
  for (const int number : {3, 12, 7})
    EXPECT_EQ(Worker(number, &known).keys_after_registering(part, written_for.task), own_keys(number));
  EXPECT_EQ(known.about<std::vector<DeviceCut>>(part.spec.get())->size(), 1u) << "one cut serves all";
}

TEST(GraphManagerRefuses, a_node_without_a_device) {
  EXPECT_EQ(World().add({constant("a", "")}), "INVALID_ARGUMENT: Node 'a' is missing a device specification");
}
TEST(GraphManagerRefuses, a_device_that_is_no_name) {
  EXPECT_EQ(World().add({constant("a", "nonsense")}), "INVALID_ARGUMENT: Missing device name in: {{node a}}");
}
TEST(GraphManagerRefuses, a_device_that_it_does_not_have) {
  EXPECT_EQ(World().add({constant("a", kTask + "/device:GPU:0")}),
            "INVALID_ARGUMENT: " + kTask + "/device:GPU:0 unknown device.");
  EXPECT_EQ(World().add({constant("a", "/job:ps/replica:0/task:0/device:CPU:0")}),
            "INVALID_ARGUMENT: /job:ps/replica:0/task:0/device:CPU:0 unknown device.");
}
TEST(GraphManagerRefuses, half_a_device_name) {
  EXPECT_EQ(World().add({constant("a", "/device:CPU:0")}), "INVALID_ARGUMENT: /device:CPU:0 unknown device.");
}
TEST(GraphManagerRefuses, an_input_that_is_not_there) {
  EXPECT_EQ(World().add({identity("n", "nobody")}), "INVALID_ARGUMENT: Node 'n': Unknown input node 'nobody'");
}
TEST(GraphManagerRefuses, a_name_given_twice) {
  EXPECT_EQ(World().add({constant("a"), constant("a")}), "INVALID_ARGUMENT: Node 'a' is not unique");
}
TEST(GraphManagerRefuses, a_cycle) {
  EXPECT_THAT(World().add({identity("a", "b"), identity("b", "a")}), HasSubstr("2 nodes in a cycle"));
}
TEST(GraphManagerRefuses, without_using_up_a_handle) {
  World w;
  w.add({constant("a", "")});
  w.add({identity("n", "nobody")});
  EXPECT_EQ(w.add({constant("a")}), "0000000000000001");
}

}  // namespace
}  // namespace tarry
