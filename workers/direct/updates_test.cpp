// Updates of variables as a session sees them, at the edges of what they take. What is expected was computed by
// TensorFlow 2.15.1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using Floats = std::vector<float>;

TensorRef floats(const Dims& dims, const Floats& values) {
  MutableTensor t = make_tensor(DataType::kFloat, Shape(dims));
  std::ranges::copy(values, t->mutable_as<float>().begin());
  return t;
}
TensorRef rows_named(const Dims& dims, const Dims& values) {
  MutableTensor t = make_tensor(DataType::kInt64, Shape(dims));
  std::ranges::copy(values, t->mutable_as<std::int64_t>().begin());
  return t;
}

struct Changed {
  std::string said = "ok";
  bool has_values = false;
  Floats values;
};

// A variable of that value, and what the op makes of it; "rows:0" and "updates:0" are fed.
Changed changed(const std::string& op, const TensorRef& value, const TensorRef& rows, const TensorRef& updates) {
  const auto fed = [](const char* name, DataType type) {
    return NodeSpec{name, "Placeholder", "", {}, {{"dtype", type}}};
  };
  const AttrEntry number{op.find("Nd") != op.npos ? "T" : "dtype", DataType::kFloat}, of{"dtype", DataType::kFloat};
  const auto session =
      *DirectSession::create({{{"v", "VarHandleOp", "", {}, {of, {"shape", Shape::unknown()}, {"shared_name", "v"}}},
                               fed("rows", DataType::kInt64),
                               fed("updates", DataType::kFloat),
                               {"set", "AssignVariableOp", "", {"v", "updates"}, {of}},
                               {"change", op, "", {"v", "rows", "updates"}, {number, {"Tindices", DataType::kInt64}}},
                               {"read", "ReadVariableOp", "", {"v"}, {of}}}},
                             {"/job:localhost/replica:0/task:0/device:CPU:0"});
  EXPECT_TRUE(session->run({.feeds = {{"updates:0", value}}, .fetches = {}, .targets = {"set"}}).ok());
  const auto done =
      session->run({.feeds = {{"rows:0", rows}, {"updates:0", updates}}, .fetches = {}, .targets = {"change"}});
  const TensorRef now = session->run({.feeds = {}, .fetches = {"read:0"}, .targets = {}})->front();
  Changed result{done.ok() ? "ok" : std::string(text_of(done.status())), now->has_data(), {}};
  if (now->has_data()) result.values.assign(now->as<float>().begin(), now->as<float>().end());
  return result;
}

TEST(UpdatesByCoordinates, take_the_first_number_of_a_vector_of_indices_alone) {
  const auto by = [](const Dims& rows) {
    return changed("ResourceScatterNdAdd", floats({3, 1}, {1, 2, 3}), rows_named({2}, rows), floats({2, 1}, {10, 20}));
  };
  EXPECT_THAT(by({1, 0}).values, ElementsAre(1, 12, 3));
  EXPECT_THAT(by({1, 9}).values, ElementsAre(1, 12, 3)) << "the second is not looked at";
  EXPECT_THAT(by({9, 1}).said, StartsWith("indices = [9] does not index into shape [3,1]"));
}
TEST(UpdatesByCoordinates, are_refused_a_scalar_of_indices) {
  EXPECT_THAT(
      changed("ResourceScatterNdAdd", floats({3}, {1, 2, 3}), rows_named({}, {1}), floats({}, {10})).said,
      StartsWith("Dimensions [0,1) of indices[shape=[]] = 0 must match dimensions [0,1) of updates[shape=[]] = 0"));
}

Changed by_rows(const std::string& op, const TensorRef& updates, const Dims& rows = {0, 1}) {
  return changed(op, floats({3, 2}, {1, 2, 3, 4, 5, 6}), rows_named({std::ssize(rows)}, rows), updates);
}
TEST(UpdatesByRows, of_a_resource_have_the_rank_of_its_rows_and_any_width) {
  const TensorRef narrow = floats({2, 1}, {7, 8}), wide = floats({2, 3}, {7, 8, 9, 10, 11, 12});
  EXPECT_THAT(by_rows("ResourceScatterUpdate", narrow).values, ElementsAre(7, 2, 8, 4, 5, 6));
  EXPECT_THAT(by_rows("ResourceScatterUpdate", wide).values, ElementsAre(7, 8, 10, 11, 12, 6));
  EXPECT_THAT(by_rows("ResourceScatterAdd", wide).values, ElementsAre(8, 10, 13, 15, 5, 6));
  EXPECT_THAT(by_rows("ResourceScatterAdd", floats({1, 2, 2}, {1, 2, 3, 4})).said,
              StartsWith("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = []"));
}
TEST(UpdatesByRows, that_would_go_beside_their_tensors_leave_no_values) {
  EXPECT_FALSE(by_rows("ResourceScatterAdd", floats({2, 1}, {7, 8})).has_values) << "reads beside the updates";
  EXPECT_FALSE(by_rows("ResourceScatterUpdate", floats({2, 3}, {7, 8, 9, 1, 2, 3}), {0, 2}).has_values);
}
TEST(UpdatesByRows, look_for_zeros_between_the_rank_and_the_sizes) {
  EXPECT_THAT(by_rows("ResourceScatterDiv", floats({3, 2}, Floats(6))).said, StartsWith("updates must not contain 0"));
  EXPECT_THAT(by_rows("ResourceScatterDiv", floats({3, 2, 1}, Floats(6))).said, StartsWith("Must have updates.shape"));
  EXPECT_THAT(by_rows("ResourceScatterMul", floats({3, 2}, Floats(6))).said, StartsWith("The shape of indices ([2])"));
  EXPECT_EQ(by_rows("ResourceScatterMul", floats({3, 2}, Floats(6)), {}).said, "ok") << "no row is named";
}
TEST(UpdatesByRows, take_a_scalar_for_one_row) {
  const auto one = [](const Dims& rows) {
    return changed("ResourceScatterAdd", floats({}, {1}), rows_named({std::ssize(rows)}, rows), floats({}, {5}));
  };
  EXPECT_THAT(one({0, 0}).values, ElementsAre(11));
  EXPECT_THAT(one({0, 1}).said, StartsWith("indices[1] = 1 is not in [0, 1)"));
}

// A variable and its slot, and a step of the optimizer whose learning rate is "one".
std::vector<NodeSpec> nodes_of_optimizer(const std::string& op) {
  const AttrEntry of{"dtype", DataType::kFloat};
  const auto fed = [&](const char* name) { return NodeSpec{name, "Placeholder", "", {}, {of}}; };
  const auto variable = [&](const std::string& name) {
    return NodeSpec{name, "VarHandleOp", "", {}, {of, {"shape", Shape({3})}, {"shared_name", name}}};
  };
  std::vector<std::string> inputs{"v", "slot", "one", "gradient", "rows"};
  if (op.find("Momentum") != op.npos) inputs.push_back("zero");
  return {variable("v"),
          variable("slot"),
          fed("value"),
          fed("one"),
          fed("zero"),
          fed("gradient"),
          {"rows", "Placeholder", "", {}, {{"dtype", DataType::kInt64}}},
          {"set", "AssignVariableOp", "", {"v", "value"}, {of}},
          {"clear", "AssignVariableOp", "", {"slot", "value"}, {of}},
          {"change", op, "", inputs, {{"T", DataType::kFloat}, {"Tindices", DataType::kInt64}}},
          {"read", "ReadVariableOp", "", {"v"}, {of}}};
}
// A variable {1, 2, 3} after a step whose gradient for each of these rows is 1; its slot begins with zeros.
Changed optimised(const std::string& op, const Dims& rows, TensorRef gradient) {
  const auto session =
      *DirectSession::create({nodes_of_optimizer(op)}, {"/job:localhost/replica:0/task:0/device:CPU:0"});
  EXPECT_TRUE(session->run({.feeds = {{"value:0", floats({3}, {1, 2, 3})}}, .fetches = {}, .targets = {"set"}}).ok());
  EXPECT_TRUE(session->run({.feeds = {{"value:0", floats({3}, {0, 0, 0})}}, .fetches = {}, .targets = {"clear"}}).ok());
  const auto done = session->run({.feeds = {{"one:0", floats({}, {1})},
                                            {"zero:0", floats({}, {0})},
                                            {"gradient:0", std::move(gradient)},
                                            {"rows:0", rows_named({std::ssize(rows)}, rows)}},
                                  .fetches = {},
                                  .targets = {"change"}});
  const TensorRef now = session->run({.feeds = {}, .fetches = {"read:0"}, .targets = {}})->front();
  Changed result{done.ok() ? "ok" : std::string(text_of(done.status())), now->has_data(), {}};
  if (now->has_data()) result.values.assign(now->as<float>().begin(), now->as<float>().end());
  return result;
}
Changed optimised(const std::string& op, const Dims& rows) {
  return optimised(op, rows, floats({std::ssize(rows)}, Floats(rows.size(), 1)));
}
TEST(UpdatesOfRows, reach_from_the_first_row_to_the_last) {
  for (const char* op : {"ResourceSparseApplyAdagrad", "ResourceSparseApplyMomentum"})
    EXPECT_THAT(optimised(op, {2, 0}).values, ElementsAre(0, 2, 2)) << op;
}
TEST(UpdatesOfRows, are_refused_a_row_before_the_first_or_behind_the_last) {
  EXPECT_THAT(optimised("ResourceSparseApplyAdagrad", {0, 3}).said,
              StartsWith("Index 3 at offset 1 in indices is out of range"));
  EXPECT_THAT(optimised("ResourceSparseApplyAdagrad", {-1, 0}).said,
              StartsWith("Index -1 at offset 0 in indices is out of range"));
  EXPECT_THAT(optimised("ResourceSparseApplyKerasMomentum", {0, 3}).said,
              StartsWith("indices[1] = 3 is not in [0, 3)"));
}
TEST(UpdatesOfRows, that_are_refused_change_nothing_or_by_some_optimizers_the_rows_before) {
  EXPECT_THAT(optimised("ResourceSparseApplyAdagrad", {0, 3}).values, ElementsAre(1, 2, 3));
  EXPECT_THAT(optimised("ResourceSparseApplyMomentum", {0, 3, 1}).values, ElementsAre(0, 2, 3));
}
TEST(UpdatesOfRows, are_refused_such_a_row_though_the_gradient_has_no_values) {
  const auto without_values = [](const Dims& rows) {
    return optimised("ResourceSparseApplyAdagrad", rows, make_shape_only(DataType::kFloat, Shape({2})));
  };
  EXPECT_EQ(without_values({0, 2}).said, "ok");
  EXPECT_THAT(without_values({0, 3}).said, StartsWith("Index 3 at offset 1 in indices is out of range"));
}

}  // namespace
}  // namespace tarry
