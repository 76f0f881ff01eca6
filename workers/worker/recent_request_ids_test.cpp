// Request ids are told apart for a while (runtime.md I.2).

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
