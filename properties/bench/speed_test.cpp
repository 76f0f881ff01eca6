#include "properties/bench/speed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::HasSubstr;

const std::string kHeader = "commit,machine,figure,reference_loops\n";

std::string file(const std::string& kept, const std::vector<Speed>& rows) {
  return with_speeds(kept, "abc", "m x 2", rows).value();
}

TEST(Speed, an_empty_file_gets_its_header_and_a_row_for_each_figure) {
  EXPECT_EQ(file("", {{"a", 1}, {"b", 2}}), kHeader + "abc,m x 2,a,1.0000e+00\nabc,m x 2,b,2.0000e+00\n");
}

TEST(Speed, rows_stand_behind_those_that_are_there) {
  EXPECT_EQ(file(kHeader + "old,m,a,1.0000e+00\n", {{"b", 2}}),
            kHeader + "old,m,a,1.0000e+00\nabc,m x 2,b,2.0000e+00\n");
}

TEST(Speed, a_last_line_without_an_end_gets_one) {
  EXPECT_EQ(file(kHeader + "old,m,a,1.0000e+00", {}), kHeader + "old,m,a,1.0000e+00\n");
}

TEST(Speed, a_ratio_has_five_digits_however_large_it_is) {
  EXPECT_THAT(file("", {{"a", 1.0 / 3e5}}), HasSubstr(",3.3333e-06\n"));
  EXPECT_THAT(file("", {{"a", 98765.4321}}), HasSubstr(",9.8765e+04\n"));
}

TEST(Speed, a_figure_with_a_comma_is_one_field) {
  EXPECT_THAT(file("", {{"event heap, timers", 1}}), HasSubstr("abc,m x 2,\"event heap, timers\",1.0000e+00\n"));
}

TEST(Speed, a_file_with_another_header_is_refused_with_what_was_expected) {
  const auto refused = with_speeds("commit,seconds\nx,1\n", "abc", "m", {});
  EXPECT_EQ(text_of(refused.status()),
            "line 1: expected 'commit,machine,figure,reference_loops', and it is 'commit,seconds'");
}

TEST(Machine, is_the_processors_model_and_their_number) {
  EXPECT_EQ(machine_name("processor\t: 0\nmodel name\t: Quick 9\ncache size\t: 1 KB\n", "x86_64", 4), "Quick 9 x 4");
  EXPECT_EQ(machine_name("processor\t: 0\nBogoMIPS\t: 50\n", "aarch64", 2), "aarch64 x 2");
}

}  // namespace
}  // namespace tarry
