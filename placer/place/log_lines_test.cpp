#include "placer/place/log_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/place/small_world.hpp"

namespace tarry {
namespace {

using namespace small_world;  // NOLINT(google-build-using-namespace): the tests read as sentences of it
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> logged(const std::vector<N>& nodes, const World& w, bool all) {
  Graph g = graph_of(nodes, w.rules);
  Journal journal;
  PlaceOptions options = options_of(nodes, g, w);
  options.journal = &journal;
  (void)place(g, w.devices, w.rules, options);
  std::vector<std::string> texts;
  for (const PlacerLine& line : log_lines(g, w.devices, w.rules, journal, all))
    texts.push_back(fmt::format("{} {}", line.severity, line.text));
  return texts;
}

const std::vector<N>& overridden() {
  static const std::vector<N> nodes = {{"v", "TestVariable", {}, "/gpu:0"}, {"r", "TestDeviceRef", {"v"}, "/cpu:0"}};
  return nodes;
}

TEST(PlacerLog, a_request_that_gave_way_is_logged_always_up_to_1_3) {
  const std::string line =
      "I Ignoring device specification /CPU:0 for node 'r' because the input edge from 'v' is a reference connection "
      "and already has a device "
      "field set to /GPU:0";
  EXPECT_THAT(logged(overridden(), {.rules = rules_0_12()}, false), ElementsAre(line));
  EXPECT_THAT(logged(overridden(), {.rules = rules_1_12()}, false), IsEmpty());
}

TEST(PlacerLog, a_placed_node_is_a_line_in_the_releases_form) {
  const std::vector<N> one = {{"v", "VariableCPU"}};
  EXPECT_THAT(logged(one, {.rules = rules_2_15()}, true),
              ElementsAre("I v: (VariableCPU): /job:a/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(logged(one, {.rules = rules_1_12()}, true),
              ElementsAre("I v: (VariableCPU)/job:a/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(logged(one, {.rules = rules_0_9()}, true), ElementsAre("I v: /job:a/replica:0/task:0/device:CPU:0"));
}

TEST(PlacerLog, a_resource_that_was_moved_is_a_warning_with_its_group) {
  const auto lines = logged({{"d", "DatasetSP", {}, "/cpu:0"}, {"it", "IteratorGPU", {"d"}}}, soft(), false);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("W Failed to place the graph without changing the devices of some resources."));
  EXPECT_THAT(lines[0], HasSubstr("Current candidate devices are [\n  /job:a/replica:0/task:0/device:GPU:0\n"));
  EXPECT_THAT(lines[0], HasSubstr("See below for details of this colocation group:\nColocation Debug Info:"));
}

}  // namespace
}  // namespace tarry
