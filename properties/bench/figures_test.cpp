#include "properties/bench/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::HasSubstr;

std::string row(const std::string& name, const std::string& unit) {
  return R"({"name": ")" + name + R"(", "real_time": 8.0, "cpu_time": 2.0, "time_unit": ")" + unit + R"("})";
}

TEST(Figures, are_the_processor_time_of_an_iteration_in_seconds) {
  const auto f = figures_in(R"({"benchmarks": [)" + row("a", "ns") + "," + row("b", "us") + "," + row("c", "ms") + "," +
                            row("d", "s") + "]}");
  ASSERT_TRUE(f.ok());
  ASSERT_EQ(f->size(), 4u);
  EXPECT_EQ((*f)[0].name, "a");
  EXPECT_DOUBLE_EQ((*f)[0].seconds, 2e-9);
  EXPECT_DOUBLE_EQ((*f)[1].seconds, 2e-6);
  EXPECT_DOUBLE_EQ((*f)[2].seconds, 2e-3);
  EXPECT_DOUBLE_EQ((*f)[3].seconds, 2);
}

TEST(Figures, of_benchmarks_that_take_their_time_themselves_are_what_they_tell) {
  EXPECT_EQ(processor_time("flows/iterations:5/manual_time", 8, 2), 8);
  EXPECT_EQ(processor_time("flows/iterations:5", 8, 2), 2);
}

TEST(Figures, are_refused_where_a_file_is_cut_off) {
  EXPECT_THAT(std::string(text_of(figures_in(R"({"benchmarks": [)").status())), HasSubstr("no figures of a bench: "));
  EXPECT_FALSE(figures_in("{}").ok());
}

}  // namespace
}  // namespace tarry
