#include "scenarios/sweep/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "placer/core/folder_test.hpp"
#include "results/tables/sqlite.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

class Rows : public testing::Test {
 protected:
  StatusOr<RowFile> open(const std::string& version = "v1") { return RowFile::open(path_, plan_, version); }

  const Folder folder_;
  const std::string path_ = folder_.path() + "/rows.sqlite";
  SweepPlan plan_{.title = "it's",
                  .axes = {"a \"b\""},
                  .arms = {{{"1"}, {"x", "s"}}, {{"it's, 2"}, {"y", "s"}}},
                  .measures = {find_measure("time"), find_measure("bytes")}};
};

TEST_F(Rows, come_back_by_arm_and_seed_whatever_the_order_in_which_they_were_added) {
  RowFile file = open().value();
  ASSERT_TRUE(file.add({1, 2, "h", "hang", "", {1.5, std::nullopt}}).ok());
  ASSERT_TRUE(file.add({0, 9, "", "", "no memory", {std::nullopt, std::nullopt}}).ok());
  ASSERT_TRUE(file.add({1, 1, "g", "", "", {2.0, 3.0}}).ok());
  const auto rows = file.rows().value();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].error, "no memory");
  EXPECT_EQ(std::tuple(rows[1].arm, rows[1].seed, rows[1].hash), std::tuple(1u, 1u, "g"));
  EXPECT_EQ(rows[2].verdicts, "hang");
  EXPECT_EQ(rows[2].measures, (std::vector<std::optional<double>>{1.5, std::nullopt}));
}

TEST_F(Rows, that_another_sweep_wrote_meanwhile_are_refused_in_words) {
  RowFile one = open().value(), other = open().value();
  ASSERT_TRUE(one.add({0, 1, "h", "", "", {1.0, 2.0}}).ok());
  EXPECT_THAT(
      std::string(text_of(other.add({0, 1, "h", "", "", {1.0, 2.0}}))),
      HasSubstr("rows.sqlite: another sweep has written the same run into it meanwhile; run this command again"));
}

TEST_F(Rows, are_there_when_the_file_is_opened_again) {
  ASSERT_TRUE(open()->add({0, 1, "h", "", "", {1.0, 2.0}}).ok());
  EXPECT_EQ(open()->rows()->size(), 1u);
}

TEST_F(Rows, keep_whether_the_run_reached_its_stop_and_what_an_update_is) {
  RowFile file = open().value();
  ASSERT_TRUE(file.add({0, 1, "h", "stuck", "", {1.0, 2.0}, true, "step"}).ok());
  ASSERT_TRUE(file.add({0, 2, "h", "", "", {1.0, 2.0}, false, "aggregate"}).ok());
  ASSERT_TRUE(file.add({0, 3, "", "", "no memory", {{}, {}}}).ok());
  const auto rows = file.rows().value();
  EXPECT_EQ(std::pair(rows[0].reached_stop, rows[0].update_is), std::pair(true, std::string("step")));
  EXPECT_EQ(std::pair(rows[1].reached_stop, rows[1].update_is), std::pair(false, std::string("aggregate")));
  EXPECT_TRUE(rows[2].reached_stop) << "a run that failed says nothing";
}

TEST_F(Rows, of_another_plan_or_another_version_are_refused) {
  ASSERT_TRUE(open().ok());
  EXPECT_THAT(std::string(text_of(open("v2").status())), HasSubstr("its rows are of v1, and this is v2"));
  plan_.measures.pop_back();
  EXPECT_THAT(std::string(text_of(open().status())),
              HasSubstr("rows.sqlite: it has the rows of another plan: its measures are "));
}

TEST_F(Rows, of_a_scenario_whose_files_changed_are_of_another_plan) {
  plan_.files = {{"a.csv", "1"}, {"b.csv", "2"}};
  ASSERT_TRUE(open().ok());
  EXPECT_TRUE(open().ok());
  const auto says = [&](std::map<std::string, std::string> files) {
    plan_.files = std::move(files);
    return std::string(text_of(open().status()));
  };
  EXPECT_THAT(says({{"a.csv", "1"}, {"b.csv", "3"}}), HasSubstr("another plan: the file b.csv has changed; remove"));
  EXPECT_THAT(says({{"a.csv", "1"}}), HasSubstr("another plan: the file b.csv is gone;"));
  EXPECT_THAT(says({{"a.csv", "1"}, {"b.csv", "2"}, {"c", "3"}}), HasSubstr("plan: the file c was not there;"));
}

TEST_F(Rows, of_another_plan_say_what_differs_and_what_to_do) {
  ASSERT_TRUE(open().ok());
  const auto says = [&](auto change) {
    const SweepPlan kept = plan_;
    change(plan_);
    const std::string said(text_of(open().status()));
    plan_ = kept;
    return said;
  };
  EXPECT_THAT(says([](SweepPlan& p) { p.axes[0] = "other"; }), HasSubstr(", and those of the plan are other"));
  EXPECT_THAT(says([](SweepPlan& p) { p.arms[1].values[0] = "seven"; }), HasSubstr("its values in arm 1 are "));
  EXPECT_THAT(
      says([](SweepPlan& p) { p.arms[1].scenario.text += "x: 1"; }),
      HasSubstr("line 1 of the scenario was 'y', and is 'yx: 1'; remove the file to run all anew, or give --out"));
  EXPECT_THAT(says([](SweepPlan& p) { p.arms.pop_back(); }), HasSubstr("another number of arms than the plan, which"));
}

TEST_F(Rows, are_not_written_into_a_file_that_is_something_else) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_FALSE(open().ok());
  EXPECT_EQ(std::filesystem::file_size(path_), 5000u);
}

TEST_F(Rows, are_not_written_into_the_tables_of_another_program) {
  ASSERT_TRUE(SqlDatabase::open(path_)->run("CREATE TABLE other(x)").ok());
  EXPECT_THAT(std::string(text_of(open().status())),
              HasSubstr("rows.sqlite: this is no file of a sweep; give --out another one"));
}

TEST_F(Rows, as_text_are_a_line_each_with_units_in_the_names) {
  EXPECT_EQ(
      csv_of(plan_, {{1, 7, "h", "hang", "", {1.5, std::nullopt}, false, "step"}, {0, 8, "", "", "a \"b\"", {{}, {}}}}),
      "arm,\"a \"\"b\"\"\",seed,hash,verdicts,\"time (s)\",bytes,error,reached_stop,update_is\n"
      "1,\"it's, 2\",7,h,hang,1.5,,,0,step\n0,\"1\",8,,,,,\"a \"\"b\"\"\",,\n");
}

}  // namespace
}  // namespace tarry
