#include "workers/kernels/input_rule.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

std::string said_of(const TensorRef& t, Takes takes) {
  const Value in[] = {{t, nullptr}};
  const KernelContext c{in, {}};
  const auto read = integer_in(c, {0, "n has shape {0} of rank {1}", takes});
  return read.ok() ? "" : std::string(text_of(read.status()));
}
std::string said_of_shape(const std::vector<std::int64_t>& dims, Takes takes) {
  return said_of(make_tensor(DataType::kInt64, Shape(dims)), takes);
}

constexpr Takes kScalars[] = {Takes::scalar, Takes::scalar_or_vector_of_one, Takes::one_element, Takes::first_element};

TEST(InputRule, a_scalar_is_always_a_scalar) {
  for (const Takes takes : kScalars) EXPECT_EQ(said_of_shape({}, takes), "");
}
TEST(InputRule, what_has_no_elements_never_is_and_nobody_reads_it) {
  for (const Takes takes : kScalars) EXPECT_EQ(said_of_shape({0}, takes), "n has shape [0] of rank 1");
  for (const Takes takes : kScalars) EXPECT_EQ(said_of_shape({0, 2}, takes), "n has shape [0,2] of rank 2");
}
TEST(InputRule, most_ops_refuse_a_vector_of_one) {
  EXPECT_EQ(said_of_shape({1}, Takes::scalar), "n has shape [1] of rank 1");
}
TEST(InputRule, some_take_a_vector_of_one_but_no_matrix_of_one) {
  EXPECT_EQ(said_of_shape({1}, Takes::scalar_or_vector_of_one), "");
  EXPECT_EQ(said_of_shape({1, 1}, Takes::scalar_or_vector_of_one), "n has shape [1,1] of rank 2");
}
TEST(InputRule, some_take_one_element_of_any_rank_but_not_two) {
  EXPECT_EQ(said_of_shape({1, 1}, Takes::one_element), "");
  EXPECT_EQ(said_of_shape({2}, Takes::one_element), "n has shape [2] of rank 1");
}
TEST(InputRule, a_dequeue_reads_the_first_of_many) { EXPECT_EQ(said_of_shape({2, 2}, Takes::first_element), ""); }

TEST(InputRule, a_scalar_without_data_is_an_error_and_no_crash) {
  EXPECT_NE(said_of(make_shape_only(DataType::kInt64, Shape()), Takes::scalar), "");
}

TEST(InputRule, of_several_the_first_refusal_is_given) {
  const Value in[] = {{make_scalar(1.0F), nullptr},
                      {make_vector(std::vector<float>{1, 2}), nullptr},
                      {make_vector(std::vector<float>{}), nullptr}};
  const KernelContext c{in, {}};
  const InputRule rules[] = {{0, "first"}, {1, "second is {}"}, {2, "third is {}"}};
  EXPECT_EQ(check_inputs(c, rules), invalid("second is [2]"));
}

}  // namespace
}  // namespace tarry
