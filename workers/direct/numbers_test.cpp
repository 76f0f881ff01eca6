// Numbers as a session's kernels see them, where TensorFlow's differ from the processor's usual ones (seen in 2.15.1).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOneCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

NodeSpec input_node(const char* name, DataType type = DataType::kFloat) {
  return {name, "Placeholder", "", {}, {{"dtype", type}}};
}
TensorRef numbers(const Dims& dims, const std::vector<float>& values) {
  MutableTensor t = make_tensor(DataType::kFloat, Shape(dims));
  std::ranges::copy(values, t->mutable_as<float>().begin());
  return t;
}

// What one op makes of fed inputs "x", "y", "z".
StatusOr<TensorRef> made_by(const char* op, const std::vector<TensorRef>& inputs, const Attrs& attrs) {
  std::vector<NodeSpec> nodes;
  NodeSpec node{"made", op, "", {}, attrs};
  std::map<std::string, TensorRef> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name(1, static_cast<char>('x' + i));
    nodes.push_back(input_node(name.c_str(), inputs[i]->dtype()));
    node.inputs.push_back(name);
    feeds[name + ":0"] = inputs[i];
  }
  nodes.push_back(node);
  const auto session = *DirectSession::create({nodes}, {kOneCpu});
  TARRY_ASSIGN(const auto fetched, session->run({.feeds = feeds, .fetches = {"made:0"}, .targets = {}}));
  return fetched.front();
}
std::vector<float> floats_made_by(const char* op, const std::vector<TensorRef>& inputs, const Attrs& attrs) {
  const auto made = made_by(op, inputs, attrs);
  EXPECT_TRUE(made.ok()) << text_of(made.status());
  return {(*made)->as<float>().begin(), (*made)->as<float>().end()};
}

const Attrs kOfFloats{{"T", DataType::kFloat}};
const float kNan = std::numeric_limits<float>::quiet_NaN(), kLowest = std::numeric_limits<float>::lowest();

TEST(Numbers, next_to_zero_are_zero) {
  EXPECT_THAT(floats_made_by("Mul", {numbers({2}, {1.5e-38F, 4e-38F}), numbers({}, {0.5F})}, kOfFloats),
              ElementsAre(0.0F, 2e-38F));
  const auto above = made_by("Greater", {numbers({2}, {1e-40F, 2e-38F}), numbers({}, {0.0F})}, kOfFloats);
  EXPECT_THAT((*above)->as<bool>(), ElementsAre(false, true));
}
TEST(Numbers, next_to_zero_stay_where_nothing_computes_with_them) {
  EXPECT_THAT(floats_made_by("Identity", {numbers({1}, {1e-40F})}, kOfFloats), ElementsAre(1e-40F));
}
TEST(Numbers, that_are_none_are_not_the_largest_of_a_window) {
  const float infinity = std::numeric_limits<float>::infinity();
  AttrList square;
  square.i = {1, 2, 2, 1};
  const Attrs window{
      {"T", DataType::kFloat}, {"ksize", square}, {"strides", square}, {"padding", std::string("VALID")}};
  EXPECT_THAT(floats_made_by("MaxPool", {numbers({1, 2, 4, 1}, {kNan, -infinity, kNan, 3, kNan, kNan, 2, 1})}, window),
              ElementsAre(kLowest, 3));
}
TEST(Numbers, of_a_segment_replace_what_is_no_number) {
  const Attrs segments{{"T", DataType::kFloat}, {"Tindices", DataType::kInt64}};
  EXPECT_THAT(floats_made_by("SegmentMin", {numbers({3}, {1, kNan, 2}), make_vector(Dims{0, 0, 0})}, segments),
              ElementsAre(2));
  EXPECT_TRUE(
      std::isnan(floats_made_by("SegmentMax", {numbers({2}, {1, kNan}), make_vector(Dims{0, 0})}, segments).front()));
}
TEST(Numbers, of_an_assertion_are_all_told_where_it_asks_for_all) {
  AttrList types;
  types.type = {DataType::kFloat};
  MutableTensor no = make_tensor(DataType::kBool, Shape());
  std::vector<NodeSpec> nodes{input_node("x", DataType::kBool),
                              input_node("y"),
                              {"assert", "Assert", "", {"x", "y"}, {{"T", types}, {"summarize", std::int64_t{-1}}}}};
  const auto session = *DirectSession::create({nodes}, {kOneCpu});
  const auto done =
      session->run({.feeds = {{"x:0", no}, {"y:0", numbers({4}, {1, 2, 3, 4})}}, .fetches = {}, .targets = {"assert"}});
  EXPECT_THAT(std::string(text_of(done.status())), HasSubstr("assertion failed: [1 2 3 4]"));
}

}  // namespace
}  // namespace tarry
