#include "properties/bench/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kPublishedHeader[] = "graph,batch,workers,ps,gpus,images_per_second,fitted\n";

std::string refusal(const std::string& text) {
  return std::string(text_of(read_published(text, "published.csv").status()));
}
std::vector<Published> rows(const std::string& lines) {
  return read_published(kPublishedHeader + lines, "p.csv").value();
}

TEST(Published, rows_are_read_field_by_field) {
  const auto read = rows("resnet50_b64,64,2,1,8,751.5,yes\n\ninception3_b32,32,4,6,1,29.2,no\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].graph, "resnet50_b64");
  EXPECT_THAT((std::vector{read[0].batch, read[0].workers, read[0].ps, read[0].gpus}), ElementsAre(64, 2, 1, 8));
  EXPECT_EQ(read[0].images_per_second, 751.5);
  EXPECT_TRUE(read[0].fitted);
  EXPECT_FALSE(read[1].fitted);
}

TEST(Published, mistakes_are_told_with_their_line) {
  EXPECT_THAT(refusal("graph,batch\n"), StartsWith("published.csv:1: expected the header 'graph,batch,workers"));
  EXPECT_THAT(refusal(kPublishedHeader), StartsWith("published.csv:2: expected a row"));
  for (const char* line :
       {"g,64,1,1,1,10", ",64,1,1,1,10,no", "g,0,1,1,1,10,no", "g,64,-1,1,1,10,no", "g,64,1,x,1,10,no",
        "g,64,1,1,1.5,10,no", "g,64,1,1,1,0,no", "g,64,1,1,1,inf,no", "g,64,1,1,1,10,maybe"})
    EXPECT_THAT(refusal(std::string(kPublishedHeader) + "g,64,1,1,1,10,no\n" + line),
                testing::AllOf(StartsWith("published.csv:3: expected graph,batch"), HasSubstr(line)));
}

TEST(Published, rows_set_the_keys_of_a_scenario) {
  EXPECT_THAT(keys_of(rows("resnet50_b64,64,2,3,8,751,no")[0]),
              ElementsAre("build.graph=resnet50_b64", "build.towers=8", "cluster.tasks.worker.count=2",
                          "cluster.tasks.ps.count=3"));
}

TEST(ImagesPerSecond, are_those_between_the_first_and_the_last_step_of_all_workers) {
  Contributions c;
  c.workers = {{.step_ended = {9'000'000'000, 10'000'000'000, 11'000'000'000}}, {.step_ended = {0, 4'000'000'000}}};
  EXPECT_EQ(images_per_second(rows("g,10,2,1,3,1,no")[0], c).value(), 30.0 + 7.5);
}

TEST(ImagesPerSecond, need_two_steps_of_each_worker) {
  Contributions c;
  c.workers = {{.step_ended = {1}}};
  EXPECT_EQ(images_per_second(rows("g,10,1,1,1,1,no")[0], c).status().code(), Code::kFailedPrecondition);
}

Predicted predicted(double published, double found, bool fitted) {
  return {"m", {"g", 1, 1, 1, 1, published, fitted}, found};
}

TEST(Calibration, sums_up_errors_of_all_points_and_of_those_that_were_not_fitted) {
  const std::vector<Predicted> all = {predicted(100, 101, true), predicted(100, 95, false), predicted(200, 206, false)};
  EXPECT_EQ(calibration_summary("m", all),
            "m: 3 points: mean error 3.0 %, worst 5.0 %; 2 that were not fitted: mean error 4.0 %, worst 5.0 %\n");
  EXPECT_EQ(calibration_summary("m", std::span(all).first(1)), "m: 1 points: mean error 1.0 %, worst 1.0 %\n");
}

TEST(Calibration, lines_say_what_was_published_and_what_is_predicted) {
  EXPECT_THAT(calibration_line(predicted(100, 95, true)), HasSubstr("100.0       95.0   -5.0 % fitted"));
  EXPECT_EQ(
      calibration_csv(std::vector{predicted(100, 95, false)}),
      "machine,graph,batch,workers,ps,gpus,published,predicted,error_percent,fitted\nm,g,1,1,1,1,100.0,95.0,-5.0,no\n");
}

}  // namespace
}  // namespace tarry
