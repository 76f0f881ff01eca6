#include "placer/place/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/place/small_world.hpp"

namespace tarry {
namespace {

using namespace small_world;  // NOLINT(google-build-using-namespace): the tests read as sentences of it
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Explanation explained(const std::vector<N>& nodes, const World& w, const std::string& node) {
  Graph g = graph_of(nodes, w.rules);
  Journal journal;
  PlaceOptions options = options_of(nodes, g, w);
  options.journal = &journal;
  (void)place(g, w.devices, w.rules, options);
  return explain(g, w.devices, w.rules, journal, g.find(node));
}

const std::vector<N>& assignment() {
  static const std::vector<N> nodes = {
      {"v", "VariableCPU", {}, "/cpu:1"}, {"in", "TestCPUGPUOutput"}, {"a", "TestAssign", {"v", "in"}, "/gpu:2"}};
  return nodes;
}

TEST(Explain, a_group_is_told_with_the_edge_that_made_it_and_the_request_that_gave_way) {
  const Explanation e = explained(assignment(), soft(), "a");
  EXPECT_THAT(e.group, ElementsAre("v, a: reference edge v:0 -> a:0"));
  EXPECT_THAT(e.conceded, ElementsAre("/device:GPU:2 for 'a' gave way to /device:CPU:1 of 'v'"));
  EXPECT_EQ(e.group_request, "/device:CPU:1");
  EXPECT_EQ(e.device, std::string(kTask) + "/device:CPU:1");
}

TEST(Explain, what_removed_a_device_is_the_first_member_without_a_kernel_or_the_groups_request) {
  const Explanation e = explained(assignment(), soft(), "a");
  EXPECT_THAT(e.removed,
              Contains(Pair(std::string(kTask) + "/device:GPU:0", "'v' (VariableCPU) has no kernel for GPU")));
  EXPECT_THAT(e.removed, Contains(Pair(std::string(kTask) + "/device:CPU:0", "the group asks for /device:CPU:1")));
}

TEST(Explain, a_generator_is_beside_its_consumers_and_could_be_elsewhere) {
  const Explanation e = explained(assignment(), soft(), "in");
  EXPECT_THAT(e.choice, HasSubstr("generator"));
  EXPECT_THAT(why_not(e, std::string(kTask) + "/device:GPU:0"), HasSubstr("(candidate 1 of 8)"));
}

TEST(Explain, soft_placement_says_that_it_dropped_a_request) {
  const Explanation e = explained({{"v", "VariableGPU", {}, "/cpu:0"}}, soft(), "v");
  EXPECT_EQ(e.relaxed, Relaxed::resource_moved);
  EXPECT_THAT(to_string(e), HasSubstr("soft placement moves a resource"));
}

TEST(Explain, a_node_that_nothing_serves_has_no_candidates_and_a_reason_per_device) {
  const Explanation e = explained({{"v", "VariableGPU", {}, "/cpu:0"}}, hard(), "v");
  EXPECT_THAT(e.candidates, IsEmpty());
  EXPECT_EQ(e.removed.size(), 8u);
  EXPECT_EQ(e.device, "");
}

TEST(Explain, two_that_must_share_a_device_and_cannot_are_told_with_what_ties_them) {
  const Explanation e = explained({{"a", "VariableCPU"}, {"b", "VariableGPU", {}, "", {"a"}}}, hard(), "b");
  EXPECT_EQ(e.refused, "b, a: both have the key loc:@a");
  EXPECT_EQ(e.device, "");
  EXPECT_THAT(to_string(e),
              HasSubstr("must share a device, and cannot:\n    b, a: both have the key loc:@a\n  not placed\n"));
}

TEST(Explain, a_node_that_stays_out_of_a_group_is_not_why_nothing_is_placed) {
  EXPECT_EQ(explained({{"a", "VariableCPU"}, {"b", "VariableGPU", {}, "", {"a"}}}, soft(), "b").refused, "");
}

// ---- as people read it ----

std::string told(const std::vector<N>& nodes, const World& w, const std::string& node) {
  return "\n" + to_string(explained(nodes, w, node));
}

constexpr char kOfAssign[] = R"(
a (TestAssign) asks for /gpu:2
  shares a device with its group:
    v, a: reference edge v:0 -> a:0
  on the way:
    /device:GPU:2 for 'a' gave way to /device:CPU:1 of 'v'
  the group asks for /device:CPU:1
  candidates, best first:
    /job:a/replica:0/task:0/device:CPU:1
  not candidates:
    /job:a/replica:0/task:0/device:CPU:0: the group asks for /device:CPU:1
    /job:a/replica:0/task:0/device:CPU:2: the group asks for /device:CPU:1
    /job:a/replica:0/task:0/device:CPU:3: the group asks for /device:CPU:1
    /job:a/replica:0/task:0/device:GPU:0: 'v' (VariableCPU) has no kernel for GPU
    /job:a/replica:0/task:0/device:GPU:1: 'v' (VariableCPU) has no kernel for GPU
    /job:a/replica:0/task:0/device:GPU:2: 'v' (VariableCPU) has no kernel for GPU
    /job:a/replica:0/task:0/device:GPU:3: 'v' (VariableCPU) has no kernel for GPU
  placed on /job:a/replica:0/task:0/device:CPU:1: where 'v' of its group was put first
)";

constexpr char kOfInput[] = R"(
in (TestCPUGPUOutput) asks for nothing
  the group asks for nothing
  candidates, best first:
    /job:a/replica:0/task:0/device:GPU:0
    /job:a/replica:0/task:0/device:GPU:1
    /job:a/replica:0/task:0/device:GPU:2
    /job:a/replica:0/task:0/device:GPU:3
    /job:a/replica:0/task:0/device:CPU:0
    /job:a/replica:0/task:0/device:CPU:1
    /job:a/replica:0/task:0/device:CPU:2
    /job:a/replica:0/task:0/device:CPU:3
  placed on /job:a/replica:0/task:0/device:CPU:1: beside its consumers, as a generator
)";

TEST(Explain, says_all_of_a_group_that_conceded) {
  EXPECT_EQ(told(assignment(), soft(), "a"), kOfAssign);
  EXPECT_EQ(told(assignment(), soft(), "in"), kOfInput);
}

constexpr char kOfTwoHandles[] = R"(
two (TwoHandlesIn) asks for nothing
  shares a device with its group:
    h, two: resource edge h:0 -> two:0
    k, two: resource edge k:0 -> two:1
  the group asks for /device:GPU:1
  candidates, best first:
    /job:a/replica:0/task:0/device:GPU:1
  not candidates:
    /job:a/replica:0/task:0/device:CPU:0: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:CPU:1: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:CPU:2: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:CPU:3: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:GPU:0: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:GPU:2: the group asks for /device:GPU:1
    /job:a/replica:0/task:0/device:GPU:3: the group asks for /device:GPU:1
  placed on /job:a/replica:0/task:0/device:GPU:1: best candidate
)";

TEST(Explain, says_which_edges_of_resources_and_which_member_led) {
  const std::vector<N> handles = {{"h", "Handle", {}, "/gpu:1"}, {"k", "Handle"}, {"two", "TwoHandlesIn", {"h", "k"}}};
  EXPECT_EQ(told(handles, soft(), "two"), kOfTwoHandles);
}

constexpr char kTypeDropped[] = R"(
r (ReluGPU) asks for /cpu:0
  the group asks for /device:CPU:0 (nothing fits; soft placement drops type and id)
  candidates, best first:
    /job:a/replica:0/task:0/device:GPU:0
    /job:a/replica:0/task:0/device:GPU:1
    /job:a/replica:0/task:0/device:GPU:2
    /job:a/replica:0/task:0/device:GPU:3
  not candidates:
    /job:a/replica:0/task:0/device:CPU:0: 'r' (ReluGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:1: 'r' (ReluGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:2: 'r' (ReluGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:3: 'r' (ReluGPU) has no kernel for CPU
  placed on /job:a/replica:0/task:0/device:GPU:0: best candidate
)";

constexpr char kResourceMoved[] = R"(
v (VariableGPU) asks for /cpu:0
  the group asks for /device:CPU:0 (nothing fits; soft placement moves a resource)
  candidates, best first:
    /job:a/replica:0/task:0/device:GPU:0
    /job:a/replica:0/task:0/device:GPU:1
    /job:a/replica:0/task:0/device:GPU:2
    /job:a/replica:0/task:0/device:GPU:3
  not candidates:
    /job:a/replica:0/task:0/device:CPU:0: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:1: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:2: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:3: 'v' (VariableGPU) has no kernel for CPU
  placed on /job:a/replica:0/task:0/device:GPU:0: best candidate
)";

constexpr char kNotPlaced[] = R"(
v (VariableGPU) asks for /cpu:0
  the group asks for /device:CPU:0
  not candidates:
    /job:a/replica:0/task:0/device:CPU:0: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:1: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:2: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:CPU:3: 'v' (VariableGPU) has no kernel for CPU
    /job:a/replica:0/task:0/device:GPU:0: the group asks for /device:CPU:0
    /job:a/replica:0/task:0/device:GPU:1: the group asks for /device:CPU:0
    /job:a/replica:0/task:0/device:GPU:2: the group asks for /device:CPU:0
    /job:a/replica:0/task:0/device:GPU:3: the group asks for /device:CPU:0
  not placed
)";

TEST(Explain, says_what_soft_placement_gave_up_and_what_nothing_serves) {
  EXPECT_EQ(told({{"in", "TestInput"}, {"r", "ReluGPU", {"in"}, "/cpu:0"}}, soft(), "r"), kTypeDropped);
  EXPECT_EQ(told({{"v", "VariableGPU", {}, "/cpu:0"}}, soft(), "v"), kResourceMoved);
  EXPECT_EQ(told({{"v", "VariableGPU", {}, "/cpu:0"}}, hard(), "v"), kNotPlaced);
}

TEST(Explain, says_what_stays_of_a_request_that_gave_way) {
  const std::string far = "/job:b/replica:0/task:0/device:GPU:0";
  const Explanation e = explained({{"in", "TestInput"}, {"r", "ReluGPU", {"in"}, "/job:a/cpu:0"}},
                                  soft(devices_of({"CPU:0", "GPU:0", far})), "r");
  EXPECT_EQ(e.device, std::string(kTask) + "/device:GPU:0");
  EXPECT_THAT(e.removed, Contains(Pair(far, "the group asks for /job:a/device:CPU:0, and its job and task stay")));
}

TEST(Explain, says_of_a_group_which_member_has_no_kernel_first) {
  const Explanation e =
      explained({{"v", "VariableCPU"}, {"in", "TestCPUGPUOutput"}, {"a", "AssignCPU", {"v", "in"}}}, soft(), "a");
  EXPECT_THAT(e.removed,
              Contains(Pair(std::string(kTask) + "/device:GPU:0", "'v' (VariableCPU) has no kernel for GPU")));
}

TEST(Explain, tells_both_of_two_that_cannot_share_a_device) {
  const std::vector<N> two = {{"a", "VariableCPU"}, {"b", "VariableGPU", {}, "", {"a"}}, {"c", "TestVariable"}};
  EXPECT_EQ(explained(two, hard(), "a").refused, explained(two, hard(), "b").refused);
  EXPECT_EQ(explained(two, hard(), "c").refused, "");
}

TEST(Explain, says_that_a_member_follows_where_the_release_does_so_and_it_was_not_assigned) {
  std::vector<N> nodes = assignment();
  World old = soft();
  old.rules.group_follows = false;
  EXPECT_EQ(explained(nodes, old, "a").choice, "best candidate");
  nodes[2].assigned = "CPU:1";
  EXPECT_EQ(explained(nodes, soft(), "a").choice, "assigned before");
}

constexpr char kAssigned[] = R"(
v (VariableCPU) asks for nothing
  placed on /job:a/replica:0/task:0/device:CPU:0: assigned before
)";

constexpr char kMetadata[] = R"(
s (Shape) asks for nothing
  the group asks for nothing
  candidates, best first:
    /job:a/replica:0/task:0/device:GPU:0
    /job:a/replica:0/task:0/device:GPU:1
    /job:a/replica:0/task:0/device:GPU:2
    /job:a/replica:0/task:0/device:GPU:3
    /job:a/replica:0/task:0/device:CPU:0
    /job:a/replica:0/task:0/device:CPU:1
    /job:a/replica:0/task:0/device:CPU:2
    /job:a/replica:0/task:0/device:CPU:3
  placed on /job:a/replica:0/task:0/device:CPU:0: beside its input, as a metadata op
)";

TEST(Explain, says_who_was_placed_without_a_choice) {
  const std::string cpu = std::string(kTask) + "/device:CPU:0";
  EXPECT_EQ(told({{"v", "VariableCPU", {}, "", {}, cpu}}, soft(), "v"), kAssigned);
  EXPECT_EQ(told({{"in", "TestInput"}, {"s", "Shape", {"in"}}}, soft(), "s"), kMetadata);
}

TEST(Explain, answers_why_a_node_is_not_somewhere) {
  const std::string device = std::string(kTask) + "/device:";
  const Explanation e = explained(assignment(), soft(), "a"), in = explained(assignment(), soft(), "in");
  EXPECT_EQ(why_not(e, device + "CPU:1"),
            "a is on /job:a/replica:0/task:0/device:CPU:1: where 'v' of its group was put first");
  EXPECT_EQ(why_not(e, device + "CPU:0"),
            "a cannot be on /job:a/replica:0/task:0/device:CPU:0: the group asks for /device:CPU:1");
  EXPECT_EQ(why_not(in, device + "GPU:3"),
            "in could be on /job:a/replica:0/task:0/device:GPU:3 (candidate 4 of 8), but "
            "/job:a/replica:0/task:0/device:CPU:1 was chosen: beside its consumers, as a generator");
  const Explanation before = explained({{"v", "VariableCPU", {}, "", {}, device + "CPU:0"}}, soft(), "v");
  EXPECT_EQ(why_not(before, device + "CPU:1"), "v was placed before any device was compared");
  const Explanation never = explained({{"a", "VariableCPU"}, {"b", "VariableGPU", {}, "", {"a"}}}, hard(), "b");
  EXPECT_EQ(why_not(never, device + "CPU:1"), "b was given up before any device was compared");
}

}  // namespace
}  // namespace tarry
