// Guessed sidecars beside those that the recorder of the graphs wrote.
#include "scenarios/job/guess.hpp"

#include <fmt/format.h>
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

TEST(Guess, of_numbers_that_no_constant_gives_is_none) {
  const auto several = [](std::vector<std::int64_t> numbers) {
    return constant("number", "", DataType::kInt32, int_tensor(DataType::kInt32, std::move(numbers)));
  };
  for (const NodeSpec& number : {NodeSpec{"number", "Identity", "", {"number"}, {}},
                                 NodeSpec{"number", "Identity", "", {}, {}}, several({3, 3}), several({})}) {
    GraphSpec graph = *read_graph(kGraphs + "/sync_softmax_w3_r3_ps1_task0.pb.zst");
    for (NodeSpec& n : graph.nodes)
      if (n.op.ends_with("AccumulatorTakeGradient")) n.inputs[1] = "number";
    graph.nodes.push_back(number);
    EXPECT_THAT(guess_sidecar(graph, "x").missing, Contains(HasSubstr("'sync'"))) << number.op;
  }
}

TEST(Guess, ends_and_never_fails_whatever_a_node_lacks) {
  const std::vector<std::function<void(NodeSpec&)>> edits{
      [](NodeSpec& n) { n.inputs.clear(); }, [](NodeSpec& n) { n.inputs = {n.name}; },
      [](NodeSpec& n) { n.attrs = {}; }, [](NodeSpec& n) { n.name = "global_step"; }};
  for (const char* name : {"sync_softmax_w3_r3_ps1_task0", "softmax_async_ps1_task0"}) {
    const GraphSpec whole = *read_graph(kGraphs + "/" + name + ".pb.zst");
    for (std::size_t i = 0; i < whole.nodes.size(); ++i)
      for (const auto& edit : edits) {
        GraphSpec graph = whole;
        edit(graph.nodes[i]);
        EXPECT_NO_THROW(guess_sidecar(graph, name)) << name << " " << whole.nodes[i].name;
      }
  }
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

// A queue that can be closed, and one that cannot.
std::vector<NodeSpec> queues(const std::string& worker) {
  const auto closes = [](bool cancels) { return Attrs{{"cancel_pending_enqueues", cancels}}; };
  return {{"q", "FIFOQueueV2", worker, {}, {}},
          {"put", "QueueEnqueueV2", worker, {"q", "x"}, {}},
          {"close", "QueueCloseV2", worker, {"q"}, closes(false)},
          {"cancel", "QueueCloseV2", worker, {"q"}, closes(true)},
          {"unclosed", "FIFOQueueV2", worker, {}, {}},
          {"put_2", "QueueEnqueueV2", worker, {"unclosed", "x"}, {}}};
}

// A hand-made graph of a worker: feeds of all kinds, variables, groups within groups, tables and a queue.
GraphSpec by_hand() {
  const std::string ps = "/job:ps/task:0", worker = "/job:worker/task:1";
  const auto dtype = [](DataType t, const std::vector<std::int64_t>& dims) {
    return Attrs{{"dtype", t}, {"shape", Shape(dims)}};
  };
  GraphSpec graph{{{"x", "Placeholder", worker + "/device:GPU:12", {}, dtype(DataType::kInt64, {-1, 0, 3})},
                   {"y", "Placeholder", worker + "/gpu:123", {}, {}},
                   {"z", "PlaceholderWithDefault", "/job:worker/task:1234567", {}, dtype(DataType::kFloat, {})},
                   {"global_step", "VariableV2", ps, {}, {}},
                   {"w", "Variable", "/job:ps/replica:0/task:1", {}, {}},
                   {"h", "VarHandleOp", ps, {}, {}},
                   {"own", "VariableV2", worker, {}, {}},
                   {"global_step/Assign", "Assign", ps, {"global_step"}, {}},
                   {"w/Assign", "Assign", ps, {"w"}, {}},
                   {"own/Assign", "Assign", worker, {"own"}, {}},
                   {"init", "NoOp", "", {"^global_step/Assign", "^part"}, {}},
                   {"part", "NoOp", "", {"^w/Assign"}, {}},
                   {"local", "NoOp", "", {"^own/Assign"}, {}},
                   {"init_all_tables", "NoOp", "", {}, {}},
                   {"apply", "ApplyGradientDescent", ps, {"w"}, {}},
                   {"scatter", "ResourceScatterSub", ps, {"h"}, {}},
                   {"train", "NoOp", "", {"^apply", "^scatter"}, {}}}};
  for (NodeSpec& n : queues(worker)) graph.nodes.push_back(std::move(n));
  return graph;
}

// A line for each key, or for each element below it.
std::string lines_of(const nlohmann::ordered_json& sidecar) {
  std::string text = "\n";
  for (const auto& [key, value] : sidecar.items()) {
    text += key + ":" + (value.is_structured() ? "" : " " + value.dump()) + "\n";
    if (value.is_structured())
      for (const auto& element : value) text += "  " + element.dump() + "\n";
  }
  return text;
}

constexpr char kSidecar[] = R"(
name: "mine"
task: "/job:worker/task:1"
is_chief: false
feeds:
  {"name":"x:0","dtype":"int64","shape":[null,0,3],"optional":false}
  {"name":"y:0","dtype":"float32","shape":[],"optional":false}
  {"name":"z:0","dtype":"float","shape":[],"optional":true}
targets:
  "train"
fetches:
  "global_step:0"
variables:
  {"name":"global_step","op":"VariableV2","local":false}
  {"name":"w","op":"Variable","local":false}
  {"name":"h","op":"VarHandleOp","local":false}
  {"name":"own","op":"VariableV2","local":true}
session:
  "init"
  "local"
queue_runners:
  {"enqueue_ops":["put"],"close_op":"close","cancel_op":"cancel","queue":"q"}
)";

TEST(Guess, says_all_that_it_found_and_all_that_is_missing) {
  const GuessedSidecar g = guess_sidecar(by_hand(), "mine");
  EXPECT_EQ(lines_of(g.sidecar), kSidecar);
  EXPECT_EQ("\n" + join(g.found, "\n"),
            "\nit was built for /job:worker/task:1, with 2 parameter servers\na step feeds x:0\na step feeds y:0\na "
            "step runs train: behind all 2 ops that apply gradients\nsession.init_op is init: it initialises 2 "
            "variables\nsession.local_init_op is local: it initialises 1 local variables, and tables\na queue runner "
            "fills q");
  EXPECT_EQ("\n" + join(g.missing, "\n"),
            "\nthe shape of y:0: give it in 'feeds: {shapes: {...}}' of the scenario\n'session.ready_op' and "
            "'session.ready_for_local_init_op': 'build' needs a scaffold's reports of uninitialised variables; before "
            "the graph is written, tf.train.Scaffold(saver=tf.train.Saver(sharded=True)).finalize() makes "
            "both\n'session.saver': 'build' needs a sharded saver; before the graph is written, "
            "tf.train.Scaffold(saver=tf.train.Saver(sharded=True)).finalize() makes both");
  EXPECT_EQ(g.gpus, 13u) << "a number of three digits is no GPU's";
  EXPECT_EQ(g.servers, 2u);
  EXPECT_EQ(g.workers, 1u) << "one that is named alone";
}

TEST(Guess, counts_servers_workers_and_who_is_the_chief_by_the_devices) {
  const auto of = [](std::vector<std::string> devices) {
    GraphSpec graph;
    for (const std::string& d : devices) graph.nodes.push_back({d.substr(1, 3), "NoOp", d, {}, {}});
    const GuessedSidecar g = guess_sidecar(graph, "g");
    return fmt::format("{} {} {} {}: {}", g.servers, g.workers, g.worker, g.sidecar["is_chief"].dump(), g.found.at(0));
  };
  EXPECT_EQ(of({}),
            "0 1 /job:worker/task:0 true: it was built for /job:worker/task:0; no op asks for a parameter server");
  EXPECT_EQ(of({"/job:ps/task:0"}),
            "1 1 /job:worker/task:0 true: it was built for /job:worker/task:0, with 1 parameter server");
  EXPECT_EQ(of({"/job:ps/task:2", "/job:worker/task:1", "/job:worker/task:4"}),
            "3 5 /job:worker/task:1 false: it was built for /job:worker/task:1, with 3 parameter servers");
  EXPECT_EQ(of({"/job:worker/task:0"}),
            "0 1 /job:worker/task:0 true: it was built for /job:worker/task:0; no op asks for a parameter server");
}

TEST(Guess, of_an_initialiser_follows_groups_eight_deep) {
  const auto init = [](int deep) {
    GraphSpec graph{{{"v", "VariableV2", "", {}, {}}, {"v/Assign", "Assign", "", {"v"}, {}}}};
    std::string last = "v/Assign";
    for (int i = 0; i <= deep; ++i) {
      graph.nodes.push_back({fmt::format("g{}", i), "NoOp", "", {"^" + last}, {}});
      last = graph.nodes.back().name;
    }
    return guess_sidecar(graph, "g").sidecar["session"].value("init_op", "");
  };
  EXPECT_EQ(init(0), "g0");
  EXPECT_EQ(init(8), "g8") << "of two that initialise as many the last";
  EXPECT_EQ(init(9), "g8");
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

// Whether the step is the node that waits for this one, and else nothing.
bool is_trained_by(const NodeSpec& n, std::vector<FunctionSpec> functions = {}) {
  GraphSpec graph{.nodes = {{"v", "VarHandleOp"}, n, {"train", "NoOp", "", {"^" + n.name}, {}}}};
  graph.functions = std::move(functions);
  const Json targets = Json::parse(guess_sidecar(graph, "g").sidecar["targets"].dump());
  EXPECT_TRUE(targets.empty() || targets == Json({"train"})) << targets;
  return !targets.empty();
}
FunctionSpec function_of(const char* name, NodeSpec body) {
  FunctionSpec f;
  f.signature.name = name;
  f.nodes = {std::move(body)};
  return f;
}

TEST(Guess, finds_training_by_scattered_rows_and_in_functions) {
  EXPECT_TRUE(is_trained_by({"rows", "ResourceScatterAdd", "", {"v"}, {}}));
  EXPECT_FALSE(is_trained_by({"rows", "ResourceGather", "", {"v"}, {}}));
  const FunctionSpec inner = function_of("inner", {"sgd", "ResourceApplyGradientDescent"}),
                     outer = function_of("outer", {"c", "PartitionedCall", "", {}, {{"f", FuncRef{"inner", nullptr}}}});
  const NodeSpec cond{"c", "If", "", {"v"}, {{"then_branch", FuncRef{"outer", nullptr}}}};
  EXPECT_TRUE(is_trained_by(cond, {outer, inner}));
  EXPECT_FALSE(is_trained_by(cond, {outer}));
  EXPECT_TRUE(is_trained_by({"c", "inner", "", {"v"}, {}}, {inner}));
}

}  // namespace
}  // namespace tarry
