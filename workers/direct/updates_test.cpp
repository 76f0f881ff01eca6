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

}  // namespace
}  // namespace tarry
