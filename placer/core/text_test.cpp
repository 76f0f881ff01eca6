#include "placer/core/text.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

const std::vector<std::string> kWords{"latency", "bandwidth", "hosts"};

TEST(Text, a_typo_finds_the_word_that_was_meant) {
  EXPECT_EQ(nearest("latancy", kWords), "latency");
  EXPECT_EQ(did_you_mean("bandwith", kWords), "; did you mean 'bandwidth'?");
}

TEST(Text, a_strange_word_gets_no_suggestion) { EXPECT_EQ(did_you_mean("zebra", kWords), ""); }

TEST(Text, split_keeps_empty_parts) { EXPECT_EQ(split("a;;b", ';'), (std::vector<std::string_view>{"a", "", "b"})); }

}  // namespace
}  // namespace tarry
