// What a step keeps for itself, and staging areas, as a session sees them. What is expected was seen of TensorFlow
// 2.15.1.

#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

// "ok", or what is wrong, where these nodes run in one step.
std::string run(std::vector<NodeSpec> nodes, const std::vector<std::string>& targets) {
  const auto session = *DirectSession::create({std::move(nodes)}, {"/job:localhost/replica:0/task:0/device:CPU:0"}, {});
  const auto got = session->run({.feeds = {}, .fetches = {}, .targets = targets});
  const std::string all(text_of(got.status()));
  return got.ok() ? "ok" : all.substr(0, all.find("\n\t [["));
}

NodeSpec temporary(const char* name, const char* variable) {
  return {name,
          "TemporaryVariable",
          "",
          {},
          {{"dtype", DataType::kFloat}, {"shape", Shape({2})}, {"var_name", std::string(variable)}}};
}
NodeSpec end_of(const char* name, const char* of, const char* variable) {
  return {name, "DestroyTemporaryVariable", "", {of}, {{"T", DataType::kFloat}, {"var_name", std::string(variable)}}};
}

TEST(TemporaryVariable, of_a_name_is_once_in_a_step) {
  const std::string once = "Resource __per_step_1/t/frame:0/iter:0/N10tensorflow19TemporaryVariableOp6TmpVarE";
  EXPECT_EQ(run({temporary("a", "t"), temporary("b", "u")}, {"a", "b"}), "ok");
  EXPECT_EQ(run({temporary("a", "t"), temporary("b", "t")}, {"a", "b"}), once);
  EXPECT_EQ(run({temporary("a", "t"), end_of("b", "a", "t")}, {"b"}), "ok");
  EXPECT_EQ(run({temporary("a", "u"), end_of("b", "a", "t")}, {"b"}), once + " does not exist.");
}

NodeSpec of_area(const char* name, const char* op, std::vector<std::string> inputs) {
  return {name,
          op,
          "",
          std::move(inputs),
          {{"dtypes", AttrList{.type = {DataType::kFloat}}},
           {"capacity", std::int64_t{1}},
           {"memory_limit", std::int64_t{0}},
           {"container", std::string()},
           {"shared_name", std::string("area")}}};
}

// The second has no room until the first is gone.
TEST(StagingArea, that_is_cleared_has_room_for_who_waits) {
  const TensorSpec one{.dtype = DataType::kFloat, .content = std::string(4, '\0')};
  const std::vector<NodeSpec> nodes = {
      {"one", "Const", "", {}, {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(one)}}},
      of_area("first", "Stage", {"one"}),
      of_area("second", "Stage", {"one", "^first"}),
      of_area("clear", "StageClear", {"^first"})};
  EXPECT_EQ(run(nodes, {"second", "clear"}), "ok");
}

}  // namespace
}  // namespace tarry
