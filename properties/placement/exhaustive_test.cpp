#include "properties/placement/exhaustive.hpp"

#include <gtest/gtest.h>

#include "properties/placement/shipped_world.hpp"

namespace tarry {
namespace {

class SmallGraphs : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Releases, SmallGraphs, ::testing::Values("0.9", "0.12", "1.12", "1.15", "2.15"));

// A slice; the whole: tarry hunt exhaustive --rules all.
TEST_P(SmallGraphs, of_three_nodes_are_all_placed_as_the_reference_places_them) {
  const ExhaustiveReport r = compare_all(world_of(GetParam()), {.nodes = 3, .marks = 1});
  EXPECT_EQ(r.different, 0u) << r.first;
  EXPECT_GT(r.graphs, 5'000u);
}

TEST(SmallGraphs, tell_a_placer_with_a_planted_bug_from_the_reference) {
  PlacementWorld world = world_of("2.15");
  world.tables.rules.planted = PlantedBug::tie_broken_backwards;
  EXPECT_GT(compare_all(world, {.nodes = 2, .marks = 1}).different, 0u);
}

// By hand: one node of three without inputs, marked in no way, with a request (4), an assigned device or a key (2),
// under hard and soft placement.
TEST(SmallGraphs, of_one_node_are_counted) {
  const ExhaustiveReport r = compare_all(world_of("2.15"), {.nodes = 1, .marks = 1});
  EXPECT_EQ(r.shapes, 3u);
  EXPECT_EQ(r.graphs, 3u * (1 + 4 + 1 + 2) * 2);
  EXPECT_GT(r.placed, r.graphs / 2) << "most of them can be placed";
  EXPECT_LT(r.placed, r.graphs) << "a device that is not there can not be had under hard placement";
}

}  // namespace
}  // namespace tarry
