#include "placer/place/type_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using ::testing::ElementsAre;

struct TypeListsTest : ::testing::Test {
  Rules rules = rules_2_15();
  TypeLists lists{rules};
  TypeList both(TypeList root, TypeList child) {
    return lists[lists.intersect(lists.intern(std::move(root)), lists.intern(std::move(child)))];
  }
};

TEST_F(TypeListsTest, equal_lists_are_one) {
  EXPECT_EQ(lists.intern({{"CPU", 0}}), lists.intern({{"CPU", 0}}));
  EXPECT_NE(lists.intern({{"CPU", 0}}), lists.intern({{"CPU", 1}}));
}

TEST_F(TypeListsTest, without_priorities_the_types_own_order_counts) {
  EXPECT_THAT(both({{"GPU", 0}, {"CPU", 0}}, {{"CPU", 0}, {"GPU", 0}}),
              ElementsAre(SupportedType{"GPU", 0}, SupportedType{"CPU", 0}));
}

TEST_F(TypeListsTest, the_side_with_priorities_decides) {
  EXPECT_THAT(both({{"GPU", 0}, {"CPU", 0}}, {{"CPU", 2}, {"GPU", 1}}),
              ElementsAre(SupportedType{"CPU", 2}, SupportedType{"GPU", 1}));
}

TEST_F(TypeListsTest, sides_that_disagree_forget_their_priorities) {
  EXPECT_THAT(both({{"CPU", 2}, {"GPU", 1}}, {{"GPU", 2}, {"CPU", 1}}),
              ElementsAre(SupportedType{"GPU", 0}, SupportedType{"CPU", 0}));
}

TEST_F(TypeListsTest, nothing_in_common_is_the_empty_list) { EXPECT_TRUE(both({{"CPU", 0}}, {{"GPU", 0}}).empty()); }

TEST_F(TypeListsTest, xla_types_go_only_when_others_remain) {
  EXPECT_THAT(without_xla({{"XLA_CPU", 2}, {"CPU", 1}}), ElementsAre(SupportedType{"CPU", 1}));
  EXPECT_THAT(without_xla({{"XLA_CPU", 2}}), ElementsAre(SupportedType{"XLA_CPU", 2}));
}

TEST_F(TypeListsTest, types_are_prioritised_by_the_rules_and_then_by_name) {
  EXPECT_THAT(lists.prioritised({"T2", "CPU", "T1", "GPU", "CPU"}), ElementsAre("GPU", "CPU", "T1", "T2"));
}

}  // namespace
}  // namespace tarry
