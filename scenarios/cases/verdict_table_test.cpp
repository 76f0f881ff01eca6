// Every verdict is in the table once, with a case that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "placer/graph/read.hpp"
#include "results/verdict.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

std::vector<std::string> expected_kinds(std::string_view case_name) {
  const auto text = read_file(kCases + "/" + std::string(case_name) + "/expected.json");
  return text.ok() ? nlohmann::json::parse(*text).at("verdicts").get<std::vector<std::string>>()
                   : std::vector<std::string>();
}

TEST(VerdictTable, names_a_case_that_shows_each_kind) {
  for (const VerdictKind& v : verdict_table())
    if (!v.shown_by.empty()) EXPECT_THAT(expected_kinds(v.shown_by), testing::Contains(std::string(v.kind))) << v.kind;
}

TEST(VerdictTable, has_each_kind_once_with_a_sentence) {
  std::set<std::string_view> seen;
  for (const VerdictKind& v : verdict_table()) {
    EXPECT_TRUE(seen.insert(v.kind).second) << v.kind;
    EXPECT_TRUE(v.meaning.ends_with('.')) << v.kind;
  }
}

TEST(VerdictTable, only_a_broken_rule_of_our_own_has_no_case) {
  EXPECT_EQ(std::ranges::count(verdict_table(), std::string_view(), &VerdictKind::shown_by), 1);
}

Verdict of_kind(const char* kind) { return {kind, ""}; }

TEST(VerdictTable, the_worst_verdict_gives_the_exit_code) {
  EXPECT_EQ(exit_code_of({}), kOk);
  EXPECT_EQ(exit_code_of(std::vector{of_kind("fair")}), kOk);
  EXPECT_EQ(exit_code_of(std::vector{of_kind("uneven"), of_kind("failed")}), kExpectationFailed);
  EXPECT_EQ(exit_code_of(std::vector{of_kind("failed"), of_kind("stuck")}), kDeadlock);
  EXPECT_EQ(exit_code_of(std::vector{of_kind("stuck"), of_kind("law_broken")}), kSafety);
  EXPECT_EQ(exit_code_of(std::vector{of_kind("stuck"), of_kind("failed")}), kDeadlock);
}

}  // namespace
}  // namespace tarry
