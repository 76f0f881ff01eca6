#include "results/text_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Wrapped, lines_are_no_longer_than_the_width_and_a_longer_word_stands_alone) {
  EXPECT_EQ(wrapped("aaa bbb ccc", " ", 8), " aaa bbb\n ccc\n");
  EXPECT_EQ(wrapped("aaa bbb ccc", " ", 7), " aaa\n bbb\n ccc\n");
  EXPECT_EQ(wrapped("a bbbbbbbbbbbb c", "", 5), "a\nbbbbbbbbbbbb\nc\n");
}

TEST(Wrapped, a_line_break_of_the_text_stays) { EXPECT_EQ(wrapped("a b\nc", "  ", 80), "  a b\n  c\n"); }

TEST(Wrapped, a_letter_of_several_bytes_takes_one_column) {
  EXPECT_EQ(letters_in("±█µs"), 4u);
  EXPECT_EQ(wrapped("±± ±±", "", 5), "±± ±±\n");
}

TEST(Bar, fills_its_share_of_the_room_in_eighths_of_a_letter) {
  EXPECT_EQ(bar_of(0, 4), "");
  EXPECT_EQ(bar_of(0.5, 4), "██");
  EXPECT_EQ(bar_of(1, 4), "████");
  EXPECT_EQ(bar_of(0.375, 4), "█▌");
  EXPECT_EQ(bar_of(1.0 / 32, 4), "▏");
}

const TextTable kTable{{"host", "bytes", "use"}, {{"a", "5", "-"}, {"long name", "12345", "-"}}, {1, 0.5}};

TEST(TextTable, has_its_first_column_at_the_left_and_the_others_at_the_right) {
  EXPECT_EQ(text_of({kTable.heads, kTable.rows}, 80),
            "host       bytes\n"
            "a              5\n"
            "long name  12345\n");
}

TEST(TextTable, leaves_out_a_column_that_says_nothing_unless_every_one_is_asked_for) {
  EXPECT_THAT(text_of(kTable, 80), Not(HasSubstr("use")));
  EXPECT_THAT(text_of({kTable.heads, kTable.rows}, 80, true), HasSubstr("long name  12345    -\n"));
}

TEST(TextTable, bars_take_the_room_that_is_left_and_at_the_most_20_letters) {
  EXPECT_THAT(text_of(kTable, 80),
              HasSubstr("a              5  " + bar_of(1, 20) + "\nlong name  12345  " + bar_of(0.5, 20)));
  EXPECT_THAT(text_of(kTable, 24), HasSubstr("a              5  ██████\nlong name  12345  ███\n"));
  EXPECT_THAT(text_of(kTable, 23), HasSubstr("a              5  █████\n"));
  EXPECT_THAT(text_of(kTable, 22), HasSubstr("a              5\nlong name  12345\n"));
  EXPECT_THAT(text_of(kTable, 3), HasSubstr("long name  12345\n"));
}

TEST(Busiest, are_ten_of_more_than_eleven_rows_by_weight) {
  std::vector<double> weights(12, 1);
  weights[11] = 3, weights[5] = 2;
  EXPECT_THAT(busiest(weights, false), ElementsAre(11, 5, 0, 1, 2, 3, 4, 6, 7, 8));
  EXPECT_THAT(others(12, busiest(weights, false)), ElementsAre(9, 10));
}

TEST(Busiest, are_all_rows_as_they_are_where_they_are_few_or_every_one_is_asked_for) {
  const std::vector<double> few{1, 2, 3}, eleven(11, 1), many(30, 1);
  EXPECT_THAT(busiest(few, false), ElementsAre(0, 1, 2));
  EXPECT_EQ(busiest(eleven, false).size(), 11u);
  EXPECT_EQ(busiest(many, true).size(), 30u);
  EXPECT_THAT(others(30, busiest(many, true)), IsEmpty());
}

TEST(Shortened, is_only_a_long_list_and_at_a_comma) {
  std::string names;
  for (int i = 0; i < 90; ++i) names += fmt::format("v{}, ", i);
  EXPECT_EQ(shortened(names.substr(0, 300)), names.substr(0, 300));
  const std::string cut = shortened(names);
  EXPECT_EQ(cut, names.substr(0, 160) + "...");
  EXPECT_EQ(shortened(std::string(400, 'x')), std::string(400, 'x'));
  const std::string said = "worker 1, worker 2: " + std::string(160, 'x');
  EXPECT_EQ(shortened(said + ", y" + std::string(200, 'z')), said + ", ...") << "and not before what they say";
}

}  // namespace
}  // namespace tarry
