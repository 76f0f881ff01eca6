// A kernel that is asked again: what it may answer as last time, and what not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

// One kernel, kept between its executions.
class Kept {
 public:
  Kept(std::string_view op, DataTypes inputs, DataTypes outputs, Attrs attrs = {}, DeviceMemoryRef memory = nullptr)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)), attrs_(std::move(attrs)) {
    host_.env = &env_;
    host_.device = "/job:a/replica:0/task:0/device:CPU:0";
    host_.memory = std::move(memory);
    auto made = make_kernel({"n", op, attrs_, inputs_, outputs_, host_});
    check(made.ok(), "the op has a kernel");
    kernel_ = *std::move(made);
  }

  TensorRef operator()(const std::vector<TensorRef>& inputs) {
    std::vector<Value> in, out(outputs_.size());
    for (const TensorRef& t : inputs) in.push_back({t, nullptr});
    KernelContext c{in, out};
    check(kernel_->compute(c).ok(), "the kernel computes");
    return out[0].tensor;
  }

 private:
  FakeEnv env_;
  KernelHost host_;
  DataTypes inputs_, outputs_;
  Attrs attrs_;
  std::unique_ptr<Kernel> kernel_;
};

constexpr DataType kFloat = DataType::kFloat, kInt = DataType::kInt32;

TensorRef numbers(const std::vector<std::int32_t>& values) { return make_vector(values); }
TensorRef float_list(const std::vector<float>& values) { return make_vector(values); }
TensorRef unknown(const Dims& dims) { return make_shape_only(kFloat, Shape(dims)); }
Kept reshape() { return {"Reshape", {kFloat, kInt}, {kFloat}}; }

TEST(RepeatedKernel, the_same_tensors_give_the_same_tensor) {
  Kept add("AddV2", {kInt, kInt}, {kInt});
  const TensorRef x = numbers({1}), y = numbers({2});
  const TensorRef first = add({x, y});
  EXPECT_EQ(add({x, y}), first);
  EXPECT_EQ(integers_of(*add({x, x})), Dims{2});
}

TEST(RepeatedKernel, a_large_input_is_not_held) {
  Kept sum("Sum", {kInt, kInt}, {kInt}, {{"keep_dims", false}});
  const TensorRef large = numbers(std::vector<std::int32_t>(4097, 1)),
                  small = numbers(std::vector<std::int32_t>(4096, 1)), axis = numbers({0});
  EXPECT_EQ(integers_of(*sum({large, axis})), Dims{4097});
  EXPECT_EQ(large->use_count(), 1u);
  EXPECT_EQ(integers_of(*sum({small, axis})), Dims{4096});
  EXPECT_EQ(small->use_count(), 2u);
}

TEST(RepeatedKernel, another_shape_that_is_asked_for_is_another_answer) {
  Kept k = reshape();
  const TensorRef x = unknown({6});
  EXPECT_EQ(k({x, numbers({2, 3})})->shape(), Shape({2, 3}));
  EXPECT_EQ(k({x, numbers({3, 2})})->shape(), Shape({3, 2}));
}

TEST(RepeatedKernel, real_values_count_for_nothing_where_another_input_has_none) {
  Kept add("AddV2", {kFloat, kFloat}, {kFloat});
  const TensorRef first = add({unknown({2}), float_list({1, 2})});
  EXPECT_EQ(add({unknown({2}), float_list({3, 4})}), first);
  EXPECT_EQ(add({unknown({2}), float_list({3})})->shape(), Shape({2}));
  EXPECT_TRUE(add({float_list({1, 2}), float_list({3, 4})})->has_data());
}

TEST(RepeatedKernel, the_storage_of_a_variable_is_read_anew) {
  Kept neg("Neg", {kFloat}, {kFloat});
  MutableTensor storage = make_tensor(kFloat, Shape({1}));
  storage->set_is_storage();
  EXPECT_THAT(neg({storage})->as<float>(), ElementsAre(0));
  storage->mutable_as<float>()[0] = 5;
  EXPECT_THAT(neg({storage})->as<float>(), ElementsAre(-5));
}

// What cannot be remembered leaves what was remembered before as it was.
TEST(RepeatedKernel, values_stay_values_after_a_step_that_had_shapes_only) {
  Kept add("AddV2", {kFloat, kFloat}, {kFloat});
  EXPECT_THAT(add({float_list({1}), float_list({2})})->as<float>(), ElementsAre(3));
  MutableTensor storage = make_tensor(kFloat, Shape({1}));
  storage->set_is_storage();
  EXPECT_FALSE(add({storage, unknown({1})})->has_data());
  EXPECT_THAT(add({float_list({10}), float_list({20})})->as<float>(), ElementsAre(30));
}

TEST(RepeatedKernel, random_values_are_drawn_anew) {
  Kept uniform("RandomUniform", {kInt}, {kFloat});
  const TensorRef shape = numbers({4});
  const TensorRef first = uniform({shape}), second = uniform({shape});
  EXPECT_FALSE(std::ranges::equal(first->as<float>(), second->as<float>()));
}

TEST(RepeatedKernel, a_shuffle_is_drawn_anew) {
  Kept shuffle("RandomShuffle", {kInt}, {kInt});
  std::vector<std::int32_t> cards(52);
  for (std::int32_t i = 0; i < 52; ++i) cards[static_cast<std::size_t>(i)] = i;
  const TensorRef deck = numbers(cards);
  EXPECT_NE(integers_of(*shuffle({deck})), integers_of(*shuffle({deck})));
}

TEST(RepeatedKernel, a_shuffle_of_nothing_draws_nothing) {
  const Attrs seeds{{"seed", std::int64_t{3}}, {"seed2", std::int64_t{5}}};
  Kept one("RandomShuffle", {kInt}, {kInt}, seeds), other("RandomShuffle", {kInt}, {kInt}, seeds);
  const TensorRef deck = numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  (void)one({make_tensor(kInt, Shape({4, 0}))});
  EXPECT_EQ(integers_of(*one({deck})), integers_of(*other({deck})));
}

TEST(RepeatedKernel, a_tensor_of_another_shape_has_another_one) {
  Kept shape("Shape", {kFloat}, {kInt});
  const TensorRef first = shape({unknown({2, 3})});
  EXPECT_EQ(shape({unknown({2, 3})}), first);
  EXPECT_EQ(integers_of(*shape({unknown({3, 2})})), (Dims{3, 2}));
}

TEST(RepeatedKernel, nothing_is_kept_where_memory_is_counted) {
  Kept add("AddV2", {kInt, kInt}, {kInt}, {}, DeviceMemoryRef(new DeviceMemory("d", "a", 1000)));
  const TensorRef x = numbers({1});
  const TensorRef first = add({x, x});
  EXPECT_NE(add({x, x}), first);
  EXPECT_EQ(first->use_count(), 1);
}

RC_GTEST_PROP(RepeatedKernel, sums_are_those_of_the_inputs_at_hand, (const std::vector<std::pair<bool, bool>>& picks)) {
  Kept add("AddV2", {kInt, kInt}, {kInt});
  const std::array<TensorRef, 2> values{numbers({10}), numbers({32})};
  for (const auto& [x, y] : picks)
    RC_ASSERT(integers_of(*add({values[x], values[y]})) == Dims{(x ? 32 : 10) + (y ? 32 : 10)});
}

}  // namespace
}  // namespace tarry
