#include "scenarios/sweep/fitted_table.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

using Words = std::vector<std::string>;

TEST(FittedTable, breaks_long_heads_behind_their_underscores) {
  EXPECT_EQ(broken("gradients_per_second (1/s)", "_. ", 12), (Words{"gradients_", "per_second", "(1/s)"}));
  EXPECT_EQ(broken("gradients_per_second (1/s)", "_. ", 20), (Words{"gradients_per_second", "(1/s)"}));
  EXPECT_EQ(broken("time", "_. ", 2), Words{"time"});
  EXPECT_EQ(broken("", "_. ", 2), Words{""});
  EXPECT_EQ(fitted_table({{"build.chiefs", "step_time_p50 (s)", "verdicts"}, {"1", "0.1 ± 0.2", "fair"}}, 1, 100),
            "              step_time_\nbuild.chiefs  p50 (s)     verdicts\n1             0.1 ± 0.2   fair\n");
}

TEST(FittedTable, goes_on_below_with_its_keys_where_it_is_too_wide) {
  EXPECT_EQ(fitted_table({{"w", "aaaa", "bbbb", "verdicts"}, {"4", "1", "2", "x"}, {"8", "3", "4", "y"}}, 1, 13),
            "w  aaaa  bbbb\n4  1     2\n8  3     4\n\nw  verdicts\n4  x\n8  y\n");
}

TEST(FittedTable, breaks_what_is_said_in_the_last_column) {
  const std::string said = "2 of 3 failed: a file that nobody ever found anywhere";
  EXPECT_EQ(fitted_table({{"w", "a", "verdicts"}, {"4", "1", said}, {"8", "2", "fair"}}, 1, 35),
            "w  a  verdicts\n4  1  2 of 3 failed: a file that\n      nobody ever found anywhere\n8  2  fair\n");
}

}  // namespace
}  // namespace tarry
