#include "sim/measured.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

const std::string kCpu0 = "/job:worker/replica:0/task:0/device:CPU:0",
                  kFirstGpu = "/job:worker/replica:0/task:0/device:GPU:0",
                  kSecondGpu = "/job:worker/replica:0/task:1/device:GPU:0";

NodeExecTime ran(const std::string& device, const std::string& node, Nanos duration) {
  return {device, node, "", 0, duration};
}
Measured measured(const std::vector<NodeExecTime>& times) { return Measured(times); }

TEST(Measured, is_the_mean_of_a_nodes_executions) {
  EXPECT_EQ(measured({ran(kCpu0, "m", 100), ran(kCpu0, "m", 300), ran(kCpu0, "other", 7)}).find("m", kCpu0), 200);
}

TEST(Measured, serves_other_tasks_on_the_same_type_of_device) {
  const Measured m = measured({ran(kFirstGpu, "m", 100)});
  EXPECT_EQ(m.find("m", kSecondGpu), 100);
  EXPECT_EQ(m.find("m", kCpu0), std::nullopt);
  EXPECT_EQ(m.find("n", kFirstGpu), std::nullopt);
}

TEST(Measured, prefers_the_very_device) {
  EXPECT_EQ(measured({ran(kFirstGpu, "m", 100), ran(kSecondGpu, "m", 300)}).find("m", kSecondGpu), 300);
}

TEST(Measured, reads_device_names_of_old_releases) {
  EXPECT_EQ(measured({ran("/job:worker/replica:0/task:0/gpu:0", "m", 100)}).find("m", kSecondGpu), 100);
}

TEST(Measured, takes_a_gpus_kernels_instead_of_their_launches) {
  const Measured m =
      measured({ran(kFirstGpu, "m", 10), ran(kFirstGpu, "host_only", 6),
                ran("/device:GPU:0/stream:all", "m:MatMul", 700), ran("/device:GPU:0/stream:all", "m:MatMul#2", 50),
                ran("/device:GPU:0/stream:14", "m:MatMul", 700), ran("/device:GPU:0/memcpy", "m:MEMCPYHtoD", 9)});
  EXPECT_EQ(m.find("m", kFirstGpu), 750);
  EXPECT_EQ(m.find("m", kSecondGpu), 750);
  EXPECT_EQ(m.find("host_only", kFirstGpu), 6);
}

TEST(Measured, shares_kernels_among_a_nodes_executions) {
  EXPECT_EQ(measured({ran(kFirstGpu, "m", 1), ran(kFirstGpu, "m", 1), ran("/device:GPU:0/stream:all", "m:MatMul", 300),
                      ran("/device:GPU:0/stream:all", "m:MatMul", 500)})
                .find("m", kFirstGpu),
            400);
}

TEST(Measured, leaves_out_transfers_and_what_streams_and_copies_ran_for_no_node) {
  for (const NodeExecTime& t :
       {ran(kCpu0, "RecvTensor", 10), ran(kFirstGpu + "/stream:all", "m", 10), ran(kFirstGpu + "/memcpy", "m", 10)})
    EXPECT_EQ(measured({t}).size(), 0u) << t.device;
}

TEST(Measured, has_room_for_the_sum_of_the_longest_times_that_a_file_can_hold) {
  constexpr Nanos kLongest = Nanos{1} << 62;
  const Measured m = measured({ran(kCpu0, "m", kLongest), ran(kCpu0, "m", kLongest), ran(kCpu0, "m", kLongest)});
  EXPECT_GT(m.find("m", kCpu0), Nanos{1} << 59);
}

TEST(Measured, of_nothing_knows_nothing) { EXPECT_EQ(Measured().find("m", kCpu0), std::nullopt); }

}  // namespace
}  // namespace tarry
