#include <gtest/gtest.h>

#include "properties/conform/partition.hpp"
#include "properties/conform/placer.hpp"

namespace tarry {
namespace {

const std::string kData = TARRY_SOURCE_DIR "/properties/conform/data";

void expect_all(const StatusOr<Agreement>& a, int at_least) {
  ASSERT_TRUE(a.ok()) << a.status().message();
  EXPECT_EQ(a->agreed, a->total) << to_string(*a);
  EXPECT_GE(a->total, at_least);
}

class ConformPlacer : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformPlacer, device_names_are_those_of_tensorflow) {
  expect_all(conform_names(fmt::format("{}/names-{}.jsonl.zst", kData, GetParam()), GetParam()), 190);
}

TEST_P(ConformPlacer, placements_and_errors_are_those_of_tensorflow) { expect_all(conform_placer(kData, kData, GetParam()), 220); }

INSTANTIATE_TEST_SUITE_P(Releases, ConformPlacer, ::testing::Values("2.15.1", "1.15.0", "1.12.0", "0.12.0"));

class ConformPartition : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformPartition, partitions_are_those_of_tensorflow_to_the_last_name) {
  expect_all(conform_partition(kData + "/partition", kData, GetParam()), 80);
}

INSTANTIATE_TEST_SUITE_P(Releases, ConformPartition, ::testing::Values("2.15.1", "1.15.0"));

TEST(Conform, a_missing_folder_is_an_error) { EXPECT_FALSE(conform_placer("/nowhere", kData, "2.15.1").ok()); }

}  // namespace
}  // namespace tarry
