// Loops (docs/rules/runtime.md#C.4).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/executor/one_cpu_test.hpp"

namespace tarry {
namespace {

using namespace one_cpu;

NodeSpec constant(std::string name, std::int32_t value) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = DataType::kInt32;
  t->content.assign(reinterpret_cast<const char*>(&value), sizeof value);
  return {std::move(name),
          "Const",
          kCpu,
          {},
          {{"dtype", DataType::kInt32}, {"value", std::shared_ptr<const TensorSpec>(t)}}};
}
const Attrs kInt{{"T", DataType::kInt32}};
const Attrs kMerge{{"T", DataType::kInt32}, {"N", std::int64_t{2}}};
NodeSpec enter(std::string name, std::string input, bool is_constant = false, std::int64_t parallel = 10,
               const std::string& frame = "loop") {
  return node("Enter", std::move(name), {std::move(input)},
              {{"T", DataType::kInt32},
               {"frame_name", frame},
               {"is_constant", is_constant},
               {"parallel_iterations", parallel}});
}

// i = 0; while (i < limit) i += 1; the result is sent as "i".
std::vector<NodeSpec> counting_loop(std::int32_t limit, std::int64_t parallel = 10) {
  return {constant("zero", 0),
          constant("limit", limit),
          constant("one", 1),
          enter("i/enter", "zero", false, parallel),
          enter("limit/enter", "limit", true, parallel),
          enter("one/enter", "one", true, parallel),
          node("Merge", "i", {"i/enter", "i/next"}, kMerge),
          node("Less", "less", {"i", "limit/enter"}, kInt),
          node("LoopCond", "cond", {"less"}, {}),
          node("Switch", "switch", {"i", "cond"}, kInt),
          node("Add", "add", {"switch:1", "one/enter"}, kInt),
          node("NextIteration", "i/next", {"add"}, kInt),
          node("Exit", "exit", {"switch"}, kInt),
          send("exit", "i", DataType::kInt32)};
}
std::int32_t integer_of(const Received& r) { return r.tensor->as<std::int32_t>()[0]; }

class Loops : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Executor, Loops, ::testing::Values(1, 2, 3, 10));

TEST_P(Loops, count_to_their_limit_whatever_runs_in_parallel) {
  for (const std::int32_t limit : {0, 1, 2, 17}) {
    Bench b;
    EXPECT_EQ(b.run(counting_loop(limit, GetParam())), Status());
    EXPECT_EQ(integer_of(b.take("i")), limit);
  }
}

// The invariant comes with each iteration, before or after what the NextIteration brings.
TEST_P(Loops, have_merges_that_take_the_first_by_slot_of_two_live_inputs) {
  Bench b;
  auto nodes = counting_loop(4, GetParam());
  for (const NodeSpec& n :
       {constant("three", 3), enter("x/enter", "three", true, GetParam()),
        node("Merge", "x", {"x/enter", "x/next"}, kMerge), node("Switch", "x/switch", {"x", "cond"}, kInt),
        node("Add", "x/add", {"x/switch:1", "switch:1"}, kInt), node("NextIteration", "x/next", {"x/add"}, kInt),
        node("Exit", "x/exit", {"x/switch"}, kInt), send("x/exit", "x", DataType::kInt32)})
    nodes.push_back(n);
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(integer_of(b.take("i")), 4);
  EXPECT_EQ(integer_of(b.take("x")), 3);
}

// There it comes after the Merge has run: it must not be found by the Merge of a later iteration in the same storage.
TEST(Executor, a_second_live_input_that_comes_too_late_is_dropped_with_its_iteration) {
  Bench b;
  auto nodes = counting_loop(9);
  for (const NodeSpec& n :
       {constant("three", 3), enter("x/enter", "three", true), node("Merge", "x", {"x/late/next", "x/enter"}, kMerge),
        node("Switch", "x/switch", {"x", "cond"}, kInt), node("Add", "x/add", {"x/switch:1", "switch:1"}, kInt),
        node("Identity", "x/slow", {"x/add"}, kInt), node("Identity", "x/slower", {"x/slow"}, kInt),
        node("Identity", "x/late", {"x/slower"}, kInt), node("NextIteration", "x/late/next", {"x/late"}, kInt),
        node("Exit", "x/exit", {"x/switch"}, kInt), send("x/exit", "x", DataType::kInt32)})
    nodes.push_back(n);
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(integer_of(b.take("x")), 3);
}

TEST(Executor, what_a_next_iteration_outside_of_loops_feeds_runs_in_another_iteration_of_the_root) {
  Bench b;
  EXPECT_EQ(b.run({constant("one", 1), node("NextIteration", "later", {"one"}, kInt),
                   node("Add", "sum", {"later", "later"}, kInt), send("sum", "sum", DataType::kInt32)}),
            Status());
  std::optional<std::int32_t> got;
  b.table.receive({b.key("sum"), 0, 1}, nullptr, [&](StatusOr<Received> r) { got = integer_of(*r); });
  EXPECT_EQ(got, 2);
}

TEST(EndlessLoop, ends_with_an_error_when_no_time_passes_in_it) {
  std::vector<NodeSpec> loop = counting_loop(1);
  for (NodeSpec& n : loop)
    if (n.name == "add") n = node("Sub", "add", {"switch:1", "one/enter"}, kInt);  // counts down
  Bench b;
  const Status s = b.run(loop).value();
  EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
  EXPECT_THAT(std::string(text_of(s)),
              testing::HasSubstr("The step ran 5000000 ops while no time passed: it has a loop that never ends"));
}

TEST_P(Loops, hold_no_more_iterations_than_may_run_in_parallel) {
  Bench b;
  EXPECT_EQ(b.run(counting_loop(100'000, GetParam())), Status());
  EXPECT_EQ(integer_of(b.take("i")), 100'000);
  EXPECT_LE(b.executors.back()->iterations_held(), static_cast<std::size_t>(GetParam()) + 2);  // and the root's
}

// A priced body: the counter runs ahead of it by no more than parallel_iterations.
TEST_P(Loops, wait_for_an_iteration_to_retire_before_they_start_one_too_many) {
  Bench b;
  b.env.cost_by_node["work"] = 10;
  auto nodes = counting_loop(20, GetParam());
  nodes.push_back(node("Neg", "work", {"switch:1"}, kInt));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(b.env.now(), (20 + GetParam() - 1) / GetParam() * 10);
}

// Control edges leave a node in the same frame as its values do.
TEST_P(Loops, have_control_consumers_outside_after_the_exit_and_inside_from_the_iteration_that_is_next) {
  Bench b;
  b.env.cost_by_node["add"] = 10;
  b.env.cost_by_node["after"] = 5;
  auto nodes = counting_loop(3, GetParam());
  NodeSpec after = constant("after", 7);
  after.inputs = {"^exit"};
  nodes.push_back(std::move(after));
  nodes.push_back(send("after", "after", DataType::kInt32));
  nodes.push_back(node("Identity", "second", {"i", "^i/next"}, kInt));
  nodes.push_back(send("second", "each", DataType::kInt32));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(b.env.now(), 35);
  EXPECT_EQ(integer_of(b.take("after")), 7);
  for (std::int64_t i = 0; i <= 3; ++i) {
    std::optional<std::int32_t> got;
    b.table.receive({b.key("each"), child_frame_id(0, 0, frame_name_hash("loop")), i}, nullptr,
                    [&](StatusOr<Received> r) { got = integer_of(*r); });
    EXPECT_EQ(got, i == 0 ? std::nullopt : std::optional<std::int32_t>(i));
  }
}

TEST(Executor, a_loop_in_a_branch_not_taken_is_dead_and_so_is_its_exit) {
  Bench b;
  b.put("p", make_scalar(false));
  auto nodes = counting_loop(3);
  nodes[3] = enter("i/enter", "guard:1");
  nodes.push_back(recv("p", "p", DataType::kBool));
  nodes.push_back(node("Switch", "guard", {"zero", "p"}, kInt));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_TRUE(b.take("i").is_dead);
}

TEST(Executor, an_error_in_an_iteration_ends_the_loop_and_names_the_node) {
  Bench b;
  auto nodes = counting_loop(5);
  nodes.push_back(node("FloorDiv", "boom", {"one/enter", "switch:1"}, kInt));  // by i = 0
  const auto s = b.run(nodes);
  ASSERT_TRUE(s);
  EXPECT_EQ(text_of(*s), "Integer division by zero\n\t [[{{node boom}}]]");
}

// What is sent inside a loop goes under a key of its frame and iteration.
TEST(Executor, each_iteration_sends_under_its_own_key) {
  Bench b;
  auto nodes = counting_loop(3);
  nodes.push_back(send("i", "each", DataType::kInt32));
  EXPECT_EQ(b.run(nodes), Status());
  EXPECT_EQ(integer_of(b.take("i")), 3);
  for (std::int64_t i = 0; i <= 3; ++i) {
    const RendezvousKey key{b.key("each"), child_frame_id(0, 0, frame_name_hash("loop")), i};
    std::optional<std::int32_t> got;
    b.table.receive(key, nullptr, [&](StatusOr<Received> r) { got = integer_of(*r); });
    EXPECT_EQ(got, i);
  }
}

// `again` waits for the next iteration of its own, which never comes to the first one: there `chosen` has its value and
// never runs.
TEST_P(Loops, keep_nothing_of_an_iteration_for_those_that_have_its_storage_later) {
  Bench b;
  auto nodes = counting_loop(3, GetParam());
  for (const NodeSpec& n :
       {node("Less", "small", {"switch:1", "one/enter"}, kInt), node("Switch", "s", {"switch:1", "small"}, kInt),
        node("Identity", "again", {"i/next"}, kInt), node("Merge", "chosen", {"s:1", "s", "^again"}, kMerge),
        send("chosen", "each", DataType::kInt32)})
    nodes.push_back(n);
  EXPECT_EQ(b.run(nodes), Status());
  for (const std::int64_t i : {1, 2}) {
    std::optional<std::int32_t> got;
    b.table.receive({b.key("each"), child_frame_id(0, 0, frame_name_hash("loop")), i}, nullptr,
                    [&](StatusOr<Received> r) { got = integer_of(*r); });
    EXPECT_EQ(got, i);
  }
}

TEST_P(Loops, run_again_after_an_error_as_if_it_had_not_been) {
  Bench b;
  auto nodes = counting_loop(4, GetParam());
  nodes.push_back(recv("divisor", "divisor", DataType::kInt32));
  nodes.push_back(enter("divisor/enter", "divisor", true, GetParam()));
  nodes.push_back(node("FloorDiv", "quotient", {"switch:1", "divisor/enter"}, kInt));
  b.put("divisor", make_scalar(std::int32_t{0}));
  EXPECT_EQ(b.run(nodes)->code(), Code::kInvalidArgument);
  b.table = {};  // another step's
  b.put("divisor", make_scalar(std::int32_t{2}));
  EXPECT_EQ(b.run_again(), Status());
  EXPECT_EQ(integer_of(b.take("i")), 4);
  EXPECT_EQ(b.executors.back()->frames_live(), 0u);
}

// Keys recorded from TensorFlow 2.15.1 (frame ids are equal in every process).
TEST(Executor, frame_ids_are_tensorflows) {
  EXPECT_EQ(child_frame_id(0, 0, frame_name_hash("loop/while_context")), 6339987812709914503ULL);
  EXPECT_EQ(child_frame_id(0, 0, frame_name_hash("loop")), 12250576138533019675ULL);
}

}  // namespace
}  // namespace tarry
