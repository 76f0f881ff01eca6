// Einsum. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

// 1, 2, 3, ...
TensorRef counted(const Dims& dims) {
  Floats values(static_cast<std::size_t>(Shape(dims).elements()));
  std::iota(values.begin(), values.end(), 1.0F);
  return floats(dims, values);
}
Asked by(const char* equation) { return {.attrs = {{"equation", equation}}}; }
Floats einsum(const char* equation, const Tensors& inputs) { return values("Einsum", inputs, by(equation)); }
std::string said(const char* equation, const Tensors& inputs) { return refusal("Einsum", inputs, by(equation)); }

TEST(Einsum, sums_over_labels_that_the_output_lacks) {
  EXPECT_THAT(einsum("ij->", {counted({2, 3})}), ElementsAre(21));
  EXPECT_THAT(einsum("ii->", {counted({2, 2})}), ElementsAre(5)) << "the diagonal";
  EXPECT_THAT(einsum("ij,kj->ik", {counted({2, 3}), counted({2, 3})}), ElementsAre(14, 32, 32, 77));
}

TEST(Einsum, broadcasts_the_dimensions_of_an_ellipsis) {
  EXPECT_THAT(einsum("...i,i->...", {counted({2, 3}), counted({3})}), ElementsAre(14, 32));
  EXPECT_THAT(einsum("...i,...i->...i", {counted({1, 2}), counted({3, 2})}), ElementsAre(1, 4, 3, 8, 5, 12));
  EXPECT_THAT(einsum("...i,...i->...i", {counted({3, 2}), counted({1, 2})}), ElementsAre(1, 4, 3, 8, 5, 12));
  EXPECT_EQ(dims("Einsum", {counted({4, 1, 2}), counted({3, 2})}, by("...i,...i->i...")), Dims({2, 4, 3}));
}

TEST(Einsum, of_something_empty_is_empty_or_zero) {
  EXPECT_THAT(einsum("ij,jk->ik", {counted({2, 0}), counted({0, 1})}), ElementsAre(0, 0));
  EXPECT_EQ(dims("Einsum", {counted({0, 2})}, by("ij->ji")), Dims({2, 0}));
}

TEST(Einsum, wants_as_many_dimensions_as_labels) {
  EXPECT_EQ(said("ij->ji", {counted({2, 3, 4})}), "Expected input 0 to have rank 2 but got: 3");
  EXPECT_EQ(said("i...j->ij", {counted({2})}), "Expected input 0 to have rank at least 2 but got: 1");
  EXPECT_EQ(said("...i->i", {counted({2, 3})}),
            "Output contains 1 broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
  EXPECT_EQ(said("...i->i", {counted({3})}), "ok") << "the ellipsis stands for nothing";
}

TEST(Einsum, wants_one_size_for_each_label) {
  EXPECT_EQ(said("ij,jk->ik", {counted({2, 3}), counted({2, 2})}),
            "Expected dimension 3 at axis 0 of the input shaped [2,2] but got dimension 2");
  EXPECT_EQ(said("ii->i", {counted({2, 3})}),
            "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3");
  EXPECT_EQ(said("ij,ij->ij", {counted({1, 3}), counted({2, 3})}),
            "Expected dimension 1 at axis 0 of the input shaped [2,3] but got dimension 2")
      << "only what an ellipsis stands for is broadcast";
  EXPECT_EQ(said("ij,ij->ij", {counted({2, 3}), counted({1, 3})}),
            "Expected dimension 2 at axis 0 of the input shaped [1,3] but got dimension 1");
}

// The operands as matrices: what is common to both, then rows and columns as the product has them.
TEST(Einsum, tells_the_operands_of_a_product_whose_ellipses_do_not_fit) {
  const char* const no = "In[0] and In[1] must have compatible batch dimensions: ";
  EXPECT_EQ(said("...ij,...jk->...ik", {counted({2, 2, 3}), counted({3, 3, 2})}),
            no + std::string("[2,2,3] vs. [3,3,2]"));
  EXPECT_EQ(said("...ji,...jk->...ik", {counted({2, 3, 2}), counted({3, 3, 2})}),
            no + std::string("[2,3,2] vs. [3,3,2]"));
  EXPECT_EQ(said("a...ij,...ajk->...aik", {counted({4, 2, 2, 3}), counted({3, 4, 3, 2})}),
            no + std::string("[2,4,2,3] vs. [3,4,3,2]"));
}

TEST(Einsum, takes_one_arrow_and_two_operands_at_most) {
  EXPECT_EQ(said("ij", {counted({2, 3})}), "Expecting exactly one '->' in einsum equation: ij");
  EXPECT_EQ(said("i,i,i->i", {counted({2}), counted({2}), counted({2})}),
            "Expecting 1 or 2 input subscripts in equation 'i,i,i->i' but got: 3");
  EXPECT_EQ(said("ij->ik", {counted({2, 3})}), "tarry computes no einsum whose output has a label of its own: ij->ik");
}

}  // namespace
}  // namespace tarry
