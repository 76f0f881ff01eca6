// Counts of epochs that several workers share.

#include "scenarios/job/shared_epochs.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

// A client of a worker whose epochs are counted on that device, in a graph that is written for its task or for another.
ClientJob counting_on(const char* device, const char* task, const char* written_for = "",
                      const char* counter = "epochs", const char* op = "CountUpTo") {
  GraphSpec graph{{{"epochs", "VariableV2", device, {}, {}}, {"count", op, device, {counter}, {}}}, {}, {}};
  graph.nodes[1].attrs.set("limit", std::int64_t{5});
  ClientJob c;
  c.program.graph = std::make_shared<const GraphSpec>(std::move(graph));
  c.program.task = task, c.program.written_for = written_for;
  return c;
}

constexpr const char* kPs = "/job:ps/task:1/device:CPU:0";
constexpr const char* kFirst = "/job:worker/task:0";
constexpr const char* kSecond = "/job:worker/task:1";

std::string shared_by(ClientJob a, ClientJob b) {
  const std::vector<ClientJob> clients{std::move(a), std::move(b)};
  return shared_epochs(clients).counter;
}

TEST(SharedEpochs, are_counted_on_the_same_task) {
  const std::vector<ClientJob> clients{counting_on(kPs, kFirst), counting_on(kPs, kSecond, kFirst)};
  const SharedEpochs shared = shared_epochs(clients);
  EXPECT_EQ(shared.counter, "epochs");
  EXPECT_EQ(shared.job, "ps");
  EXPECT_EQ(shared.task, 1);
  EXPECT_EQ(shared.limit, 5);
  EXPECT_EQ(shared_epochs(std::span(clients).first(1)).counter, "") << "one worker";
  EXPECT_EQ(shared_by(counting_on(kPs, kFirst, "", "epochs", "ResourceCountUpTo"), counting_on(kPs, kSecond)),
            "epochs");
  EXPECT_EQ(shared_by(counting_on(kFirst, kFirst), counting_on(kFirst, kSecond)), "epochs") << "on the first worker";
  EXPECT_EQ(shared_by(counting_on(kFirst, kFirst), counting_on(kFirst, "/job:worker/task:2", kSecond)), "epochs")
      << "in a graph that is written for another task";
}

TEST(SharedEpochs, are_not_those_that_each_worker_counts) {
  EXPECT_EQ(shared_by(counting_on(kFirst, kFirst), counting_on(kFirst, kSecond, kFirst)), "") << "a graph for both";
  EXPECT_EQ(shared_by(counting_on(kFirst, kFirst), counting_on(kSecond, kSecond)), "");
  EXPECT_EQ(shared_by(counting_on("", kFirst), counting_on("", kSecond)), "") << "on no task by name";
  EXPECT_EQ(shared_by(counting_on(kPs, kFirst), counting_on("/job:ps/task:0", kSecond)), "") << "on two servers";
  EXPECT_EQ(shared_by(counting_on(kPs, kFirst, "", "gone"), counting_on(kPs, kSecond)), "") << "of no variable";
  EXPECT_EQ(shared_by(counting_on(kPs, kFirst, "", "epochs", "Identity"), counting_on(kPs, kSecond)), "");
}

}  // namespace
}  // namespace tarry
