// Request ids are told apart for a while (docs/rules/runtime.md#I.2).

#include "workers/worker/recent_request_ids.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

TEST(RecentRequestIds, id_zero_is_always_new) {
  RecentRequestIds ids(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ids.insert(0));
}

TEST(RecentRequestIds, the_seventh_of_six_evicts_the_first_only) {
  RecentRequestIds ids(6);
  const std::vector<std::uint64_t> given = {53754, 23351, 164101, 7476, 162432, 130761, 164102};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(ids.insert(given[i]));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FALSE(ids.insert(given[i]));
  EXPECT_TRUE(ids.insert(given[6]));
  for (std::size_t i = 1; i < 7; ++i) EXPECT_FALSE(ids.insert(given[i]));
  EXPECT_TRUE(ids.insert(given[0]));
}

// Ids in order: what fell out of its shard is new again, the last `total - total mod shards` are not.
void expect_ordered(std::size_t total, std::size_t shards) {
  RecentRequestIds ids(total, shards);
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_TRUE(ids.insert(i));
  const std::size_t kept = total / shards * shards;
  for (std::uint64_t i = 100; i > 100 - std::min<std::size_t>(kept, 100); --i) EXPECT_FALSE(ids.insert(i)) << i;
}
TEST(RecentRequestIds, ordered_2_shard_1) { expect_ordered(2, 1); }
TEST(RecentRequestIds, ordered_3_shard_1) { expect_ordered(3, 1); }
TEST(RecentRequestIds, ordered_10_shard_3) { expect_ordered(10, 3); }
TEST(RecentRequestIds, ordered_12_shard_4) { expect_ordered(12, 4); }
TEST(RecentRequestIds, ordered_100_shard_8) { expect_ordered(100, 8); }

// As TensorFlow's own test: after each of 100 ids in order, the last `total mod shards` are refused (none where that is
// 0: its quirk), and 100 inserts succeed.
std::size_t refused_after_each(std::size_t total, std::size_t shards) {
  RecentRequestIds ids(total, shards);
  std::size_t fewest = 100;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    EXPECT_TRUE(ids.insert(i)) << i;
    std::size_t refused = 0;
    for (std::uint64_t j = i; j > 0 && i - j < total % shards && !ids.insert(j); --j) ++refused;
    if (i > total % shards) fewest = std::min(fewest, refused);
  }
  return fewest;
}
TEST(RecentRequestIdsRows, ordered_2_3_4_and_5_in_1_shard_look_back_at_nothing) {
  for (const std::size_t total : {2, 3, 4, 5}) EXPECT_EQ(refused_after_each(total, 1), 0u) << total;
}
TEST(RecentRequestIdsRows, ordered_10_in_3_shards_refuses_the_last_1) { EXPECT_EQ(refused_after_each(10, 3), 1u); }
TEST(RecentRequestIdsRows, ordered_11_in_3_shards_refuses_the_last_2) { EXPECT_EQ(refused_after_each(11, 3), 2u); }
TEST(RecentRequestIdsRows, ordered_12_in_4_shards_refuses_the_last_0) { EXPECT_EQ(refused_after_each(12, 4), 0u); }
TEST(RecentRequestIdsRows, ordered_100_in_8_shards_refuses_the_last_4) { EXPECT_EQ(refused_after_each(100, 8), 4u); }

RC_GTEST_PROP(RecentRequestIds, a_repeat_within_a_shards_size_is_refused, (std::vector<std::uint8_t> given)) {
  constexpr std::size_t kTotal = 1024, kShards = 4;  // more room than a byte has values
  RecentRequestIds ids(kTotal, kShards);
  std::vector<bool> seen(256, false);
  for (const std::uint8_t id : given) {
    RC_ASSERT(ids.insert(id) == (id == 0 || !seen[id]));
    seen[id] = true;
  }
}

}  // namespace
}  // namespace tarry
