#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/core/folder_test.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/altered.hpp"
#include "properties/conform/apart.hpp"
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

void expect_all_of_any_op(const std::string& folder, int at_least) {
  const auto release = read_whole_release(kData, "2.15.1").value();
  expect_all(judge_vectors(folder, kData + "/" + folder, "2.15.1",
                           [&](const Json& c, const Json& outcome, Agreement& agreement) {
                             judge_placement(c, outcome, release.tables, agreement);
                           }),
             at_least);
}

// Variants of lists, optionals and datasets: what holds host-only data stays on the CPU.
TEST(ConformHostOnly, placements_and_errors_are_those_of_tensorflow) { expect_all_of_any_op("host_only", 600); }

// One of each op of 2.15.1, asked for a GPU: kernels, constraints, groups, and the texts of errors.
TEST(ConformEachOp, placements_and_errors_are_those_of_tensorflow) { expect_all_of_any_op("each_op", 1800); }

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
  const Folder folder;
  folder.put("cases.jsonl", cases);
  folder.put("outcomes-2.15.1.jsonl", outcomes);
  return conform_partition(folder.path(), kData, "2.15.1");
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

// ---- recordings that somebody changed ----

std::vector<Json> rows_of(const std::string& file) {
  std::vector<Json> rows;
  (void)for_each_line(kData + "/" + file + ".zst", [&](const Json& row) {
    rows.push_back(row);
    return Status();
  });
  return rows;
}

// What becomes of it: a child process that is ended by a signal or by an exception is INTERNAL.
template <class Judge>
Status judged(Judge judge) {
  return judge_apart([&]() -> StatusOr<nlohmann::json> {
           TARRY_RETURN_IF_ERROR(judge().status());
           return nlohmann::json();
         })
      .status();
}

std::string altered_row(const Json& row, std::uint64_t seed) {
  return Alteration(seed).of(nlohmann::json::parse(row.dump()));
}

RC_GTEST_PROP(AlteredVector, is_judged_or_refused, (std::uint64_t seed)) {
  const std::string release = *rc::gen::element("2.15.1", "0.12.0"), file = fmt::format("vectors-{}.jsonl", release);
  const Folder folder;
  const std::string row = altered_row(*rc::gen::elementOf(rows_of(file)), seed);
  folder.put(file, row);
  const Status s = judged([&] { return conform_placer_vectors(folder.path(), kData, release); });
  const Status e = judged([&] { return conform_vector_explanations(folder.path(), kData, release); });
  RC_LOG() << s << "\n" << e << "\n" << row << "\n";
  RC_ASSERT(s.code() != Code::kInternal && e.code() != Code::kInternal);
}

RC_GTEST_PROP(AlteredNames, are_judged_or_refused, (std::uint64_t seed)) {
  const Folder folder;
  const std::string file = "names-1.12.0.jsonl", row = altered_row(*rc::gen::elementOf(rows_of(file)), seed);
  folder.put(file, row);
  const Status s = judged([&] { return conform_names(folder.path() + "/" + file, "1.12.0"); });
  RC_LOG() << s << "\n" << row << "\n";
  RC_ASSERT(s.code() != Code::kInternal);
}

RC_GTEST_PROP(AlteredCut, is_judged_or_refused, (std::uint64_t seed, bool alters_case)) {
  const std::string release = "2.15.1", outcomes = fmt::format("outcomes-{}.jsonl", release);
  const Folder folder;
  static const std::vector<Json> cases = rows_of("partition/cases.jsonl"), answers = rows_of("partition/" + outcomes);
  const Json answer = *rc::gen::elementOf(answers);
  const Json the_case = *std::ranges::find(cases, answer.at("id"), [](const Json& c) { return c.at("id"); });
  folder.put("cases.jsonl", alters_case ? altered_row(the_case, seed) : the_case.dump());
  folder.put(outcomes, alters_case ? answer.dump() : altered_row(answer, seed));
  const Status s = judged([&] { return conform_partition(folder.path(), kData, release); });
  RC_LOG() << s << "\n" << *read_file(folder.path() + "/cases.jsonl") << *read_file(folder.path() + "/" + outcomes);
  RC_ASSERT(s.code() != Code::kInternal);
}

RC_GTEST_PROP(AlteredTables, are_read_or_refused, (std::uint64_t seed)) {
  const std::string release = "1.12.0", file = *rc::gen::element("ops", "kernels") + std::string("-1.12.0.jsonl");
  const Folder folder;
  folder.put("testops.json", R"({"ops": []})");
  folder.put("ops-1.12.0.jsonl", "");
  folder.put("kernels-1.12.0.jsonl", "");
  folder.put("types-1.12.0.txt", "CPU");
  folder.put(file, altered_row(*rc::gen::elementOf(rows_of(file)), seed));
  const Status s = judged([&] { return read_release(folder.path(), release); });
  RC_LOG() << s << "\n" << *read_file(folder.path() + "/" + file);
  RC_ASSERT(s.code() != Code::kInternal);
}

}  // namespace
}  // namespace tarry
