#include "properties/bench/reference_loop.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

// A change of the loop makes all figures that were kept worthless.
TEST(ReferenceLoop, ends_with_the_same_hash_as_ever) { EXPECT_EQ(reference_loop(kReferenceStart), kReferenceEnd); }

TEST(ReferenceLoop, takes_time_that_figures_can_be_divided_by) { EXPECT_GT(seconds_of_reference_loop(), 0); }

}  // namespace
}  // namespace tarry
