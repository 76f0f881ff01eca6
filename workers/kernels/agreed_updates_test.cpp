// Optimizers: what they look at first, and odd gradients. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/state/resources.hpp"

namespace tarry {
namespace {

const Shape kTwoByTwo({2, 2});

// The shapes of the slots, and the numbers and the gradient; a scalar is 0.5 and a gradient is 1, 2, 3 and so on.
struct Optimized {
  std::string_view op;
  std::vector<Shape> slots;
  std::vector<Shape> inputs;
  Ints rows;                    // of a sparse gradient, behind it
  std::size_t gradient = 1000;  // which input it is, of those that are no variables
  bool has_values = true;       // of the variable and the slots
};
TensorRef counted(const Shape& shape) {
  MutableTensor t = make_tensor(DataType::kFloat, shape);
  std::iota(t->mutable_as<float>().begin(), t->mutable_as<float>().end(), 1.0F);
  return t;
}
struct After {
  std::string said = "ok";
  Floats var;
};

void set_variables(const Optimized& o, std::vector<Variable>& variables, std::vector<Value>& in) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Shape& shape = i == 0 ? kTwoByTwo : o.slots[i - 1];
    variables[i].value = o.has_values ? TensorRef(counted(shape)) : shape_only(shape.dims);
    in.push_back({nullptr, &variables[i]});
  }
}
void set_inputs(const Optimized& o, std::vector<Value>& in) {
  for (std::size_t i = 0; i < o.inputs.size(); ++i) {
    const bool is_number = o.inputs[i].elements() == 1 && i != o.gradient;
    in.push_back({is_number ? floats(o.inputs[i].dims, {0.5}) : counted(o.inputs[i]), nullptr});
    if (i == o.gradient && !o.rows.empty()) in.push_back({ints(o.rows), nullptr});
  }
  if (o.op.ends_with("DA")) in.back().tensor = make_scalar<std::int64_t>(1);  // the global step
}

After optimized(const Optimized& o) {
  FakeEnv env;
  KernelHost host{&env, TaskId{0u}, "/job:a/replica:0/task:0/device:CPU:0", NameId::none(), nullptr, nullptr, 4096};
  std::vector<Variable> variables(o.slots.size() + 1);
  std::vector<Value> in;
  set_variables(o, variables, in);
  set_inputs(o, in);
  DataTypes types;
  for (const Value& v : in) types.push_back(v.tensor ? v.tensor->dtype() : DataType::kResource);
  const auto kernel = make_kernel({"n", o.op, {}, types, {}, host});
  check(kernel.ok(), "the op has a kernel");
  KernelContext c{in, {}};
  const Status done = (*kernel)->compute(c);
  const TensorBody& var = *variables[0].value;
  After after{done.ok() ? "ok" : std::string(text_of(done)), {}};
  if (var.has_data()) after.var.assign(var.as<float>().begin(), var.as<float>().end());
  return after;
}

const Shape kOne({1}), kNumber;

TEST(Optimizers, look_at_numbers_before_slots) {
  EXPECT_EQ(optimized({"ResourceApplyMomentum", {kOne}, {kOne, kTwoByTwo, kOne}}).said, "lr is not a scalar: [1]");
  EXPECT_EQ(optimized({"ResourceApplyMomentum", {kOne}, {kNumber, kTwoByTwo, kOne}}).said,
            "var and accum do not have the same shape[2,2] [1]")
      << "momentum comes behind the gradient";
  EXPECT_EQ(
      optimized(
          {"ResourceSparseApplyRMSProp", {kOne, kTwoByTwo}, {kOne, kNumber, kNumber, kNumber, kTwoByTwo}, {0, 1}, 4})
          .said,
      "lr is not a scalar: [1]");
}
TEST(Optimizers, that_follow_the_leader_look_at_slots_first) {
  EXPECT_EQ(optimized({"ResourceApplyFtrl", {kOne, kTwoByTwo}, {kTwoByTwo, kOne, kNumber, kNumber, kNumber}}).said,
            "var and accum do not have the same shape[2,2] [1]");
}
TEST(Optimizers, name_some_slots_otherwise) {
  EXPECT_EQ(
      optimized({"ResourceApplyAdagradDA", {kTwoByTwo, kOne}, {kTwoByTwo, kNumber, kNumber, kNumber, kNumber}}).said,
      "var and accum do not have the same shape[2,2] [1]");
  EXPECT_EQ(
      optimized({"ResourceSparseApplyAdadelta", {kOne, kTwoByTwo}, {kNumber, kNumber, kNumber, kTwoByTwo}, {0, 1}, 3})
          .said,
      "var and accum_grad do not have the same shape[2,2] [1]");
  EXPECT_EQ(optimized({"ResourceApplyCenteredRMSProp",
                       {kOne, kTwoByTwo, kTwoByTwo},
                       {kNumber, kNumber, kNumber, kNumber, kTwoByTwo}})
                .said,
            "var and mg do not have the same shape[2,2] [2,2]");
}
TEST(Optimizers, compare_no_shape_of_adadeltas_second_slot) {
  const auto with = [](const Shape& second) {
    return optimized({"ResourceApplyAdadelta", {kTwoByTwo, second}, {kNumber, kNumber, kNumber, kTwoByTwo}});
  };
  EXPECT_EQ(with(Shape({4})).var, with(kTwoByTwo).var);
  EXPECT_THAT(with(Shape({3})).var, ElementsAre()) << "there is nothing to read for the last element";
}

// Inputs behind the slots: gradient, lr, l1, l2, l2_shrinkage, lr_power.
After follow_rows(const Shape& lr, const Shape& shrinkage, const Ints& rows) {
  return optimized({"ResourceSparseApplyFtrlV2",
                    {kTwoByTwo, kTwoByTwo},
                    {kTwoByTwo, lr, kNumber, kNumber, shrinkage, kOne},
                    rows,
                    0});
}
TEST(SparseOptimizers, that_follow_the_leader_look_at_the_shrinkage_last) {
  EXPECT_EQ(follow_rows(kNumber, kOne, {0, 1}).said, "lr_power is not a non-positive scalar: [1]");
  EXPECT_EQ(follow_rows(kOne, kOne, {0, 1}).said,
            "lr is not a positive scalar (or zero if multiply_linear_by_lr is set): [1]");
}
TEST(SparseOptimizers, look_at_momentum_behind_the_gradient) {
  const auto said = [](const Shape& momentum, const Ints& rows) {
    return optimized({"ResourceSparseApplyMomentum", {kTwoByTwo}, {kNumber, kTwoByTwo, momentum}, rows, 1}).said;
  };
  EXPECT_EQ(said(kOne, {0, 1, 1}), "grad must be the same size as indices in the first dimension.");
  EXPECT_EQ(said(kOne, {0, 1}), "momentum is not a scalar: [1]");
  EXPECT_EQ(said(kNumber, {0, 1}), "ok");
}
TEST(SparseOptimizers, take_the_front_of_longer_rows) {
  const auto by = [](const Shape& gradient, const Ints& rows) {
    return optimized(
        {"ResourceSparseApplyProximalGradientDescent", {}, {kNumber, kNumber, kNumber, gradient}, rows, 3});
  };
  EXPECT_EQ(by(Shape({2, 2, 2}), {1, 0}).var, (Floats{-1, -0.6F, 1.8F, 2.2F})) << "its rows begin with 1, 2 and 5, 6";
  EXPECT_EQ(by(Shape({2, 2, 2}), {1, 9}).said, "Index 9 at offset 1 in indices is out of range");
}
TEST(SparseOptimizers, refuse_a_bad_index_also_where_nothing_has_values) {
  const auto said = [](const Ints& rows) {
    return optimized({"ResourceSparseApplyMomentum", {kTwoByTwo}, {kNumber, kTwoByTwo, kNumber}, rows, 1, false}).said;
  };
  EXPECT_EQ(said({0, 9}), "Index 9 at offset 1 in indices is out of range");
  EXPECT_EQ(said({0, 1}), "ok");
}
TEST(SparseOptimizers, with_dual_averaging_update_the_rows_before_a_bad_index) {
  const auto var = [](const Ints& rows) {
    return optimized({"ResourceSparseApplyAdagradDA",
                      {kTwoByTwo, kTwoByTwo},
                      {kTwoByTwo, kNumber, kNumber, kNumber, kNumber},
                      rows,
                      0})
        .var;
  };
  EXPECT_EQ(var({0, 9})[0], var({0, 1})[0]);
  EXPECT_NE(var({0, 9})[0], 1);
}

}  // namespace
}  // namespace tarry
