// How amounts are told, and which of several alike things is the odd one.

#include <gtest/gtest.h>

#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

TEST(WhatIfWords, have_the_unit_that_fits) {
  EXPECT_EQ(time_in_words(0), "0 us");
  EXPECT_EQ(time_in_words(999'999), "999.999 us");
  EXPECT_EQ(time_in_words(1'000'000), "1 ms");
  EXPECT_EQ(time_in_words(999'500'000), "999.5 ms");
  EXPECT_EQ(time_in_words(1'000'000'000), "1 s");
  EXPECT_EQ(bandwidth_in_words(0), "no limit");
  EXPECT_EQ(bandwidth_in_words(12'500'000), "100 Mb/s");
  EXPECT_EQ(bandwidth_in_words(124'900'000), "999.2 Mb/s");
  EXPECT_EQ(bandwidth_in_words(125'000'000), "1 Gb/s");
}

std::string odd(const std::vector<Amounted>& all, const std::string& of = "") {
  return odd_in_words(of, all, bandwidth_in_words);
}

TEST(WhatIfWords, tell_of_the_one_that_has_less_than_four_fifths_of_the_median) {
  constexpr std::uint64_t kUsual = 125'000'000;
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual / 10}}), "b has 100 Mb/s and the others 1 Gb/s");
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual / 10}, {"c", kUsual}}, "the card of "),
            "the card of b has 100 Mb/s and those of the others 1 Gb/s");
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual * 8 / 10}}), "");
  EXPECT_NE(odd({{"a", kUsual}, {"b", kUsual * 8 / 10 - 1}}), "");
  EXPECT_EQ(odd({{"a", 0}, {"b", kUsual}}), "b has 1 Gb/s and the others no limit");
  EXPECT_EQ(odd({{"a", 0}, {"b", 0}}), "");
  EXPECT_EQ(odd({{"a", 1}}), "");
  EXPECT_EQ(odd({}), "");
}

}  // namespace
}  // namespace tarry
