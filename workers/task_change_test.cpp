#include "workers/task_change.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

const TaskChange kFirstToTenth{"/job:worker/replica:0/task:1", "/job:worker/replica:0/task:10"};

NodeSpec node_on(std::string device) { return {"n", "NoOp", std::move(device), {}, {}}; }

std::string changed_device(const std::string& device) {
  return changed(GraphSpec{{node_on(device)}, {}, {}}, kFirstToTenth).nodes[0].device;
}

TEST(TaskChange, renames_the_task_and_its_devices) {
  EXPECT_EQ(kFirstToTenth.of("/job:worker/replica:0/task:1"), "/job:worker/replica:0/task:10");
  EXPECT_EQ(kFirstToTenth.of("/job:worker/replica:0/task:1/device:GPU:0"),
            "/job:worker/replica:0/task:10/device:GPU:0");
}

TEST(TaskChange, leaves_other_tasks_alone_also_those_whose_number_begins_alike) {
  for (const char* other :
       {"/job:ps/replica:0/task:1", "/job:worker/replica:0/task:12/device:CPU:0", "/job:worker/replica:0/task:0", ""})
    EXPECT_EQ(kFirstToTenth.of(other), other);
}

TEST(TaskChange, to_the_same_task_is_none) {
  const TaskChange none{"/job:a/replica:0/task:0", "/job:a/replica:0/task:0"};
  EXPECT_FALSE(none.changes());
  EXPECT_EQ(none.of("/job:a/replica:0/task:0"), "/job:a/replica:0/task:0");
  EXPECT_FALSE(TaskChange().changes());
  EXPECT_EQ(TaskChange().of("/job:a/replica:0/task:0"), "/job:a/replica:0/task:0");
}

TEST(TaskChange, of_a_graph_takes_requests_that_lack_parts) {
  EXPECT_EQ(changed_device("/job:worker/task:1"), "/job:worker/task:10");
  EXPECT_EQ(changed_device("/job:worker/task:1/GPU:0"), "/job:worker/task:10/device:GPU:0");
  EXPECT_EQ(changed_device("/job:worker/replica:0/task:1/device:CPU:0"), "/job:worker/replica:0/task:10/device:CPU:0");
}

TEST(TaskChange, of_a_graph_leaves_other_requests_as_they_are_written) {
  for (const char* other : {"", "/job:worker", "/GPU:0", "/job:ps/task:1/cpu:0", "/job:worker/task:0"})
    EXPECT_EQ(changed_device(other), other);
}

TEST(TaskChange, of_a_graph_reaches_into_functions) {
  GraphSpec graph;
  graph.functions.push_back({{.name = "f"}, {node_on("/job:worker/task:1"), node_on("/job:ps/task:1")}, {}, {}, {}});
  const GraphSpec other = changed(graph, kFirstToTenth);
  EXPECT_EQ(other.functions[0].nodes[0].device, "/job:worker/task:10");
  EXPECT_EQ(other.functions[0].nodes[1].device, "/job:ps/task:1");
}

TEST(Task, has_its_devices_and_itself) {
  EXPECT_TRUE(is_of_task("/job:a/replica:0/task:1/device:CPU:0", "/job:a/replica:0/task:1"));
  EXPECT_TRUE(is_of_task("/job:a/replica:0/task:1", "/job:a/replica:0/task:1"));
  EXPECT_FALSE(is_of_task("/job:a/replica:0/task:12/device:CPU:0", "/job:a/replica:0/task:1"));
  EXPECT_FALSE(is_of_task("/job:b/replica:0/task:1", "/job:a/replica:0/task:1"));
}

}  // namespace
}  // namespace tarry
