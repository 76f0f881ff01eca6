#include "scenarios/cli/screen.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(Screen, that_is_no_terminal_is_100_letters_wide_and_has_no_colours_whatever_the_environment_says) {
  const Shown shown = shown_in({.is_terminal = false, .columns_of_terminal = 80, .columns = "70", .term = "xterm"});
  EXPECT_EQ(shown.width, 100u);
  EXPECT_FALSE(shown.colour);
}

TEST(Screen, is_as_wide_as_columns_says_else_as_the_terminal_is) {
  EXPECT_EQ(shown_in({.is_terminal = true, .columns_of_terminal = 80, .columns = "70"}).width, 70u);
  EXPECT_EQ(shown_in({.is_terminal = true, .columns_of_terminal = 80}).width, 80u);
  for (const char* no_number : {"", "wide", "80x", "0", "-5"})
    EXPECT_EQ(shown_in({.is_terminal = true, .columns_of_terminal = 80, .columns = no_number}).width, 80u) << no_number;
  EXPECT_EQ(shown_in({.is_terminal = true}).width, 100u);
}

TEST(Screen, has_colours_unless_no_color_is_set_to_something_or_the_terminal_is_dumb) {
  EXPECT_TRUE(shown_in({.is_terminal = true, .term = "xterm"}).colour);
  EXPECT_TRUE(shown_in({.is_terminal = true, .no_color = "", .term = "xterm"}).colour);
  EXPECT_TRUE(shown_in({.is_terminal = true}).colour);
  EXPECT_FALSE(shown_in({.is_terminal = true, .no_color = "1", .term = "xterm"}).colour);
  EXPECT_FALSE(shown_in({.is_terminal = true, .term = "dumb"}).colour);
}

}  // namespace
}  // namespace tarry
