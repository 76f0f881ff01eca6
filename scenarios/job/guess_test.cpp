// Guessed sidecars beside those that the recorder of the graphs wrote.
#include "scenarios/job/guess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/job/shipped_graphs.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

GuessedSidecar guess(const std::string& name) {
  return guess_sidecar(*read_graph(kGraphs + "/" + name + ".pb.zst"), name);
}
Json recorded(const std::string& name) { return Json::parse(std::ifstream(kGraphs + "/" + name + ".json")); }

// Whatever runs when these do.
std::set<std::string> run_by(const GraphSpec& graph, std::vector<std::string> todo) {
  const GraphEditor nodes(graph);
  std::set<std::string> out;
  while (!todo.empty()) {
    const std::string name(node_of(std::exchange(todo.back(), "")));
    todo.pop_back();
    if (out.insert(name).second) std::ranges::copy(nodes.at(name).inputs, std::back_inserter(todo));
  }
  return out;
}

// The graphs of one worker between others.
std::vector<std::string> workers_graphs() {
  std::vector<std::string> out;
  for (const std::string& name : list_graphs(kGraphs)) {
    const Json sidecar = recorded(name);
    const std::string task = sidecar["task"];
    if (sidecar["session"].contains("ready_op") && task.starts_with("/job:")) out.push_back(name);
  }
  return out;
}

TEST(Guess, finds_what_the_recorder_of_a_graph_wrote) {
  const auto names = workers_graphs();
  ASSERT_GT(names.size(), 15u);
  for (const std::string& name : names) {
    const GuessedSidecar g = guess(name);
    const Json sidecar = Json::parse(g.sidecar.dump()), truth = recorded(name);
    EXPECT_EQ(sidecar["task"], truth["task"]) << name;
    const auto step = run_by(*read_graph(kGraphs + "/" + name + ".pb.zst"), sidecar["targets"]);
    for (const std::string target : truth["targets"]) EXPECT_THAT(step, Contains(target)) << name;
    for (const char* key : {"init_op", "local_init_op", "ready_op", "ready_for_local_init_op"})
      EXPECT_EQ(sidecar["session"][key], truth["session"][key]) << name << " " << key;
    for (const char* key : {"filename_tensor", "save_tensor", "restore_op"})
      EXPECT_EQ(sidecar["session"]["saver"][key], truth["session"]["saver"][key]) << name << " " << key;
    EXPECT_EQ(sidecar.value("queue_runners", Json::array()).size(), truth.value("queue_runners", Json::array()).size())
        << name;
    EXPECT_EQ(sidecar["feeds"].size(), truth["feeds"].size()) << name;
  }
}

TEST(Guess, of_a_step_is_the_op_that_the_optimizer_returns_and_no_inside_of_it) {
  const auto targets = [](const char* name) { return guess(name).sidecar["targets"].get<std::vector<std::string>>(); };
  EXPECT_THAT(targets("softmax_async_ps1_task0"), testing::ElementsAre("GradientDescent"));
  EXPECT_THAT(targets("mlp_adam_async_res_ps2_task0"), testing::ElementsAre("Adam"));
}

TEST(Guess, of_a_step_follows_the_edges_and_not_the_order_of_the_nodes) {
  const GraphSpec graph{{{"train", "NoOp", "", {"^update"}, {}},
                         {"w", "VariableV2", "", {}, {}},
                         {"apply", "ApplyGradientDescent", "", {"w"}, {}},
                         {"update", "NoOp", "", {"^apply"}, {}}}};
  EXPECT_EQ(guess_sidecar(graph, "g").sidecar["targets"], nlohmann::ordered_json({"train"}));
}

TEST(Guess, finds_what_SyncReplicasOptimizer_and_its_hook_added) {
  std::size_t graphs = 0;
  for (const std::string& name : workers_graphs()) {
    const Json truth = recorded(name);
    const GuessedSidecar g = guess(name);
    ASSERT_EQ(g.sidecar.contains("sync"), truth.contains("sync")) << name;
    if (!truth.contains("sync")) continue;
    ++graphs;
    EXPECT_EQ(g.sidecar["is_chief"].get<bool>(), truth["is_chief"].get<bool>()) << name;
    for (const auto& [key, value] : g.sidecar["sync"].items())
      EXPECT_EQ(Json::parse(value.dump()), truth["sync"][key]) << name << " " << key;
  }
  EXPECT_GT(graphs, 10u);
}

TEST(Guess, is_a_sidecar_that_a_scenario_takes) {
  for (const std::string& name : workers_graphs())
    EXPECT_EQ(parse_sidecar(guess(name).sidecar.dump(), name, {}).status(), Status()) << name;
}

TEST(Guess, says_what_a_graph_does_not_tell) {
  GraphSpec without_queue = *read_graph(kGraphs + "/sync_softmax_w3_r3_ps1_task0.pb.zst");
  for (NodeSpec& n : without_queue.nodes)
    if (n.op.starts_with("QueueEnqueueMany")) n.op = "NoOp";
  EXPECT_THAT(guess_sidecar(without_queue, "x").missing, Contains(HasSubstr("'sync'")));
  const GraphSpec nothing{{{"a", "NoOp", "", {}, {}}}};
  const GuessedSidecar g = guess_sidecar(nothing, "nothing");
  EXPECT_THAT(g.missing, Contains(HasSubstr("'targets'")));
  EXPECT_THAT(g.missing, Contains(HasSubstr("'session.init_op'")));
  EXPECT_THAT(g.missing, Contains(HasSubstr("'session.saver'")));
  EXPECT_EQ(g.worker, "/job:worker/task:0");
}

TEST(Guess, of_what_a_sidecar_leaves_out_is_said_with_the_lines_to_add) {
  ClientProgram p = shipped_program("softmax_async_ps1_task0");
  EXPECT_EQ(left_out_of_sidecar(p), "");
  p.ready.clear();
  p.saver = {};
  EXPECT_EQ(left_out_of_sidecar(p),
            "; its sidecar leaves out what the graph has: add to 'session' \"ready_op\": \"concat:0\", \"saver\": "
            "{\"filename_tensor\":\"save/Const:0\",\"save_tensor\":\"save/Identity:0\",\"restore_op\":"
            "\"save/restore_all\"}");
}

}  // namespace
}  // namespace tarry
