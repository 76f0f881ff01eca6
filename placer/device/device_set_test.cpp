#include "placer/device/device_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using ::testing::ElementsAre;

DeviceSet ps_and_worker() {
  DeviceSet set;
  for (const char* name : {"/job:worker/replica:0/task:0/device:GPU:0", "/job:ps/replica:0/task:0/cpu:0",
                           "/job:worker/replica:0/task:0/cpu:0"})
    EXPECT_TRUE(set.add(name).ok());
  return set;
}

TEST(DeviceSet, a_device_is_found_by_its_canonical_and_by_its_legacy_name) {
  const DeviceSet set = ps_and_worker();
  EXPECT_EQ(set.find("/job:ps/replica:0/task:0/device:CPU:0"), DeviceId{1u});
  EXPECT_EQ(set.find("/job:worker/replica:0/task:0/gpu:0"), DeviceId{0u});
  EXPECT_FALSE(set.find("/job:ps/task:0/device:CPU:0").valid());
}

TEST(DeviceSet, matching_keeps_the_order_of_insertion) {
  EXPECT_THAT(ps_and_worker().matching(*parse_device_name("/job:worker")), ElementsAre(DeviceId{0u}, DeviceId{2u}));
}

TEST(DeviceSet, a_name_given_twice_keeps_its_first_device) {
  DeviceSet set = ps_and_worker();
  EXPECT_EQ(set.add("/job:ps/replica:0/task:0/device:CPU:0", "other").value(), DeviceId{1u});
  EXPECT_EQ(set[DeviceId{1u}].type, "CPU");
  EXPECT_EQ(set.size(), 3u);
}

TEST(DeviceSet, a_partial_name_is_refused) {
  EXPECT_EQ(DeviceSet().add("/job:a/cpu:0").status().code(), Code::kInvalidArgument);
}

TEST(DeviceSet, the_type_attribute_may_differ_from_the_type_in_the_name) {
  DeviceSet set;
  const DeviceId d = set.add("/job:a/replica:0/task:0/device:fakecpu:0", "FakeCPU").value();
  EXPECT_EQ(set[d].type, "FakeCPU");
  EXPECT_EQ(task_of(set[d].parsed), "/job:a/replica:0/task:0");
}

}  // namespace
}  // namespace tarry
