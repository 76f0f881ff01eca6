// The rows of docs/rules/runtime.md#I.6 and #I.7 that speak of graphs and steps; those that speak of one accumulator
// are in workers/state/accumulator_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Feeds = std::map<std::string, TensorRef>;

constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

NodeSpec placeholder(const std::string& name, DataType type) {
  return {name, "Placeholder", "", {}, {{"dtype", type}}};
}
Attrs accumulator_attrs(const char* reduction = "MEAN", DataType type = DataType::kFloat,
                        const std::string& shared = "") {
  return {{"dtype", type},
          {"shape", Shape::unknown()},
          {"container", ""},
          {"shared_name", shared},
          {"reduction_type", reduction}};
}
std::string step_name(const std::string& of) { return of + "/step"; }

// An accumulator "a", and the ops around it: a/apply (feeds a/step, a/gradient), a/take (a/required), a/count, a/set
// (a/step).
std::vector<NodeSpec> dense_nodes(const std::string& a, const Attrs& attrs = accumulator_attrs()) {
  const DataType type = *attrs.get<DataType>("dtype");
  return {{a, "ConditionalAccumulator", "", {}, attrs},
          placeholder(step_name(a), DataType::kInt64),
          placeholder(a + "/gradient", type),
          placeholder(a + "/required", DataType::kInt32),
          {a + "/apply", "AccumulatorApplyGradient", "", {a, step_name(a), a + "/gradient"}, {{"dtype", type}}},
          {a + "/take", "AccumulatorTakeGradient", "", {a, a + "/required"}, {{"dtype", type}}},
          {a + "/count", "AccumulatorNumAccumulated", "", {a}, {}},
          {a + "/set", "AccumulatorSetGlobalStep", "", {a, step_name(a)}, {}}};
}
std::vector<NodeSpec> sparse_nodes(const std::string& a) {
  return {{a, "SparseConditionalAccumulator", "", {}, accumulator_attrs()},
          placeholder(step_name(a), DataType::kInt64),
          placeholder(a + "/indices", DataType::kInt64),
          placeholder(a + "/values", DataType::kFloat),
          placeholder(a + "/shape", DataType::kInt64),
          placeholder(a + "/required", DataType::kInt32),
          {a + "/apply",
           "SparseAccumulatorApplyGradient",
           "",
           {a, step_name(a), a + "/indices", a + "/values", a + "/shape"},
           {{"dtype", DataType::kFloat}, {"has_known_shape", false}}},
          {a + "/take", "SparseAccumulatorTakeGradient", "", {a, a + "/required"}, {{"dtype", DataType::kFloat}}},
          {a + "/count", "AccumulatorNumAccumulated", "", {a}, {}}};
}

struct Steps {
  std::unique_ptr<DirectSession> session;

  explicit Steps(std::vector<NodeSpec> nodes, const std::vector<NodeSpec>& more = {}) {
    nodes.insert(nodes.end(), more.begin(), more.end());
    auto made = DirectSession::create({nodes}, {kCpu});
    check(made.ok(), std::string(text_of(made.status())).c_str());
    session = *std::move(made);
  }
  Status run(const std::string& target, const Feeds& feeds = {}) {
    return session->run({.feeds = feeds, .fetches = {}, .targets = {target}}).status();
  }
  TensorRef fetch(const std::string& tensor, const Feeds& feeds = {}) {
    const auto all = session->run({.feeds = feeds, .fetches = {tensor}, .targets = {}});
    check(all.ok(), std::string(text_of(all.status())).c_str());
    return all->front();
  }
  Status apply(const std::string& a, float gradient, std::int64_t step = 0) {
    return run(a + "/apply", {{step_name(a) + ":0", make_scalar(step)}, {a + "/gradient:0", make_scalar(gradient)}});
  }
  float take(const std::string& a, std::int32_t required) {
    return fetch(a + "/take:0", {{a + "/required:0", make_scalar(required)}})->as<float>()[0];
  }
  std::int32_t count(const std::string& a) { return fetch(a + "/count:0")->as<std::int32_t>()[0]; }
};

std::string refusal(const Attrs& attrs) {
  auto made = DirectSession::create({dense_nodes("a", attrs)}, {kCpu});
  return made.ok() ? "ok" : std::string(text_of(made.status()));
}

// ---- docs/rules/runtime.md#I.6 ----

TEST(AccumulatorRows, testConstructor) {
  const Steps s(dense_nodes("a"));
  const Graph& g = **s.session->placed();
  const Attrs& attrs = g.node(g.find("a")).attrs;
  EXPECT_EQ(*attrs.get<DataType>("dtype"), DataType::kFloat);
  EXPECT_EQ(*attrs.get<Shape>("shape"), Shape::unknown());
  EXPECT_EQ(*attrs.get<std::string>("reduction_type"), "MEAN");
  EXPECT_EQ(*attrs.get<std::string>("container"), "");
}
TEST(AccumulatorRows, testConstructorWithInvalidArg) {
  EXPECT_THAT(refusal(accumulator_attrs("Invalid")), HasSubstr("Invalid"));
  EXPECT_EQ(refusal(accumulator_attrs("SUM")), "ok");
}
TEST(AccumulatorRows, testAccumulatorSizeAfterApplyGradAndTakeGrad) {
  Steps s(dense_nodes("a"));
  EXPECT_EQ(s.count("a"), 0);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(s.apply("a", 10), Status());
    EXPECT_EQ(s.count("a"), i);
  }
  (void)s.take("a", 2);
  EXPECT_EQ(s.count("a"), 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(s.apply("a", 10, 1), Status());
  (void)s.take("a", 2);
  EXPECT_EQ(s.count("a"), 0);  // it takes everything
}
TEST(AccumulatorRows, testAccumulatorApplyGradFloat32) {
  Steps s(dense_nodes("a"));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(s.apply("a", static_cast<float>(i)), Status());
  EXPECT_EQ(s.take("a", 10), 4.5F);
}
TEST(AccumulatorRows, testDtypes) {
  Steps s(dense_nodes("a", accumulator_attrs("MEAN", DataType::kDouble)));
  for (const double g : {1.0, 2.0})
    EXPECT_EQ(s.run("a/apply", {{"a/step:0", make_scalar(std::int64_t{0})}, {"a/gradient:0", make_scalar(g)}}),
              Status());
  EXPECT_EQ(s.fetch("a/take:0", {{"a/required:0", make_scalar(2)}})->as<double>()[0], 1.5);
}
TEST(AccumulatorRows, testAccumulatorMultipleAccumulators) {
  Steps s(dense_nodes("a"), dense_nodes("b"));
  EXPECT_EQ(s.apply("a", 10), Status());
  EXPECT_EQ(s.apply("b", 20), Status());
  EXPECT_EQ(s.take("a", 1), 10);
  EXPECT_EQ(s.take("b", 1), 20);
}
TEST(AccumulatorRows, accumulators_of_one_shared_name_are_one) {
  Steps s(dense_nodes("a", accumulator_attrs("MEAN", DataType::kFloat, "both")),
          dense_nodes("b", accumulator_attrs("MEAN", DataType::kFloat, "both")));
  EXPECT_EQ(s.apply("a", 10), Status());
  EXPECT_EQ(s.count("b"), 1);
}
TEST(AccumulatorRows, testAccumulatorTakeGradMean) {
  Steps s(dense_nodes("a"));
  for (const float g : {10.F, 20.F}) EXPECT_EQ(s.apply("a", g), Status());
  EXPECT_EQ(s.take("a", 2), 15);
}
TEST(AccumulatorRows, testAccumulatorTakeGradSum) {
  Steps s(dense_nodes("a", accumulator_attrs("SUM")));
  for (const float g : {10.F, 20.F}) EXPECT_EQ(s.apply("a", g), Status());
  EXPECT_EQ(s.take("a", 2), 30);
}
class RepeatedTakes : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(AccumulatorRows, RepeatedTakes, ::testing::Values("MEAN", "SUM"));
TEST_P(RepeatedTakes, testAccumulatorRepeatedTakeGrad) {
  Steps s(dense_nodes("a", accumulator_attrs(GetParam())));
  for (std::int64_t round = 0; round < 2; ++round) {
    for (const float g : {10.F, 20.F}) EXPECT_EQ(s.apply("a", g + 100 * static_cast<float>(round), round), Status());
    EXPECT_EQ(s.take("a", 2), (15 + 100 * static_cast<float>(round)) * (std::string(GetParam()) == "SUM" ? 2 : 1));
  }
}
TEST(AccumulatorRows, testAccumulatorInvalidTakeGrad) {
  Steps s(dense_nodes("a"));
  EXPECT_THAT(std::string(text_of(
                  s.session->run({.feeds = {{"a/required:0", make_scalar(-1)}}, .fetches = {"a/take:0"}, .targets = {}})
                      .status())),
              HasSubstr("Argument num_required must be positive, but was -1"));
}
TEST(AccumulatorRows, testAccumulatorSetGlobalStep) {
  Steps s(dense_nodes("a"));
  EXPECT_EQ(s.run("a/set", {{"a/step:0", make_scalar(std::int64_t{1})}}), Status());
  EXPECT_EQ(s.apply("a", 10, 0), Status());
  EXPECT_EQ(s.count("a"), 0);  // it is stale now
}
TEST(AccumulatorRows, testAccumulatorIncrementGlobalStep) {
  const Attrs int64{{"T", DataType::kInt64}};
  auto one =
      std::make_shared<TensorSpec>(TensorSpec{DataType::kInt64, Shape(), std::string("\1\0\0\0\0\0\0\0", 8), {}});
  Steps s(dense_nodes("a"),
          {{"one", "Const", "", {}, {{"dtype", DataType::kInt64}, {"value", std::shared_ptr<const TensorSpec>(one)}}},
           {"v", "VariableV2", "", {}, {{"dtype", DataType::kInt64}, {"shape", Shape()}}},
           {"init", "Assign", "", {"v", "one"}, int64},
           {"more", "AssignAdd", "", {"v", "one"}, int64},
           {"increment", "AccumulatorSetGlobalStep", "", {"a", "more"}, {}}});
  EXPECT_EQ(s.run("init"), Status());
  for (std::int64_t step = 2; step < 5; ++step) {
    EXPECT_EQ(s.run("increment"), Status());
    EXPECT_EQ(s.apply("a", 1, step - 1), Status());
    EXPECT_EQ(s.count("a"), 0) << step;
  }
  EXPECT_EQ(s.apply("a", 1, 4), Status());
  EXPECT_EQ(s.count("a"), 1);
}
TEST(AccumulatorRows, testAccumulatorCancel) {
  Steps s(dense_nodes("a"));
  const auto r = s.session->run(
      {.feeds = {{"a/required:0", make_scalar(3)}}, .fetches = {"a/take:0"}, .targets = {}, .timeout_ms = 10});
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(s.apply("a", 10), Status());
  EXPECT_EQ(s.take("a", 1), 10);  // the take that was given up is out of the way
}

// ---- docs/rules/runtime.md#I.7 ----

Feeds rows_fed(const std::vector<std::int64_t>& indices, const std::vector<float>& values, std::int64_t width,
               std::int64_t step = 0) {
  MutableTensor t =
      make_tensor(DataType::kFloat, width == 0 ? Shape({static_cast<std::int64_t>(values.size())})
                                               : Shape({static_cast<std::int64_t>(values.size()) / width, width}));
  std::ranges::copy(values, t->mutable_as<float>().begin());
  return {{"a/step:0", make_scalar(step)},
          {"a/indices:0", make_vector(indices)},
          {"a/values:0", t},
          {"a/shape:0", make_vector(std::vector<std::int64_t>{-1, 2})}};
}
Feeds required(std::int32_t n) { return {{"a/required:0", make_scalar(n)}}; }
std::vector<float> floats_of(const TensorRef& t) { return {t->as<float>().begin(), t->as<float>().end()}; }

TEST(SparseAccumulatorRows, testAccumulatorSizeEmpty) {
  Steps s(sparse_nodes("a"));
  EXPECT_EQ(s.count("a"), 0);
  EXPECT_EQ(s.run("a/apply", rows_fed({0, 2}, {1, 0, 0, 1}, 2)), Status());
  EXPECT_EQ(s.count("a"), 1);
}
TEST(SparseAccumulatorRows, testAccumulatorTakeGrad) {
  Steps s(sparse_nodes("a"));
  EXPECT_EQ(s.run("a/apply", rows_fed({0, 1}, {1, 0, 0, 2}, 2)), Status());
  EXPECT_EQ(s.run("a/apply", rows_fed({0, 2}, {0, 1, 3, 0}, 2)), Status());
  const auto all =
      s.session->run({.feeds = required(2), .fetches = {"a/take:0", "a/take:1", "a/take:2"}, .targets = {}});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(integers_of(*(*all)[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(floats_of((*all)[1]), ElementsAre(.5, .5, 0, 2, 3, 0));
  EXPECT_THAT(integers_of(*(*all)[2]), ElementsAre(-1, 2));
}
TEST(SparseAccumulatorRows, testParallelApplyGrad) {
  Steps s(sparse_nodes("a"));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(s.run("a/apply", rows_fed({0}, {static_cast<float>(i), 1}, 2)), Status());
  EXPECT_THAT(floats_of(s.fetch("a/take:1", required(10))), ElementsAre(4.5, 1));
}
TEST(SparseAccumulatorRows, testEmptyShapeApply) {  // a scalar is given as a row of its own
  Steps s(sparse_nodes("a"));
  EXPECT_EQ(s.run("a/apply", rows_fed({0}, {1}, 0)), Status());
  EXPECT_THAT(floats_of(s.fetch("a/take:1", required(1))), ElementsAre(1));
}
TEST(SparseAccumulatorRows, testNonVectorIndices) {
  Steps s(sparse_nodes("a"));
  Feeds feeds = rows_fed({0}, {1, 2}, 2);
  feeds["a/indices:0"] = make_tensor(DataType::kInt64, Shape({1, 1}));
  EXPECT_THAT(std::string(text_of(s.run("a/apply", feeds))),
              HasSubstr("Input indices should be vector but received shape: [1,1]"));
}
TEST(SparseAccumulatorRows, testZeroDimensionValues) {
  Steps s(sparse_nodes("a"));
  Feeds feeds = rows_fed({0}, {1, 2}, 2);
  feeds["a/values:0"] = make_scalar(1.0F);
  EXPECT_THAT(std::string(text_of(s.run("a/apply", feeds))), HasSubstr("Values cannot be 0-dimensional."));
}
TEST(SparseAccumulatorRows, testAccumulatorCancel) {
  Steps s(sparse_nodes("a"));
  EXPECT_FALSE(s.session->run({.feeds = required(3), .fetches = {"a/take:1"}, .targets = {}, .timeout_ms = 10}).ok());
  EXPECT_EQ(s.run("a/apply", rows_fed({0}, {1, 2}, 2)), Status());
  EXPECT_THAT(floats_of(s.fetch("a/take:1", required(1))), ElementsAre(1, 2));
}

}  // namespace
}  // namespace tarry
