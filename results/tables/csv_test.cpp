#include "results/tables/csv.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tarry {
namespace {

struct Said {
  std::optional<std::int64_t> number;
  std::string words;
};

std::string csv_of(const std::vector<Said>& rows) {
  return csv_text(make_table<Said>("said", rows, {column_of<&Said::number>("n_ns"), column_of<&Said::words>("words")}));
}

TEST(Csv, has_a_header_line_and_a_line_for_each_row) {
  EXPECT_EQ(csv_of({}), "n_ns,words\n");
  EXPECT_EQ(csv_of({{1, "a"}, {-2, "b c"}}), "n_ns,words\n1,a\n-2,b c\n");
}

TEST(Csv, leaves_a_field_empty_where_there_is_no_value) { EXPECT_EQ(csv_of({{{}, ""}}), "n_ns,words\n,\n"); }

TEST(Csv, puts_commas_quotes_and_ends_of_lines_in_quotes_and_doubles_quotes) {
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_field("plain; it's"), "plain; it's");
}

}  // namespace
}  // namespace tarry
