// What a worker has received, as TensorFlow's WorkerCacheLogger writes it down (docs/rules/runtime.md#E.4).

#include "workers/worker/transfer_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/rendezvous/key.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kFrom = "/job:ps/replica:0/task:0/device:CPU:0", kTo = "/job:worker/replica:0/task:1/device:CPU:0",
                  kGpu = "/job:worker/replica:0/task:1/device:GPU:0";

LoggingRequest request(bool enable, bool disable = false, bool clear = false) {
  LoggingRequest r;
  r.enable = enable, r.disable = disable, r.clear = clear;
  return r;
}
TransferLog logging() {
  TransferLog log;
  log.apply(request(true));
  return log;
}
std::string label_of(std::uint64_t bytes, Nanos took) {
  TransferLog log = logging();
  log.add(StepId{1}, make_key(kFrom, 1, kTo, "w"), bytes, took);
  const LoggingResponse r = log.take({StepId{1}});
  return r.steps.at(0).second.at(0).nodes.at(0).label;
}
const std::string kPath = " w from " + kFrom + " to " + kTo;

TEST(TransferLog, says_how_much_came_and_how_fast) {
  EXPECT_EQ(label_of(999, 8'000), "[999B] [999.000000Mb/s]" + kPath);
  EXPECT_EQ(label_of(1'000, 8'000), "[1000B] [1.0Gb/s]" + kPath) << "1000 megabits a second are a gigabit";
  EXPECT_EQ(label_of(5'242'880, 1'000'000'000), "[5.0MB] [41.943040Mb/s]" + kPath);
}

TEST(TransferLog, counts_in_megabytes_from_a_tenth_of_one) {
  EXPECT_EQ(label_of(104'857, 104'857'000'000), "[104857B] [0.008000Mb/s]" + kPath);
  EXPECT_EQ(label_of(104'858, 104'858'000'000), "[0.1MB] [0.008000Mb/s]" + kPath);
}

TEST(TransferLog, takes_every_transfer_for_a_microsecond_at_least) {
  EXPECT_EQ(label_of(10, 1'000), "[10B] [80.000000Mb/s]" + kPath);
  EXPECT_EQ(label_of(10, 10), "[10B] [80.000000Mb/s]" + kPath);
}

TEST(TransferLog, keeps_the_transfers_of_a_step_by_device_until_they_are_taken) {
  TransferLog log = logging();
  for (const char* const tensor : {"a", "b"}) log.add(StepId{1}, make_key(kFrom, 1, kTo, tensor), 8, 1'000);
  log.add(StepId{1}, make_key(kFrom, 1, kGpu, "c"), 9, 1'000);
  log.add(StepId{2}, make_key(kFrom, 1, kTo, "d"), 8, 1'000);
  const LoggingResponse r = log.take({StepId{3}, StepId{1}});
  ASSERT_EQ(r.steps.size(), 1u);
  EXPECT_EQ(r.steps[0].first, StepId{1});
  ASSERT_EQ(r.steps[0].second.size(), 2u);
  EXPECT_EQ(r.steps[0].second[0].device, kTo);
  EXPECT_EQ(r.steps[0].second[0].nodes.size(), 2u);
  EXPECT_EQ(r.steps[0].second[1].device, kGpu);
  EXPECT_EQ(r.steps[0].second[1].nodes[0].node, "RecvTensor");
  EXPECT_EQ(r.steps[0].second[1].nodes[0].bytes, 9u);
  EXPECT_THAT(log.take({StepId{1}}).steps, IsEmpty());
  EXPECT_EQ(log.take({StepId{2}}).steps.size(), 1u);
}

TEST(TransferLog, is_off_until_it_is_turned_on_and_forgets_when_it_is_cleared) {
  const auto logged = [](const std::vector<LoggingRequest>& requests) {
    TransferLog log;
    for (const LoggingRequest& r : requests) {
      log.apply(r);
      log.add(StepId{1}, make_key(kFrom, 1, kTo, "w"), 8, 1'000);
    }
    const LoggingResponse got = log.take({StepId{1}});
    return got.steps.empty() ? 0 : got.steps[0].second[0].nodes.size();
  };
  EXPECT_EQ(logged({request(false)}), 0u);
  EXPECT_EQ(logged({request(true), request(false)}), 2u) << "a request for neither leaves it as it is";
  EXPECT_EQ(logged({request(true), request(false, true)}), 1u);
  EXPECT_EQ(logged({request(true), request(false, false, true)}), 1u) << "the first was forgotten";
}

}  // namespace
}  // namespace tarry
