#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "properties/conform/explained.hpp"
#include "properties/conform/partition.hpp"
#include "properties/conform/placer.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;

const std::string kData = TARRY_SOURCE_DIR "/properties/conform/data";
constexpr const char* kReleases[] = {"2.15.1", "1.15.0", "1.12.0", "0.12.0"};

const ReleaseTables& tables_of(const std::string& release) {
  static const std::map<std::string, ReleaseTables> all = [] {
    std::map<std::string, ReleaseTables> read;
    for (const char* r : kReleases) read.emplace(r, read_release(kData, r).value());
    return read;
  }();
  return all.at(release);
}

void expect_all(const StatusOr<Agreement>& a, int at_least) {
  ASSERT_TRUE(a.ok()) << a.status().message();
  EXPECT_EQ(a->agreed, a->total) << to_string(*a);
  EXPECT_GE(a->total, at_least);
}

class ConformPlacer : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformPlacer, device_names_are_those_of_tensorflow) {
  expect_all(conform_names(fmt::format("{}/names-{}.jsonl.zst", kData, GetParam()), GetParam()), 190);
}

TEST_P(ConformPlacer, placements_and_errors_are_those_of_tensorflow) {
  expect_all(conform_placer(kData, kData, GetParam()), 250);
}

// ---- errors are explained ----

TEST_P(ConformPlacer, every_error_is_explained_by_a_minimal_conflict) {
  expect_all(conform_explanations(kData, kData, GetParam()), 60);
}
TEST_P(ConformPlacer, every_error_of_a_vector_is_explained_by_a_minimal_conflict) {
  expect_all(conform_vector_explanations(kData, kData, GetParam()), 20);
}

INSTANTIATE_TEST_SUITE_P(Releases, ConformPlacer, ::testing::ValuesIn(kReleases));

// ---- the vectors of docs/rules/placer.md#E.2 to #E.6, a test each ----

struct Vector {
  std::string release;
  Json the_case, outcome;
};

std::vector<Vector> all_vectors() {
  std::vector<Vector> vectors;
  for (const char* release : kReleases)
    (void)for_each_line(fmt::format("{}/vectors-{}.jsonl.zst", kData, release), [&](const Json& row) {
      vectors.push_back({release, row["case"], row["outcome"]});
      return Status();
    });
  return vectors;
}

std::string test_name(const ::testing::TestParamInfo<Vector>& info) {
  std::string name = info.param.the_case["id"].get<std::string>() + " in " + info.param.release;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class SpecificationVector : public ::testing::TestWithParam<Vector> {};

TEST_P(SpecificationVector, is_answered_as_tensorflow_answers_it) {
  Agreement agreement;
  judge_placement(GetParam().the_case, GetParam().outcome, tables_of(GetParam().release), agreement);
  EXPECT_EQ(agreement.agreed, 1) << to_string(agreement);
}

INSTANTIATE_TEST_SUITE_P(All, SpecificationVector, ::testing::ValuesIn(all_vectors()), test_name);

TEST(SpecificationVectors, are_all_there) { EXPECT_EQ(all_vectors().size(), 67u + 75u + 118u + 118u); }

// ---- partitions ----

class ConformPartition : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformPartition, partitions_are_those_of_tensorflow_to_the_last_name) {
  const bool is_oldest = GetParam() == std::string("0.12.0");  // which refused some of the cases
  expect_all(conform_partition(kData + "/partition", kData, GetParam()), is_oldest ? 57 : 80);
}

INSTANTIATE_TEST_SUITE_P(Releases, ConformPartition, ::testing::ValuesIn(kReleases));

// A folder of recordings with one graph on one device.
StatusOr<Agreement> agreement_of(const std::string& cases, const std::string& outcomes) {
  const std::string folder = ::testing::TempDir() + "tarry_recordings";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/cases.jsonl") << cases;
  std::ofstream(folder + "/outcomes-2.15.1.jsonl") << outcomes;
  return conform_partition(folder, kData, "2.15.1");
}
std::string failure_of(const std::string& cases, const std::string& outcomes) {
  return std::string(text_of(agreement_of(cases, outcomes).status()));
}

const std::string kCase =
    R"({"id":"a","devices":["/job:a/replica:0/task:0/device:CPU:0"],"nodes":[["l","NoOp",[],"",{}],)"
    R"(["m","NoOp",["^l"],"",{}],["n","NoOp",["^m"],"",{}]],"partition":{"by":"device"}})"
    "\n";

TEST(Conform, a_broken_recording_is_an_error_that_names_the_line) {
  EXPECT_THAT(failure_of(kCase + kCase, ""), HasSubstr("cases.jsonl:2: case a is here already"));
  EXPECT_THAT(failure_of("{}\n", ""), HasSubstr("cases.jsonl:1: not of the recordings' form"));
  EXPECT_THAT(failure_of(kCase, "{\"id\":\"b\"}"), HasSubstr("outcomes-2.15.1.jsonl:1: outcome of an unknown case b"));
  EXPECT_THAT(failure_of(kCase, R"({"id":"a","place":[0,0],"parts":{}})"),
              HasSubstr("outcomes-2.15.1.jsonl:1: not of the recordings' form"));
  EXPECT_THAT(failure_of(kCase, R"({"id":"a","place":"here","parts":{}})"), HasSubstr("not of the recordings' form"));
}

TEST(Conform, a_device_that_the_case_lacks_and_a_refused_cut_are_compared) {
  const auto far = agreement_of(kCase, R"({"id":"a","place":[0,0,7],"parts":{}})");
  ASSERT_TRUE(far.ok()) << far.status();
  EXPECT_THAT(to_string(*far), HasSubstr("node 2 is placed on device 7; the case has 1"));
  const auto refused = agreement_of(kCase, R"({"id":"a","place":[0,0,0],"stage":"partition","code":3,"msg":"no"})");
  ASSERT_TRUE(refused.ok()) << refused.status();
  EXPECT_EQ(refused->agreed, 0);
  EXPECT_THAT(to_string(*refused), HasSubstr("theirs: no\n  ours:   partitions"));
  EXPECT_EQ(agreement_of(kCase, R"({"id":"a","stage":"place","code":3,"msg":"no"})")->total, 0);
}

TEST(Conform, a_missing_folder_is_an_error) { EXPECT_FALSE(conform_placer("/nowhere", kData, "2.15.1").ok()); }

TEST(Conform, a_release_takes_its_own_tables_and_those_of_2_15_for_other_ops) {
  const auto whole = read_whole_release(kData, "0.12");
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->own.contains("Variable"));
  EXPECT_FALSE(whole->own.contains("Conv2D"));
  EXPECT_NE(whole->tables.ops.find("Conv2D"), nullptr);
}

}  // namespace
}  // namespace tarry
