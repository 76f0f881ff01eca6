#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/executor/one_cpu_test.hpp"

namespace tarry {
namespace {

using namespace one_cpu;

TEST(Executor, adds_what_it_receives) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.put("b", make_scalar(1.0F));
  EXPECT_EQ(b.run({recv("a", "a"), recv("b", "b"), node("Add", "c", {"a", "b"}), send("c", "c")}), Status());
  EXPECT_EQ(value_of(b.take("c")), 2.0F);
}

TEST(Executor, ten_doublings_of_one_make_1024) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  std::vector<NodeSpec> nodes{recv("n0", "a")};
  for (int i = 1; i <= 10; ++i)
    nodes.push_back(node("Add", fmt::format("n{}", i), {nodes.back().name, nodes.back().name}));
  nodes.push_back(send("n10", "c"));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(value_of(b.take("c")), 1024.0F);
}

// docs/rules/runtime.md#I.4, RandomTree.
TEST(Executor, a_random_tree_of_4096_ones_adds_up) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  std::vector<NodeSpec> nodes{recv("a", "a")};
  std::vector<std::string> open;
  for (int i = 0; i < 4096; ++i)
    nodes.push_back(node("Identity", fmt::format("leaf{}", i), {"a"})), open.push_back(nodes.back().name);
  for (Random draw(7); open.size() > 1;) {
    std::swap(open[draw.next() % open.size()], open.back());
    const std::string one = open.back();
    open.pop_back();
    std::string& other = open[draw.next() % open.size()];
    nodes.push_back(node("Add", fmt::format("sum{}", nodes.size()), {one, other}));
    other = nodes.back().name;
  }
  nodes.push_back(send(open[0], "c"));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(value_of(b.take("c")), 4096.0F);
}

// docs/rules/runtime.md#I.4, ConcurrentAddAssign: 1024 times v = v + 1, unordered; updates may be lost, none is made
// up.
TEST(Executor, racing_assignments_may_lose_updates_and_invent_none) {
  Bench b;
  const NodeSpec v = node("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}});
  b.put("one", make_scalar(1.0F));
  EXPECT_EQ(b.run({v, recv("one", "one"), node("Assign", "init", {"v", "one"})}), Status());
  b.put("step", make_scalar(1.0F));
  std::vector<NodeSpec> nodes{v, recv("step", "step")};
  for (int i = 0; i < 1024; ++i) {
    nodes.push_back(node("Add", fmt::format("add{}", i), {"v", "step"}));
    nodes.push_back(node("Assign", fmt::format("set{}", i), {"v", nodes.back().name}));
  }
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(b.run({v, node("Identity", "i", {"v"}), send("i", "c")}), Status());
  const float sum = value_of(b.take("c"));
  EXPECT_GE(sum, 2.0F);
  EXPECT_LE(sum, 1025.0F);
}

// docs/rules/runtime.md#I.4, NoInputTensors.
TEST(Executor, a_lone_constant_runs) {
  Bench b;
  auto one = std::make_shared<TensorSpec>();
  one->dtype = DataType::kFloat;
  EXPECT_EQ(
      b.run(
          {{"c", "Const", kCpu, {}, {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(one)}}}}),
      Status());
  EXPECT_EQ(b.env.now(), 0);
}

TEST(Executor, a_constant_that_has_a_price_takes_its_time) {
  Bench b;
  b.env.cost_by_node["c"] = 30;
  auto one = std::make_shared<TensorSpec>();
  one->dtype = DataType::kFloat;
  EXPECT_EQ(
      b.run(
          {{"c", "Const", kCpu, {}, {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(one)}}}}),
      Status());
  EXPECT_EQ(b.env.now(), 30);
}

// docs/rules/runtime.md#I.4, Abort: what waits in the rendezvous, and what asks later, gets the reason.
TEST(Executor, an_aborted_step_ends_with_the_reason_and_so_do_later_receives) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.env.after(100, [&] { b.table.abort(error(Code::kAborted, "gone")); });
  const auto s = b.run({recv("a", "a"), recv("d", "d"), node("Add", "x", {"a", "d"}), send("x", "c")});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->code(), Code::kAborted);
  EXPECT_EQ(b.env.now(), 100);
  std::optional<Code> later;
  b.table.receive(b.key("c"), nullptr, [&](StatusOr<Received> r) { later = r.status().code(); });
  EXPECT_EQ(later, Code::kAborted);
}

class Switches : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Executor, Switches, ::testing::Bool());

TEST_P(Switches, the_output_not_taken_is_dead_and_its_receiver_hears_so) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.put("p", make_scalar(GetParam()));
  EXPECT_EQ(b.run({recv("a", "a"), recv("p", "p", DataType::kBool), node("Switch", "s", {"a", "p"}),
                   node("Identity", "i", {"s"}), send("i", "c")}),
            Status());
  EXPECT_EQ(b.take("c").is_dead, GetParam());
}

TEST_P(Switches, a_merge_takes_the_live_branch_and_says_which) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.put("p", make_scalar(GetParam()));
  EXPECT_EQ(b.run({recv("a", "a"), recv("p", "p", DataType::kBool), node("Switch", "s", {"a", "p"}),
                   node("Neg", "no", {"s"}), node("Square", "yes", {"s:1"}),
                   node("Merge", "m", {"no", "yes"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}), send("m", "c"),
                   send("m:1", "i", DataType::kInt32)}),
            Status());
  EXPECT_EQ(value_of(b.take("c")), GetParam() ? 1.0F : -1.0F);
  EXPECT_EQ(b.take("i").tensor->as<std::int32_t>()[0], GetParam() ? 1 : 0);
}

TEST(Executor, a_merge_of_dead_inputs_is_dead) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.put("p", make_scalar(true));
  EXPECT_EQ(b.run({recv("a", "a"), recv("p", "p", DataType::kBool), node("Switch", "s", {"a", "p"}),
                   node("Neg", "x", {"s"}), node("Neg", "y", {"s"}),
                   node("Merge", "m", {"x", "y"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}), send("m", "c")}),
            Status());
  EXPECT_TRUE(b.take("c").is_dead);
}

TEST(Executor, a_control_edge_from_a_dead_node_deadens) {
  Bench b;
  b.put("a", make_scalar(1.0F));
  b.put("p", make_scalar(true));
  EXPECT_EQ(b.run({recv("a", "a"), recv("p", "p", DataType::kBool), node("Switch", "s", {"a", "p"}),
                   node("Identity", "i", {"s"}), node("Identity", "j", {"a", "^i"}), send("j", "c")}),
            Status());
  EXPECT_TRUE(b.take("c").is_dead);
}

TEST(Executor, a_wrong_type_ends_the_step_and_names_the_node_once) {
  Bench b;
  b.put("a", make_scalar(1.0));
  const auto s = b.run({recv("a", "a"), send("a", "c"), recv("never", "never")});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->code(), Code::kInternal);
  EXPECT_EQ(text_of(*s), "Output 0 of type double does not match declared output type float for node {{node a}}");
  EXPECT_EQ(b.table_code("another"),
            Code::kInternal);  // docs/rules/runtime.md#I.4, RecvInvalidDtype: what asks for another key hears of it too
}

// docs/rules/runtime.md#I.4, RecvInvalidRefDtype.
TEST(Executor, a_reference_to_another_type_ends_the_step_and_what_waits_hears_of_it) {
  Bench b;
  const auto shared = [](const char* name, DataType type) {
    return node("VariableV2", name, {}, {{"dtype", type}, {"shape", Shape()}, {"shared_name", "v"}});
  };
  b.put("a", make_scalar(1.0));
  EXPECT_EQ(b.run({shared("double", DataType::kDouble), recv("a", "a", DataType::kDouble),
                   node("Assign", "set", {"double", "a"}, {{"T", DataType::kDouble}})}),
            Status());
  const auto s = b.run({shared("float", DataType::kFloat), node("Neg", "n", {"float"}), send("n", "c")});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->code(), Code::kInternal);
  EXPECT_EQ(text_of(*s),
            "Output 0 of type double_ref does not match declared output type float_ref for node {{node float}}");
  EXPECT_EQ(b.table_code("c"), Code::kInternal);
}

TEST(Executor, an_uninitialized_variable_is_an_error_with_its_name) {
  Bench b;
  const auto s =
      b.run({node("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}), node("Neg", "n", {"v"})});
  ASSERT_TRUE(s);
  EXPECT_EQ(text_of(*s), "Attempting to use uninitialized value v\n\t [[{{node n}}]]");
}

TEST(Executor, an_uninitialized_variable_is_called_as_the_input_that_brings_it) {
  Bench b;
  b.put("p", make_scalar(true));
  const auto s =
      b.run({node("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}, {"shared_name", "all"}}),
             recv("p", "p", DataType::kBool), node("RefSwitch", "sw", {"v", "p"}), node("Neg", "n", {"sw:1"})});
  ASSERT_TRUE(s);
  EXPECT_EQ(text_of(*s), "Attempting to use uninitialized value sw:1\n\t [[{{node n}}]]");
}

TEST(Executor, a_variable_of_no_elements_has_its_value_from_the_start) {
  Bench b;
  EXPECT_EQ(b.run({node("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", Shape({0, 2})}}),
                   node("Neg", "n", {"v"}), send("n", "c")}),
            Status());
  EXPECT_EQ(b.take("c").tensor->shape(), Shape({0, 2}));
}

const Attrs kNamedVariable = {{"dtype", DataType::kFloat}, {"shape", Shape()}, {"shared_name", "v"}};

// A handle that left its device has lost its object, one that was fed never had one.
TEST(Executor, a_handle_that_came_from_elsewhere_is_an_error_that_names_what_it_means) {
  Bench b;
  EXPECT_EQ(b.run({node("VarHandleOp", "v", {}, kNamedVariable), send("v", "v", DataType::kResource)}), Status());
  b.put("moved", b.take("v").tensor);
  b.host.device = "/job:localhost/replica:0/task:0/device:GPU:0";
  const auto read = [](const char* handle) {
    return node("ReadVariableOp", "read", {handle}, {{"dtype", DataType::kFloat}});
  };
  EXPECT_EQ(b.run({recv("handle", "moved", DataType::kResource), read("handle")}),
            invalid("Trying to access resource v located in device {} from device {}\n\t [[{{{{node read}}}}]]", kCpu,
                    b.host.device));
  Bench other;
  other.put("fed", make_tensor(DataType::kResource, Shape()));
  EXPECT_EQ(other.run({recv("handle", "fed", DataType::kResource), read("handle")}),
            invalid("Trying to access resource  located in device  from device {}\n\t [[{{{{node read}}}}]]", kCpu));
}

TEST(Executor, a_handle_of_another_kind_is_an_error_that_names_both) {
  Bench b;
  const NodeSpec v = node("VarHandleOp", "v", {}, kNamedVariable);
  EXPECT_EQ(b.run({v, node("QueueSizeV2", "n", {"v"}, {})}),
            invalid("Trying to access a handle's resource using the wrong type. The handle points to a resource (name "
                    "'v') of type 'tensorflow::Var' but you are trying to access the resource as type "
                    "'tensorflow::QueueInterface'\n\t [[{{{{node n}}}}]]"));
}

TEST(Executor, a_receive_that_nobody_serves_hangs_the_step) {
  Bench b;
  EXPECT_EQ(b.run({recv("a", "a"), send("a", "c")}), std::nullopt);
}

TEST(Executor, a_priced_node_takes_its_time_and_its_successors_wait) {
  Bench b;
  b.env.cost_by_node["n"] = 5;
  b.put("a", make_scalar(1.0F));
  EXPECT_EQ(b.run({recv("a", "a"), node("Neg", "n", {"a"}), send("n", "c")}), Status());
  EXPECT_EQ(b.env.now(), 5);
  EXPECT_EQ(value_of(b.take("c")), -1.0F);
}

// Bug 1 of the hunt programs.any_parallel_iterations: the step ended twice.
TEST(Executor, a_priced_receive_that_is_served_at_once_ends_the_step_once) {
  Bench b;
  b.env.cost_by_node["r"] = 5;
  b.put("a", make_scalar(1.0F));
  EXPECT_EQ(b.run({recv("r", "a")}), Status());
}

TEST(Executor, a_variable_outlives_the_step_that_assigned_it) {
  Bench b;
  const NodeSpec v = node("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}});
  b.put("a", make_scalar(3.0F));
  EXPECT_EQ(b.run({v, recv("a", "a"), node("Assign", "set", {"v", "a"})}), Status());
  EXPECT_EQ(b.run({v, node("Identity", "i", {"v"}), send("i", "c")}), Status());
  EXPECT_EQ(value_of(b.take("c")), 3.0F);
}

}  // namespace
}  // namespace tarry
