#include "properties/bench/compared.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The rounds of a side whose only figure took these times.
std::vector<Round> rounds(const std::vector<double>& seconds) {
  std::vector<Round> out;
  for (const double s : seconds) out.push_back({{"place", s}});
  return out;
}

TEST(Compared, a_figure_has_the_median_of_its_rounds_on_each_side) {
  const auto odd = compare_rounds(rounds({9, 1, 2}), rounds({4, 100, 3})).figures.at(0);
  EXPECT_EQ(odd.a, 2);
  EXPECT_EQ(odd.b, 4);
  EXPECT_EQ(odd.ratio, 2);
  EXPECT_EQ(compare_rounds(rounds({1, 2}), rounds({1, 1})).figures.at(0).a, 1.5);
}

TEST(Compared, the_spread_is_that_of_ratios_within_a_round) {
  const auto f = compare_rounds(rounds({1, 10, 1}), rounds({2, 10, 0.5})).figures.at(0);
  EXPECT_EQ(f.least, 0.5);
  EXPECT_EQ(f.greatest, 2);
}

TEST(Compared, figures_that_one_side_lacks_are_named_and_not_compared) {
  const std::vector<Round> a{{{"old", 1}, {"both", 1}}}, b{{{"both", 1}, {"new", 1}}};
  const Compared c = compare_rounds(a, b);
  EXPECT_EQ(c.figures.size(), 1u);
  EXPECT_THAT(c.only_a, ElementsAre("old"));
  EXPECT_THAT(c.only_b, ElementsAre("new"));
  EXPECT_THAT(text_of(c, "x", "y", 1), HasSubstr("only A has: old\nonly B has: new\n"));
}

TEST(Compared, the_text_says_which_side_is_which_and_what_a_ratio_means) {
  const std::string text = text_of(compare_rounds(rounds({2e-3, 4e-3}), rounds({1e-3, 4e-3})), "HEAD~3", "this", 2);
  EXPECT_EQ(text,
            "A: HEAD~3\n"
            "B: this\n"
            "2 rounds, A and B in turns. Times are medians, of an iteration. Below 1, B is quicker; above 1, A is.\n"
            "\n"
            "             A        B  B / A   in the rounds\n"
            "place  3.00 ms  2.50 ms  0.833  0.500 to 1.000\n");
}

TEST(Compared, a_time_has_the_unit_in_which_it_is_a_small_number) {
  const auto text = [](double s) { return text_of(compare_rounds(rounds({s}), rounds({s})), "", "", 1); };
  EXPECT_THAT(text(82.5e-9), HasSubstr("82.50 ns"));
  EXPECT_THAT(text(7e-6), HasSubstr("7.00 us"));
  EXPECT_THAT(text(1.5), HasSubstr("1.50 s"));
}

}  // namespace
}  // namespace tarry
