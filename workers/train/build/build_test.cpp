// The parts that built jobs are made of. Whole jobs are held against TensorFlow's in properties/conform/built_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/groups.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NodeSpec op(const std::string& name, const std::string& device = "") { return {name, "NoOp", device, {}, {}}; }
GraphEditor editor(std::vector<NodeSpec> nodes) { return GraphEditor(GraphSpec{std::move(nodes), {}, {}}); }

// ---- names and marks ----

TEST(GraphEditor, new_names_are_numbered_and_keep_clear_of_scopes) {
  GraphEditor g = editor({op("a"), op("b/c")});
  EXPECT_EQ(g.add(op("a")), "a_1");
  EXPECT_EQ(g.add(op("b")), "b_1");
  EXPECT_EQ(g.add(op("d")), "d");
}

// The first one that is free, looked for from the start.
std::string first_free(const GraphEditor& g, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; g.has(name) || !g.names_under(name).empty(); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

RC_GTEST_PROP(GraphEditor, new_names_are_the_first_that_are_free_whatever_was_added_erased_and_moved, ()) {
  const auto any_name = rc::gen::element<std::string>("a", "a_1", "a/b", "a/b_1", "a_1/b", "b", "a/b/a");
  GraphEditor g = editor({op("a")});
  for (int i = 0; i < 40; ++i) {
    const std::string name = *any_name;
    const int what = *rc::gen::inRange(0, 6);
    if (what == 0 && g.has(name)) g.erase(name);
    if (const std::string to = "c" + std::to_string(i); what == 1) g.rename_scope(name, to);
    if (what < 2) continue;
    const std::string expected = first_free(g, name);
    RC_ASSERT(g.unique_name(name) == expected);
    RC_ASSERT(g.add(op(name)) == expected);
  }
}

TEST(GraphEditor, a_control_input_is_marked_while_it_controls) {
  GraphEditor g = editor({op("a")});
  NodeSpec b = op("b");
  b.inputs = {"^a"};
  g.add(b);
  EXPECT_NE(g.at("a").attrs.find(kManualControl), nullptr);
  g.erase("b");
  EXPECT_EQ(g.take().nodes[0].attrs.find(kManualControl), nullptr);
}

TEST(GraphEditor, a_new_name_reaches_inputs_and_colocations) {
  NodeSpec b{"b", "Identity", "", {"s/a:0", "^s/a"}, {{"_class", colocation("s/a")}}};
  GraphEditor g = editor({op("s/a"), b});
  g.rename_scope("s", "t");
  EXPECT_THAT(g.at("b").inputs, ElementsAre("t/a:0", "^t/a"));
  EXPECT_EQ(colocated_with(g.at("b")), "t/a");
}

TEST(GraphEditor, a_new_name_leaves_scopes_alone_whose_names_only_begin_alike) {
  NodeSpec b{"b", "Identity", "", {"s_1/a:0"}, {{"_class", colocation("s_1/a")}}};
  GraphEditor g = editor({op("s/a"), op("s_1/a"), b});
  g.rename_scope("s", "t");
  EXPECT_TRUE(g.has("t/a"));
  EXPECT_TRUE(g.has("s_1/a"));
  EXPECT_THAT(g.at("b").inputs, ElementsAre("s_1/a:0"));
  EXPECT_EQ(colocated_with(g.at("b")), "s_1/a");
}

// ---- groups ----

TEST(Group, of_one_device_is_one_op_there) {
  GraphEditor g = editor({op("a", "/job:ps/task:0"), op("b", "/job:ps/task:0")});
  add_group(g, {"all", "/job:worker/task:0", {"b", "a"}, {}});
  EXPECT_EQ(g.at("all").device, "/job:ps/task:0");
  EXPECT_THAT(g.at("all").inputs, ElementsAre("^a", "^b"));
}

TEST(Group, of_two_devices_has_an_op_on_each_and_one_where_it_was_made) {
  GraphEditor g = editor({op("a", "/job:ps/task:0"), op("b", "/job:ps/task:1")});
  add_group(g, {"all", "/job:worker/task:0/device:GPU:0", {"a", "b"}, {}});
  EXPECT_EQ(g.at("all").device, "/job:worker/task:0/device:GPU:0");
  EXPECT_EQ(g.at("all/NoOp_1").device, "/job:ps/task:1/device:GPU:0");
  EXPECT_THAT(g.at("all").inputs, ElementsAre("^all/NoOp", "^all/NoOp_1"));
}

TEST(Group, taken_out_and_put_in_is_the_same) {
  GraphEditor g = editor({op("a", "/job:ps/task:0"), op("b", "/job:ps/task:1"), op("c")});
  add_group(g, {"all", "", {"a", "b"}, {"c"}});
  const GraphSpec before = GraphEditor(g).take();
  const std::vector<Group> groups = take_groups(g);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].after, ElementsAre("c"));
  add_group(g, groups[0]);
  const GraphSpec after = g.take();
  ASSERT_EQ(after.nodes.size(), before.nodes.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i)
    EXPECT_EQ(after.nodes[i], before.nodes[i]) << before.nodes[i].name;
}

// ---- who gets which variable ----

ModelVariable variable(std::int64_t elements, std::string device) {
  return {"v", DataType::kFloat, Shape({elements}), std::move(device), "", false};
}

std::vector<ModelVariable> variables(const std::vector<std::int64_t>& elements) {
  std::vector<ModelVariable> out;
  for (const std::int64_t e : elements) out.push_back(variable(e, "/job:ps/task:0"));
  return out;
}

std::vector<int> chosen(const std::vector<ModelVariable>& of, int ps, PsStrategy strategy) {
  std::vector<int> out;
  const auto tasks = choose_ps(of, ps, strategy);
  for (const std::optional<int>& task : *tasks) out.push_back(task.value_or(-1));
  return out;
}

TEST(ChoosePs, round_robin_goes_by_count_and_slots_take_no_turn) {
  auto all = variables({1, 1000, 1, 1});
  all[1].slot_of = "v";
  all[2].device = "/job:worker/task:0";
  EXPECT_THAT(chosen(all, 2, PsStrategy::round_robin), ElementsAre(0, -1, -1, 1));
}

TEST(ChoosePs, greedy_takes_the_least_loaded_and_the_first_of_equals) {
  EXPECT_THAT(chosen(variables({10, 3, 3, 5, 1}), 2, PsStrategy::greedy), ElementsAre(0, 1, 1, 1, 0));
}

TEST(ChoosePs, greedy_needs_shapes) {
  EXPECT_THAT(std::string(text_of(choose_ps(variables({-1}), 2, PsStrategy::greedy).status())),
              HasSubstr("Shape [?] is not fully defined"));
}

RC_GTEST_PROP(ChoosePs, greedy_leaves_no_two_servers_further_apart_than_the_largest_variable, ()) {
  const auto elements =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 1000)));
  const int ps = *rc::gen::inRange(1, 6);
  std::vector<std::int64_t> load(static_cast<std::size_t>(ps), 0);
  const auto tasks = chosen(variables(elements), ps, PsStrategy::greedy);
  for (std::size_t i = 0; i < tasks.size(); ++i) load[static_cast<std::size_t>(tasks[i])] += elements[i];
  RC_ASSERT(std::ranges::max(load) - std::ranges::min(load) <= std::ranges::max(elements));
}

// ---- what cannot be built ----

std::string refusal(ClientProgram program) { return std::string(text_of(build_job(program, {.workers = 2}).status())); }

ClientProgram program(const std::string& task, std::vector<NodeSpec> nodes) {
  ClientProgram p{
      .name = "mine", .graph = std::make_shared<const GraphSpec>(GraphSpec{std::move(nodes), {}, {}}), .task = task};
  p.targets = {"train"};
  p.global_step = "global_step";
  return p;
}

TEST(BuildJob, says_which_graph_cannot_be_built_and_why) {
  EXPECT_EQ(refusal(program("one client", {})),
            "cannot build a job from the graph mine: it is one client's for all tasks, not a worker's");
  EXPECT_EQ(refusal(program("/job:worker/task:0", {op("train"), op("far", "/job:worker/task:1/device:CPU:0")})),
            "cannot build a job from the graph mine: op far (NoOp) is on /job:worker/task:1/device:CPU:0: the graph is "
            "one client's for several workers, not one worker's");
  EXPECT_EQ(refusal(program("/job:worker/task:0", {op("train")})),
            "cannot build a job from the graph mine: its training step (train) runs none in place of one optimizer's "
            "apply_gradients with the global step");
  const NodeSpec step{
      "global_step", "VariableV2", "/job:ps/task:0", {}, {{"dtype", DataType::kInt64}, {"shape", Shape()}}};
  const NodeSpec one = constant("one", "", DataType::kInt64, int_tensor(DataType::kInt64, {1}, true));
  EXPECT_EQ(
      refusal(program("/job:worker/task:0",
                      {step, one, {"train", "AssignAdd", "", {"global_step", "one"}, {{"T", DataType::kInt64}}}})),
      "cannot build a job from the graph mine: Must supply at least one variable: train updates none; a graph with "
      "several optimizers, which count their steps apart, can be built with 'protocol: async' only");
}

// ---- another number of servers ----

TEST(SetPs, moves_what_only_an_initial_value_needs_with_its_variable) {
  const std::string ps = "/job:ps/task:0";
  const auto variable = [&](const char* name) {
    return NodeSpec{name, "VariableV2", ps, {}, {{"dtype", DataType::kFloat}, {"shape", Shape({2})}}};
  };
  const auto on_ps = [&](const char* name, const char* op, std::vector<std::string> inputs) {
    return NodeSpec{name, op, ps, std::move(inputs), {{"T", DataType::kFloat}}};
  };
  ClientProgram p = program(
      "/job:worker/task:0",
      {variable("v"), variable("w"), on_ps("v/Assign", "Assign", {"v", "w/read"}), on_ps("w/read", "Identity", {"w"}),
       on_ps("start", "Placeholder", {}), on_ps("cond/Merge", "Identity", {"start"}),
       on_ps("w/Assign", "Assign", {"w", "cond/Merge"}), on_ps("w/kept", "AddV2", {"start", "w/read"}),
       on_ps("v_alone", "Placeholder", {}), on_ps("far", "Placeholder", {})});
  GraphSpec graph = *p.graph;
  graph.nodes.back().device = "/job:ps/task:2";
  p.graph = std::make_shared<const GraphSpec>(graph);
  EXPECT_EQ(text_of(set_ps(p, 2, PsStrategy::round_robin)),
            "op far (Placeholder) on /job:ps/task:2 belongs to no variable, so it cannot be given another parameter "
            "server");
  graph.nodes.pop_back();
  p.graph = std::make_shared<const GraphSpec>(graph);
  ASSERT_EQ(set_ps(p, 2, PsStrategy::round_robin), absl::OkStatus());
  for (const NodeSpec& n : p.graph->nodes)
    EXPECT_EQ(ps_task_of(n.device), n.name.starts_with("v") ? 0 : 1) << n.name << " goes where its variable is";
}

// A group of ops on two servers ends in a NoOp where the worker's ops are.
TEST(SetPs, of_a_graph_that_is_written_for_another_worker_moves_the_same) {
  const auto variable = [](const char* name) {
    return NodeSpec{name, "VariableV2", "/job:ps/task:0", {}, {{"dtype", DataType::kFloat}, {"shape", Shape({2})}}};
  };
  NodeSpec both = op("both", "/job:ps/task:0");
  both.inputs = {"^v", "^w"};
  ClientProgram served = program("/job:worker/task:0",
                                 {op("first", "/job:worker/task:0/device:CPU:0"), variable("v"), variable("w"), both});
  ASSERT_TRUE(serve_as(served, "/job:worker/task:3").ok());
  ClientProgram own = served;
  own.graph = std::make_shared<const GraphSpec>(own_graph(served));
  own.written_for.clear();
  for (ClientProgram* p : {&served, &own}) ASSERT_EQ(set_ps(*p, 2, PsStrategy::round_robin), absl::OkStatus());
  EXPECT_EQ(own_graph(served).nodes, own.graph->nodes);
  EXPECT_THAT(own.graph->nodes, testing::Contains(testing::Field(&NodeSpec::device, HasSubstr("/job:worker/task:3"))));
}

TEST(ServeAs, another_worker_runs_what_is_in_functions_too) {
  ClientProgram p = program("/job:worker/replica:0/task:0", {});
  auto graph = std::make_shared<GraphSpec>(GraphSpec{{op("train", "/job:worker/task:0")}, {}, {}});
  graph->functions.push_back({{.name = "f"}, {op("a", "/job:worker/task:0"), op("b", "/job:ps/task:0")}, {}, {}, {}});
  p.graph = std::move(graph);
  ASSERT_TRUE(serve_as(p, "/job:worker/replica:0/task:1").ok());
  const GraphSpec own = own_graph(p);
  EXPECT_EQ(own.nodes[0].device, "/job:worker/task:1");
  EXPECT_EQ(own.functions[0].nodes[0].device, "/job:worker/task:1");
  EXPECT_EQ(own.functions[0].nodes[1].device, "/job:ps/task:0");
}

}  // namespace
}  // namespace tarry
