#include "placer/place/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/place/texts.hpp"

namespace tarry {
namespace {

TEST(Rules, a_release_is_found_by_its_number_or_a_patch_of_it) {
  for (const char* release : {"0.9", "0.12", "1.12", "1.15", "2.15"}) {
    EXPECT_EQ(rules_of(release)->release, release);
    EXPECT_EQ(rules_of(std::string(release) + ".1")->release, release);
  }
}

TEST(Rules, a_release_without_rules_is_refused) {
  for (const char* release : {"3.0", "", "1.1", "1.120", "0.1"}) {
    EXPECT_EQ(rules_of(release).status().code(), Code::kInvalidArgument) << release;
  }
  EXPECT_THAT(std::string(text_of(rules_of("3.0").status())), ::testing::HasSubstr("2.15, 1.15, 1.12, 0.12, 0.9"));
}

TEST(Rules, up_to_0_12_custom_types_come_before_gpus_and_those_before_cpus) {  // docs/rules/placer.md#Q10
  const Rules old = rules_0_12(), now = rules_2_15();
  EXPECT_GT(old.priority_of("T1"), old.priority_of("GPU"));
  EXPECT_GT(old.priority_of("GPU"), old.priority_of("CPU"));
  EXPECT_LT(now.priority_of("T1"), now.priority_of("CPU"));
}

TEST(Texts, sort_attributes_with_their_values_from_1_15_on) {
  const Attrs attrs = {{"seed", std::int64_t{1}}, {"seed2", std::int64_t{2}}};
  EXPECT_EQ(attrs_text(attrs, rules_2_15()), "seed2=2, seed=1");
  EXPECT_EQ(attrs_text(attrs, rules_1_15()), "seed2=2, seed=1");
  EXPECT_EQ(attrs_text(attrs, rules_1_12()), "seed=1, seed2=2");
}

}  // namespace
}  // namespace tarry
