// Transcripts of real TensorFlow that ship with tarry: ours make the same calls and give the same answers.

#include "properties/conform/rpc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/conform/shipped.hpp"

namespace tarry {
namespace {

class Transcript : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shipped, Transcript, ::testing::ValuesIn(shipped("rpc")), name_of);

TEST_P(Transcript, is_replayed_to_the_letter) {
  const auto v = conform_rpc(GetParam());
  ASSERT_TRUE(v.ok()) << v.status();
  ASSERT_TRUE(v->is_judged);
  EXPECT_THAT(v->differences, ::testing::IsEmpty());
}

}  // namespace
}  // namespace tarry
