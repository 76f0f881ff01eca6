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

TEST(Text, the_first_of_words_that_are_as_near_is_meant) {
  EXPECT_EQ(nearest("hast", std::vector<std::string>{"host", "hest"}), "host");
}

TEST(Text, a_suggestion_differs_in_a_third_of_the_letters_at_the_most) {
  EXPECT_EQ(nearest("abxx", std::vector<std::string>{"abcd"}), "abcd");
  EXPECT_EQ(nearest("axxx", std::vector<std::string>{"abcd"}), "");
}

TEST(Text, what_is_very_long_is_compared_with_nothing) {
  const std::string most(256, 'x'), more(257, 'x');
  EXPECT_EQ(nearest(most, std::vector{most}), most);
  EXPECT_EQ(nearest(more, std::vector{most}), "");
  EXPECT_EQ(nearest(most, std::vector{more}), "");
}

TEST(Text, split_keeps_empty_parts) { EXPECT_EQ(split("a;;b", ';'), (std::vector<std::string_view>{"a", "", "b"})); }

}  // namespace
}  // namespace tarry
