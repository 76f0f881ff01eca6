#include "properties/conform/judged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// Worker 0 is beside the server, workers 1 and 2 are equal; four aggregates count.
RecordedConfig cluster() {
  RecordedConfig c;
  c.workers = c.replicas = 3;
  c.aggregates = 4;
  c.latency = {{0}, {1}, {1}};
  c.compute = {{1}, {1}, {1}};
  c.absent.assign(3, false);
  c.late = c.hold = {0, 0, 0};
  return c;
}

RunSums sums(std::vector<Counts> vectors, Counts dropped, double seconds = 1) {
  return {.variables = {{std::move(vectors), std::move(dropped), 0}},
          .steps = {6, 3, 3},
          .pushes = {6, 4, 3},
          .seconds = {{"seconds per aggregate", seconds}}};
}

const std::vector<Counts> kLoneFirst = {{3, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
const std::vector<Counts> kTwoLone = {{3, 0, 0}, {3, 0, 0}, {1, 1, 1}, {1, 1, 1}};

Judged judged(const Json& j) {
  const auto read = read_judged({{"judged", j}}, 4);
  EXPECT_TRUE(read.ok()) << read.status();
  return read.value_or(Judged{});
}

std::string difference(const Json& j, RunSums theirs, RunSums ours) {
  const RunPair pair{std::move(theirs), std::move(ours)};
  return compare_runs(judged(j), {&pair, 1}, cluster());
}

TEST(Judged, what_a_recording_says_is_read) {
  const Judged j = judged({{"class", "totals"},
                           {"also", {{"vectors", {{1, {3, 0, 0}}, {"rest", {1, 1, 1}}}}, {"dropped", {1, 1, 1}}}},
                           {"dropped", false},
                           {"seconds", false},
                           {"slack", 18},
                           {"why", "a race"}});
  EXPECT_EQ(j.by, Judged::Class::totals);
  EXPECT_EQ(j.also->vectors, kLoneFirst);
  EXPECT_EQ(j.also->dropped, (Counts{1, 1, 1}));
  EXPECT_EQ(std::tuple(j.dropped, j.seconds, j.slack, j.why), std::tuple(false, false, 18, "a race"));
}

TEST(Judged, what_is_missing_or_unknown_is_refused) {
  const auto refusal = [](const Json& recorded) { return std::string(text_of(read_judged(recorded, 4).status())); };
  EXPECT_THAT(refusal(Json::object()), HasSubstr("no 'judged'; a recorded run says how it is compared"));
  EXPECT_THAT(refusal({{"judged", Json::object()}}), HasSubstr("expected \"class\": \"exact\" or \"totals\""));
  EXPECT_THAT(refusal({{"judged", {{"class", "near"}}}}), HasSubstr("found \"near\""));
  EXPECT_THAT(refusal({{"judged", {{"class", "exact"}, {"slak", 3}}}}), HasSubstr("unknown key 'slak'"));
  EXPECT_THAT(refusal({{"judged", {{"class", "exact"}, {"slack", "much"}}}}), HasSubstr("judged: "));
}

// ---- each field has its effect: without it, or with another value, the same runs are judged otherwise ----

TEST(JudgedExactly, equal_workers_may_be_exchanged_and_others_may_not) {
  const RunSums theirs = {.variables = {{{{1, 2, 0}}, {0, 1, 0}, 0}}, .steps = {6, 4, 3}, .pushes = {6, 4, 3}};
  const RunSums exchanged = {.variables = {{{{1, 0, 2}}, {0, 0, 1}, 0}}, .steps = {6, 3, 4}, .pushes = {6, 3, 4}};
  const RunSums half = {.variables = {{{{1, 0, 2}}, {0, 1, 0}, 0}}, .steps = {6, 3, 4}, .pushes = {6, 3, 4}};
  const RunSums with_chief = {.variables = {{{{2, 1, 0}}, {1, 0, 0}, 0}}, .steps = {4, 6, 3}, .pushes = {4, 6, 3}};
  EXPECT_EQ(difference({{"class", "exact"}}, theirs, exchanged), "");
  EXPECT_NE(difference({{"class", "exact"}}, theirs, half), "");
  EXPECT_NE(difference({{"class", "exact"}}, theirs, with_chief), "");
}

TEST(JudgedExactly, one_repetition_is_enough_and_sixty_four_equal_workers_take_no_time) {
  RecordedConfig c = cluster();
  c.workers = 64;
  c.latency.assign(64, {0});
  c.compute.assign(64, {1});
  c.absent.assign(64, false);
  c.late = c.hold = std::vector<double>(64, 0);
  RunSums theirs{.variables = {{{Counts(64, 1)}, Counts(64, 0), 0}}}, ours = theirs, other = theirs;
  theirs.variables[0].dropped[3] = ours.variables[0].dropped[60] = 1;
  const std::vector<RunPair> both = {{other, ours}, {theirs, ours}};
  EXPECT_EQ(compare_runs(judged({{"class", "exact"}}), both, c), "");
  EXPECT_NE(compare_runs(judged({{"class", "exact"}}), std::span(both).first(1), c), "");
}

TEST(JudgedExactly, vectors_drops_steps_and_pushes_all_count) {
  const RunSums theirs = sums(kLoneFirst, {1, 1, 1});
  EXPECT_EQ(difference({{"class", "exact"}}, theirs, theirs), "");
  EXPECT_NE(difference({{"class", "exact"}}, theirs, sums(kTwoLone, {1, 1, 1})), "");
  EXPECT_NE(difference({{"class", "exact"}}, theirs, sums(kLoneFirst, {1, 2, 1})), "");
  for (Counts RunSums::*counts : {&RunSums::steps, &RunSums::pushes}) {
    RunSums other = theirs;
    ++(other.*counts)[0];
    EXPECT_NE(difference({{"class", "exact"}}, theirs, other), "");
  }
}

TEST(JudgedExactly, every_variable_of_ours_is_like_the_one_that_it_stands_for) {
  RunSums theirs = sums(kLoneFirst, {1, 1, 1}), ours = theirs;
  theirs.variables.push_back({kTwoLone, {0, 0, 0}, 1});
  ours.variables = {theirs.variables[1], theirs.variables[0], theirs.variables[1]};
  EXPECT_EQ(difference({{"class", "exact"}}, theirs, ours), "");
  ours.variables[2].stands_for = 0;
  EXPECT_NE(difference({{"class", "exact"}}, theirs, ours), "");
}

TEST(JudgedExactly, a_recording_without_vectors_agrees_with_nothing_but_what_it_says) {
  const RunSums none{.steps = {6, 3, 3}};
  EXPECT_NE(difference({{"class", "exact"}}, none, sums(kLoneFirst, {1, 1, 1})), "");
  const Json with = {{"class", "exact"}, {"also", {{"vectors", {{1, {3, 0, 0}}, {"rest", {1, 1, 1}}}}}}};
  EXPECT_EQ(difference(with, none, sums(kLoneFirst, {1, 1, 1})), "");
}

TEST(JudgedExactly, also_gives_vectors_and_drops_that_agree_besides) {
  const RunSums theirs = sums(kTwoLone, {1, 1, 1}), ours = sums(kLoneFirst, {0, 2, 1});
  const Json vectors = {{1, {3, 0, 0}}, {"rest", {1, 1, 1}}};
  const auto with = [](Json also) { return Json{{"class", "exact"}, {"also", std::move(also)}}; };
  EXPECT_NE(difference({{"class", "exact"}}, theirs, ours), "");
  EXPECT_EQ(difference(with({{"vectors", vectors}, {"dropped", {0, 1, 2}}}), theirs, ours), "");
  EXPECT_EQ(difference(with({{"vectors", vectors}}), theirs, ours), "");
  EXPECT_NE(difference(with({{"vectors", vectors}, {"dropped", {1, 1, 1}}}), theirs, ours), "");
  EXPECT_NE(difference(with({{"vectors", {{2, {3, 0, 0}}, {"rest", {1, 1, 1}}}}, {"dropped", {0, 1, 2}}}),
                       sums(kLoneFirst, {1, 1, 1}), ours),
            "");
}

TEST(JudgedExactly, drops_are_not_compared_where_the_recording_says_so) {
  const RunSums theirs = sums(kLoneFirst, {1, 1, 1}), ours = sums(kLoneFirst, {3, 0, 0});
  EXPECT_NE(difference({{"class", "exact"}, {"dropped", true}}, theirs, ours), "");
  EXPECT_EQ(difference({{"class", "exact"}, {"dropped", false}}, theirs, ours), "");
}

RunSums many(std::int64_t accepted, std::int64_t dropped, double seconds = 1) {
  return {.variables = {{{{accepted, 50, 50}}, {dropped, 5, 5}, 0}},
          .steps = {100, 50, 50},
          .seconds = {{"seconds per aggregate", seconds}}};
}

TEST(JudgedByTotals, the_class_decides_between_every_vector_and_sums) {
  EXPECT_NE(difference({{"class", "exact"}}, many(100, 10), many(102, 10)), "");
  EXPECT_EQ(difference({{"class", "totals"}}, many(100, 10), many(102, 10)), "");
}

TEST(JudgedByTotals, the_range_of_the_repetitions_is_widened_by_a_twentieth_or_the_slack) {
  EXPECT_EQ(difference({{"class", "totals"}}, many(100, 10), many(105, 13)), "");
  EXPECT_THAT(difference({{"class", "totals"}}, many(100, 10), many(106, 10)), HasSubstr("accepted of group 0"));
  EXPECT_THAT(difference({{"class", "totals"}}, many(100, 10), many(100, 14)), HasSubstr("dropped of group 0"));
  EXPECT_EQ(difference({{"class", "totals"}, {"slack", 18}}, many(100, 10), many(118, 28)), "");
  EXPECT_THAT(difference({{"class", "totals"}, {"slack", 0}}, many(100, 10), many(100, 11)), HasSubstr("dropped"));
  const std::vector<RunPair> two = {{many(100, 10), many(130, 10)}, {many(130, 10), many(130, 10)}};
  EXPECT_EQ(compare_runs(judged({{"class", "totals"}}), two, cluster()), "");
}

TEST(JudgedByTotals, drops_and_times_are_not_compared_where_the_recording_says_so) {
  EXPECT_EQ(difference({{"class", "totals"}, {"dropped", false}}, many(100, 10), many(100, 90)), "");
  EXPECT_EQ(difference({{"class", "totals"}}, many(100, 10), many(100, 10, 1.08)), "");
  EXPECT_THAT(difference({{"class", "totals"}}, many(100, 10), many(100, 10, 1.09)), HasSubstr("seconds per"));
  EXPECT_EQ(difference({{"class", "totals"}, {"seconds", false}}, many(100, 10), many(100, 10, 1.09)), "");
}

TEST(JudgedByTotals, steps_full_and_mixed_aggregates_count) {
  RunSums theirs = many(100, 10), ours = theirs;
  ours.steps[0] += 6;
  EXPECT_THAT(difference({{"class", "totals"}}, theirs, ours), HasSubstr("steps of group 0"));
  theirs = ours = {.variables = {{std::vector<Counts>(8, {1, 1, 1}), {}, 0}}};
  ours.variables[0].vectors = std::vector<Counts>(8, {2, 1, 0});
  ours.variables.push_back({std::vector<Counts>(8, {1, 1, 1}), {}, 0});
  EXPECT_THAT(difference({{"class", "totals"}, {"slack", 7}}, theirs, ours), HasSubstr("mixed aggregates"));
  ours = {.variables = {{std::vector<Counts>(8, {1, 1, 2}), {}, 0}}};
  EXPECT_THAT(difference({{"class", "totals"}, {"slack", 7}}, theirs, ours), HasSubstr("aggregates above R"));
}

TEST(Judged, the_reason_stands_beside_a_difference) {
  EXPECT_THAT(difference({{"class", "totals"}, {"why", "ties"}}, many(100, 10), many(200, 10)), HasSubstr("ties"));
}

}  // namespace
}  // namespace tarry
