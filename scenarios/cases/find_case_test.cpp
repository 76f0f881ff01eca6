#include "scenarios/cases/find_case.hpp"

#include <gmock/gmock.h>

#include <set>

#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(FindCase, a_case_is_called_by_its_name_with_or_without_its_number) {
  for (const char* asked : {"010_uneven_ps", "10_uneven_ps", "uneven_ps", "010", "10"}) {
    EXPECT_TRUE(is_called("010_uneven_ps", asked)) << asked;
    EXPECT_THAT(find_case(asked, kCases).value(), EndsWith("/010_uneven_ps"));
  }
}
TEST(FindCase, the_case_with_number_0_has_a_number_too) {
  for (const char* asked : {"000_hello", "0_hello", "hello", "000", "0"})
    EXPECT_TRUE(is_called("000_hello", asked)) << asked;
}
TEST(FindCase, a_part_of_a_name_or_another_number_is_another_case) {
  for (const char* asked : {"", "uneven", "1", "100", "100_uneven_ps", "11_uneven_ps", "_uneven_ps"})
    EXPECT_FALSE(is_called("010_uneven_ps", asked)) << asked;
}
TEST(FindCase, no_two_cases_share_a_name_or_a_number) {
  const std::vector<std::string> names = case_names(kCases);
  std::set<std::string> seen;
  for (const std::string& n : names) {
    EXPECT_TRUE(seen.insert(n.substr(0, 3)).second) << n;
    EXPECT_TRUE(seen.insert(n.substr(4)).second) << n;
    EXPECT_EQ(n[3], '_') << n;
  }
  EXPECT_GT(names.size(), 70u);
}
TEST(FindCase, a_name_that_is_near_is_suggested) {
  const auto refusal = [](const std::string& asked) {
    return std::string(find_case(asked, kCases).status().message());
  };
  EXPECT_THAT(refusal("uneven_sp"), HasSubstr("did you mean"));
  EXPECT_THAT(refusal("uneven"), HasSubstr("uneven: no such scenario; did you mean 'uneven_ps' or 'uneven_shards'?"));
  EXPECT_THAT(refusal("worker"), testing::Not(HasSubstr("did you mean"))) << "many have that word";
}

}  // namespace
}  // namespace tarry
