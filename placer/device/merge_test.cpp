#include "placer/device/merge.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

DeviceName name(std::string_view text) { return parse_device_name(text).value(); }

std::string merged(std::string_view a, std::string_view b, MergeMode mode) {
  DeviceName target = name(a);
  const Status s = merge(target, name(b), mode);
  return s.ok() ? to_string(target) : std::string(text_of(s));
}

TEST(MergeDeviceNames, a_name_with_the_same_fields_and_more_is_a_specification) {
  EXPECT_TRUE(is_specification(name("/job:*"), name("/replica:1")));
  EXPECT_TRUE(is_specification(name("/job:work/replica:1/gpu:*"), name("/job:work/replica:1/task:2/device:GPU:3")));
  EXPECT_TRUE(is_specification(name("/task:2"), name("/job:*/replica:1/task:2/device:GPU:3")));
  EXPECT_TRUE(is_specification(name("/cpu:0"), name("/cpu:0")));
}

TEST(MergeDeviceNames, a_name_that_lacks_or_differs_in_a_field_is_none) {
  EXPECT_FALSE(is_specification(name("/job:worker/replica:1/task:2/device:GPU:3"), name("/gpu:*")));
  EXPECT_FALSE(is_specification(name("/cpu:*"), name("/job:*/replica:1/task:2")));
  EXPECT_FALSE(is_specification(name("/device:GPU:2"), name("/device:GPU:1")));
  EXPECT_FALSE(is_specification(name("/job:work/replica:0/task:2"), name("/job:work/replica:*/task:2/device:GPU:3")));
}

TEST(MergeDeviceNames, names_without_a_common_field_became_compatible_in_2_2) {
  EXPECT_FALSE(are_compatible(name("/job:a"), name("/cpu:1"), Compatibility::nested));
  EXPECT_TRUE(are_compatible(name("/job:a"), name("/cpu:1"), Compatibility::wide));
  EXPECT_FALSE(are_compatible(name("/job:a"), name("/job:b"), Compatibility::wide));
}

TEST(MergeDeviceNames, names_are_compatible_whichever_of_them_says_more) {
  const DeviceName less = name("/job:work"), more = name("/job:work/task:2");
  for (const Compatibility meaning : {Compatibility::nested, Compatibility::wide}) {
    EXPECT_TRUE(are_compatible(less, more, meaning));
    EXPECT_TRUE(are_compatible(more, less, meaning));
  }
}

TEST(MergeDeviceNames, address_spaces_differ_by_job_by_replica_or_by_task) {
  const DeviceName a = name("/job:a/replica:0/task:0");
  for (const char* other : {"/job:b/replica:0/task:0", "/job:a/replica:1/task:0", "/job:a/replica:0/task:1"})
    EXPECT_TRUE(is_different_address_space(a, name(other))) << other;
  EXPECT_FALSE(is_different_address_space(a, name("/job:a/task:0")));
}

TEST(MergeDeviceNames, address_spaces_are_the_same_only_when_fully_known) {
  EXPECT_TRUE(is_same_address_space(name("/job:a/replica:0/task:1/cpu:0"), name("/job:a/replica:0/task:1")));
  EXPECT_FALSE(is_same_address_space(name("/job:a/task:1"), name("/job:a/task:1")));
  EXPECT_TRUE(is_different_address_space(name("/job:a/task:1"), name("/task:2")));
  EXPECT_FALSE(is_different_address_space(name("/job:a"), name("/task:2")));
}

TEST(MergeDeviceNames, fields_of_both_are_joined) {
  EXPECT_EQ(merged("/job:foo", "/task:7", MergeMode::hard), "/job:foo/task:7");
  EXPECT_EQ(merged("/device:GPU:1", "/gpu:*", MergeMode::hard), "/device:GPU:1");
  EXPECT_EQ(merged("/job:foo/replica:0", "/replica:0/task:1", MergeMode::hard), "/job:foo/replica:0/task:1");
}

TEST(MergeDeviceNames, hard_conflicts_name_the_field_and_what_was_merged_so_far) {
  EXPECT_EQ(merged("/job:foo", "/job:bar", MergeMode::hard),
            "Cannot merge devices with incompatible jobs: '/job:foo' and '/job:bar'");
  EXPECT_EQ(merged("/gpu:*", "/task:1/cpu:*", MergeMode::hard),
            "Cannot merge devices with incompatible types: '/task:1/device:GPU:*' and '/task:1/device:CPU:*'");
  EXPECT_EQ(merged("/device:GPU:0", "/device:GPU:1", MergeMode::hard),
            "Cannot merge devices with incompatible ids: '/device:GPU:0' and '/device:GPU:1'");
}

TEST(MergeDeviceNames, a_soft_merge_drops_types_and_ids_but_never_tasks) {
  EXPECT_EQ(merged("/gpu:*", "/cpu:1", MergeMode::soft), "");
  EXPECT_EQ(merged("/cpu:*", "/device:GPU:1", MergeMode::soft), "");
  EXPECT_EQ(merged("/device:GPU:1", "/device:GPU:2", MergeMode::soft), "/device:GPU:*");
  EXPECT_EQ(merged("/task:0", "/task:1", MergeMode::soft),
            "Cannot merge devices with incompatible tasks: '/task:0' and '/task:1'");
}

TEST(MergeDeviceNames, an_overriding_merge_takes_the_other_type_and_id) {
  EXPECT_EQ(merged("/gpu:0", "/cpu:1", MergeMode::overriding), "/device:CPU:1");
  EXPECT_EQ(merged("/job:foo/CPU:*", "/device:GPU:1", MergeMode::overriding), "/job:foo/device:GPU:1");
}

TEST(MergeDeviceNames, ensuring_copies_every_field_over) {
  EXPECT_EQ(to_string(ensure_specification(name("/job:a/task:1/cpu:0"), name("/job:b/gpu:*"))),
            "/job:b/task:1/device:GPU:0");
}

}  // namespace
}  // namespace tarry
