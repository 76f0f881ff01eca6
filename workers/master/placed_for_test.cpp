#include "workers/master/placed_for.hpp"

#include <gtest/gtest.h>

#include "placer/core/check.hpp"
#include "placer/graph/import.hpp"
#include "placer/place/place.hpp"

namespace tarry {
namespace {

std::string worker_name(int task) { return "/job:worker/replica:0/task:" + std::to_string(task); }
const std::string kServer = "/job:ps/replica:0/task:0", kEvaluator = "/job:xeval/replica:0/task:0";

// Tasks with a CPU each; those in `with_gpu` have a GPU, too.
DeviceSet devices_of(const std::vector<std::string>& tasks, const std::vector<std::string>& with_gpu = {}) {
  DeviceSet set;
  for (const std::string& task : tasks) {
    check(set.add(task + "/device:CPU:0", "CPU", 1).ok(), "a device name");
    if (std::ranges::find(with_gpu, task) != with_gpu.end())
      check(set.add(task + "/device:GPU:0", "GPU", 1).ok(), "a device name");
  }
  return set;
}

NodeSpec variable_on(std::string name, std::string device) {
  return {std::move(name), "VarHandleOp", std::move(device), {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}};
}
NodeSpec read_of(std::string name, const std::string& variable, std::string device = "") {
  return {std::move(name), "ReadVariableOp", std::move(device), {variable}, {{"dtype", DataType::kFloat}}};
}

// A graph of worker 1, placed on `devices`: does its placement hold for the client of `other`?
bool holds_for(const std::string& other, const std::vector<NodeSpec>& nodes, const DeviceSet& then,
               const DeviceSet& now) {
  auto g = import_graph({nodes});
  check(g.ok(), "a graph that can be imported");
  std::vector<NodeId> free_choices;
  const Status placed = place(*g, then, rules_2_15(),
                              {.soft_placement = true, .local_task = worker_name(1), .free_choices = &free_choices});
  check(placed.ok(), "a graph that can be placed");
  return PlacedFor(*g, then, worker_name(1), free_choices).holds_for({worker_name(1), other}, then, now);
}
bool holds_for(int other, const std::vector<NodeSpec>& nodes, const DeviceSet& then, const DeviceSet& now) {
  return holds_for(worker_name(other), nodes, then, now);
}
bool holds_for(int other, const std::vector<NodeSpec>& nodes, const DeviceSet& all) {
  return holds_for(other, nodes, all, all);
}

const std::vector<NodeSpec> kModel{variable_on("weights", "/job:ps/task:0"),
                                   read_of("read", "weights"),
                                   variable_on("step", "/job:worker/task:1"),
                                   read_of("own", "step"),
                                   {"train", "NoOp", "/job:worker/task:1", {"^read", "^own"}, {}}};

const std::vector<std::string> kAll{kServer, worker_name(0), worker_name(1), worker_name(2), worker_name(3)};

std::vector<NodeSpec> model_and(NodeSpec node) {
  std::vector<NodeSpec> nodes = kModel;
  nodes.push_back(std::move(node));
  return nodes;
}

TEST(PlacedFor, another_worker_when_every_request_names_its_task) {
  EXPECT_TRUE(holds_for(2, kModel, devices_of(kAll)));
  EXPECT_TRUE(holds_for(0, kModel, devices_of(kAll)));
}

TEST(PlacedFor, another_worker_when_a_free_choice_fell_on_a_third_task) {
  const NodeSpec free{"free", "NoOp", "/job:ps", {}, {}};
  std::vector<std::string> tasks = kAll;
  tasks.insert(tasks.begin() + 1, "/job:ps/replica:0/task:1");
  EXPECT_TRUE(holds_for(2, model_and(free), devices_of(tasks))) << "no worker's device is a candidate";
}

TEST(PlacedFor, another_worker_when_a_free_choice_fell_on_the_clients_task) {
  const std::vector<NodeSpec> nodes{{"free", "NoOp", "", {}, {}}};
  EXPECT_TRUE(holds_for(2, nodes, devices_of(kAll))) << "the local device comes first, for each client its own";
}

TEST(PlacedFor, no_task_of_another_job_when_a_free_choice_fell_on_the_clients_task) {
  const std::vector<NodeSpec> free{{"free", "NoOp", "/job:worker", {}, {}}};
  const std::vector<NodeSpec> fixed{{"fixed", "NoOp", "/job:worker/task:1", {}, {}}};
  const DeviceSet all = devices_of({worker_name(1), worker_name(2), kEvaluator});
  EXPECT_FALSE(holds_for(kEvaluator, free, all, all));
  EXPECT_TRUE(holds_for(kEvaluator, fixed, all, all));
}

TEST(PlacedFor, nobody_else_when_a_request_names_a_task_of_any_job) {
  const NodeSpec open{"open", "NoOp", "/task:2", {}, {}};
  EXPECT_FALSE(holds_for(0, model_and(open), devices_of({kServer, worker_name(0), worker_name(1), worker_name(2)})));
}

TEST(PlacedFor, another_worker_that_sees_its_own_task_in_place_of_the_first) {
  const NodeSpec free{"free", "NoOp", "/job:worker", {}, {}};
  const DeviceSet then = devices_of({kServer, worker_name(1)}), now = devices_of({kServer, worker_name(2)});
  EXPECT_TRUE(holds_for(2, model_and(free), then, now)) << "the free choice is between the devices of one task";
}

TEST(PlacedFor, nobody_to_whom_a_third_task_comes_in_another_order) {
  const std::vector<NodeSpec> nodes{{"free", "NoOp", "", {}, {}}};
  const auto seen_by = [](int worker) { return devices_of({worker_name(2), worker_name(worker)}); };
  EXPECT_TRUE(holds_for(10, nodes, seen_by(1), seen_by(10))) << "task:10 comes before task:2, as task:1 does";
  EXPECT_FALSE(holds_for(3, nodes, seen_by(1), seen_by(3))) << "task:3 comes after task:2";
}

TEST(PlacedFor, nobody_before_whom_a_used_task_comes_in_another_order) {
  const NodeSpec elsewhere{"elsewhere", "NoOp", "/job:worker/task:2", {}, {}};
  EXPECT_TRUE(holds_for(0, model_and(elsewhere), devices_of(kAll)));
  EXPECT_FALSE(holds_for(3, model_and(elsewhere), devices_of(kAll))) << "parts are cut in the order of their tasks";
}

TEST(PlacedFor, no_worker_that_the_graph_names_itself) {
  const NodeSpec elsewhere{"elsewhere", "NoOp", "/job:worker/task:2", {}, {}};
  EXPECT_FALSE(holds_for(2, model_and(elsewhere), devices_of(kAll)));
}

TEST(PlacedFor, no_worker_with_other_devices) {
  EXPECT_FALSE(holds_for(2, kModel, devices_of(kAll, {worker_name(1)})));
  EXPECT_TRUE(holds_for(2, kModel, devices_of(kAll, {worker_name(1), worker_name(2)})));
  const DeviceSet then = devices_of({kServer, worker_name(1)}),
                  now = devices_of({kServer, worker_name(2)}, {worker_name(2)});
  EXPECT_FALSE(holds_for(2, kModel, then, now));
}

TEST(PlacedFor, nobody_else_when_the_client_wrote_a_transfer_itself) {
  const NodeSpec send{"send",
                      "_Send",
                      "/job:worker/task:1",
                      {"own"},
                      {{"T", DataType::kFloat},
                       {"tensor_name", std::string("own")},
                       {"send_device", worker_name(1) + "/device:CPU:0"},
                       {"recv_device", worker_name(1) + "/device:CPU:0"},
                       {"send_device_incarnation", std::int64_t{1}}}};
  EXPECT_FALSE(holds_for(2, model_and(send), devices_of(kAll)));
}

}  // namespace
}  // namespace tarry
