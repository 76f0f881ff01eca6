// Variables as a session sees them: shapes and types that an assignment must have (docs/rules/runtime.md#C.10).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const NodeSpec kValue = {"value", "Placeholder", "", {}, {{"dtype", DataType::kFloat}}};
TensorRef zeros(const Dims& dims) { return make_tensor(DataType::kFloat, Shape(dims)); }

class Session {
 public:
  explicit Session(std::vector<NodeSpec> nodes)
      : session_(*DirectSession::create({std::move(nodes)}, {"/job:localhost/replica:0/task:0/device:CPU:0"})) {}
  std::string assign(const std::string& op, const TensorRef& value) {
    const auto done = session_->run({.feeds = {{"value:0", value}}, .fetches = {}, .targets = {op}});
    return done.ok() ? "ok" : std::string(text_of(done.status()));
  }
  StatusOr<std::vector<TensorRef>> fetch(const std::string& tensor, const std::string& also = {}) {
    std::vector<std::string> targets;
    if (!also.empty()) targets.push_back(also);
    return session_->run({.feeds = {}, .fetches = {tensor}, .targets = targets});
  }

 private:
  std::unique_ptr<DirectSession> session_;
};

Session reference(bool validates, const Shape& shape = Shape({2})) {
  return Session({{"v", "VariableV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", shape}}},
                  kValue,
                  {"set", "Assign", "", {"v", "value"}, {{"T", DataType::kFloat}, {"validate_shape", validates}}}});
}
NodeSpec handle(const std::string& name, const std::string& shared, DataType type = DataType::kFloat) {
  return {name, "VarHandleOp", "", {}, {{"dtype", type}, {"shape", Shape::unknown()}, {"shared_name", shared}}};
}
NodeSpec set_handle(const std::string& name, const std::string& variable, bool validates) {
  return {
      name, "AssignVariableOp", "", {variable, "value"}, {{"dtype", DataType::kFloat}, {"validate_shape", validates}}};
}

TEST(Variables, of_references_have_the_declared_shape_before_the_first_assignment) {
  Session s = reference(true);
  EXPECT_THAT(s.assign("set", zeros({3})),
              StartsWith("Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]"));
  EXPECT_EQ(s.assign("set", zeros({2})), "ok");
  EXPECT_THAT(s.assign("set", zeros({2, 1})), HasSubstr("lhs shape= [2] rhs shape= [2,1]"));
}
TEST(Variables, of_an_unknown_rank_are_declared_as_scalars) {
  EXPECT_THAT(reference(true, Shape::unknown()).assign("set", zeros({3})), HasSubstr("lhs shape= [] rhs shape= [3]"));
}
TEST(Variables, take_any_shape_where_it_is_not_validated) {
  Session s = reference(false);
  for (const Dims& dims : {Dims{3}, Dims{}, Dims{2, 1}}) EXPECT_EQ(s.assign("set", zeros(dims)), "ok");
}
// What is fetched shares the variable's storage until the step ends.
TEST(Variables, of_references_are_fetched_as_the_step_leaves_them) {
  const Attrs type = {{"T", DataType::kFloat}};
  Session s({{"v", "VariableV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", Shape({2})}}},
             kValue,
             {"set", "Assign", "", {"v", "value"}, type},
             {"early", "Identity", "", {"v"}, type},
             {"one", "OnesLike", "", {"early"}, type},
             {"add", "AssignAdd", "", {"v", "one"}, type},
             {"both", "NoOp", "", {"^early", "^add"}, {}}});
  ASSERT_EQ(s.assign("set", zeros({2})), "ok");
  const auto fetched = s.fetch("early:0", "both");
  ASSERT_TRUE(fetched.ok());
  EXPECT_THAT((*fetched)[0]->as<float>(), ElementsAre(1, 1));
  ASSERT_TRUE(s.fetch("add:0").ok());
  EXPECT_THAT((*fetched)[0]->as<float>(), ElementsAre(1, 1)) << "a later step changes it";
}
TEST(Variables, of_resources_keep_the_shape_of_the_first_assignment) {
  Session s({handle("v", "v"), kValue, set_handle("set", "v", true), set_handle("free", "v", false)});
  EXPECT_EQ(s.assign("set", zeros({2})), "ok");
  EXPECT_THAT(s.assign("set", zeros({3})),
              StartsWith("Trying to assign to variable with tensor with wrong shape. Expected [2] got [3]"));
  EXPECT_EQ(s.assign("free", zeros({3})), "ok");
}
TEST(Variables, whose_handles_have_no_shared_name_are_one) {
  Session s({handle("v", ""),
             handle("w", "", DataType::kInt64),
             kValue,
             set_handle("set", "v", false),
             {"read", "ReadVariableOp", "", {"w"}, {{"dtype", DataType::kInt64}}}});
  EXPECT_EQ(s.assign("set", zeros({})), "ok");
  EXPECT_THAT(text_of(s.fetch("read:0").status()),
              StartsWith("Trying to read variable with wrong dtype. Expected int64 got float"));
}
TEST(Variables, that_are_destroyed_have_no_value_and_are_there_no_more) {
  const auto destroys = [](const char* name, bool may_be_missing) {
    return NodeSpec{name, "DestroyResourceOp", "", {"v"}, {{"ignore_lookup_error", may_be_missing}}};
  };
  Session s({handle("v", "v"),
             kValue,
             set_handle("set", "v", true),
             destroys("end", false),
             destroys("try", true),
             {"read", "ReadVariableOp", "", {"v"}, {{"dtype", DataType::kFloat}}}});
  EXPECT_THAT(s.assign("end", zeros({})), StartsWith("Container localhost does not exist.")) << "it never had one";
  EXPECT_EQ(s.assign("set", zeros({2})), "ok");
  EXPECT_EQ(s.assign("end", zeros({})), "ok");
  EXPECT_FALSE(s.fetch("read:0").ok());
  EXPECT_THAT(s.assign("end", zeros({})), StartsWith("Resource localhost/v/<unknown> does not exist."));
  EXPECT_EQ(s.assign("try", zeros({})), "ok");
  EXPECT_EQ(s.assign("set", zeros({3})), "ok") << "a value of another shape";
}
TEST(Variables, are_counted_up_to_a_limit_that_they_do_not_pass) {
  const AttrEntry of_type{"T", DataType::kInt64}, of_dtype{"dtype", DataType::kInt64};
  Session s({handle("v", "v", DataType::kInt64),
             {"value", "Placeholder", "", {}, {of_dtype}},
             {"set", "AssignVariableOp", "", {"v", "value"}, {of_dtype}},
             {"count", "ResourceCountUpTo", "", {"v"}, {of_type, {"limit", std::int64_t{3}}}},
             {"read", "ReadVariableOp", "", {"v"}, {of_dtype}}});
  const auto fetched = [&](const char* tensor) { return (*s.fetch(tensor))[0]->as<std::int64_t>()[0]; };
  ASSERT_EQ(s.assign("set", make_scalar(std::int64_t{1})), "ok");
  EXPECT_EQ(fetched("count:0"), 1) << "what it was";
  EXPECT_EQ(fetched("count:0"), 2);
  EXPECT_THAT(text_of(s.fetch("count:0").status()), StartsWith("Reached limit of 3"));
  EXPECT_EQ(fetched("read:0"), 3);
}

// A variable [2], and what changes it; fed are `value`, "rows:0", "places:0" and "rate:0".
std::vector<NodeSpec> changed_by(const NodeSpec& change) {
  const auto fed = [](const char* name, DataType type) {
    return NodeSpec{name, "Placeholder", "", {}, {{"dtype", type}}};
  };
  return {handle("v", "v"),
          kValue,
          fed("rows", DataType::kInt64),
          fed("places", DataType::kInt64),
          fed("rate", DataType::kFloat),
          set_handle("set", "v", false),
          change,
          {"read", "ReadVariableOp", "", {"v"}, {{"dtype", DataType::kFloat}}}};
}
bool has_values_after(const NodeSpec& change, const TensorRef& value) {
  const auto session = *DirectSession::create({changed_by(change)}, {"/job:localhost/replica:0/task:0/device:CPU:0"});
  MutableTensor places = make_tensor(DataType::kInt64, Shape({2, 1}));
  std::ranges::copy(Dims{0, 1}, places->mutable_as<std::int64_t>().begin());
  EXPECT_TRUE(session->run({.feeds = {{"value:0", zeros({2})}}, .fetches = {}, .targets = {"set"}}).ok());
  const auto done = session->run({.feeds = {{"value:0", value},
                                            {"rows:0", make_vector(Dims{0, 1})},
                                            {"places:0", places},
                                            {"rate:0", make_scalar(1.0F)}},
                                  .fetches = {},
                                  .targets = {"change"}});
  EXPECT_TRUE(done.ok()) << text_of(done.status());
  return session->run({.feeds = {}, .fetches = {"read:0"}, .targets = {}})->front()->has_data();
}

TEST(Variables, have_a_shape_only_once_something_without_values_has_changed_them) {
  const AttrEntry of_type{"T", DataType::kFloat}, of_dtype{"dtype", DataType::kFloat},
      of_rows{"Tindices", DataType::kInt64};
  const NodeSpec changes[] = {
      {"change", "AssignAddVariableOp", "", {"v", "value"}, {of_dtype}},
      {"change", "ResourceApplyGradientDescent", "", {"v", "rate", "value"}, {of_type}},
      {"change", "ResourceSparseApplyAdagrad", "", {"v", "v", "rate", "value", "rows"}, {of_type, of_rows}},
      {"change", "ResourceScatterAdd", "", {"v", "rows", "value"}, {of_dtype, of_rows}},
      {"change", "ResourceScatterNdAdd", "", {"v", "places", "value"}, {of_type, of_rows}},
  };
  for (const NodeSpec& change : changes) {
    EXPECT_TRUE(has_values_after(change, zeros({2}))) << change.op;
    EXPECT_FALSE(has_values_after(change, make_shape_only(DataType::kFloat, Shape({2})))) << change.op;
  }
}

}  // namespace
}  // namespace tarry
