#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/placement/hunt.hpp"
#include "properties/placement/shipped_world.hpp"

namespace tarry {
namespace {

HuntReport hunt_with_ours(const std::string& property, const std::string& release, std::uint64_t cases,
                          std::uint64_t seed = 1) {
  const PlacementWorld world = world_of(release);
  HuntOptions options{.seed = seed, .cases = cases};
  if (property == "*")
    for (const PlacementProperty& p : placement_properties()) options.properties.push_back(&p);
  else
    options.properties.push_back(find_property(property));
  return hunt(world, our_placer(world), options);
}

std::string shown(const HuntReport& r) {
  return r.counterexample ? r.counterexample->property->name + "\n" + to_text(r.counterexample->shrunk.smallest) +
                                r.counterexample->wrong
                          : "";
}

class OfRelease : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Releases, OfRelease, ::testing::Values("0.9", "0.12", "1.12", "1.15", "2.15"));

TEST_P(OfRelease, the_independent_placer_gives_the_same_answers) {
  const HuntReport r = hunt_with_ours("reference_agrees", GetParam(), 5'000);
  EXPECT_FALSE(r.counterexample) << shown(r);
}

TEST(Hunts, are_watched_while_a_case_is_shrunk) {
  const PlacementProperty refuses_two = {"at_most_one", "", [](const Judgement& j) -> std::optional<std::string> {
                                           if (j.c.nodes.size() < 2) return std::nullopt;
                                           return "two nodes";
                                         }};
  const PlacementWorld world = world_of("2.15");
  HuntOptions options{.properties = {&refuses_two}, .cases = 50};
  std::map<std::uint64_t, std::uint64_t> tries;
  options.watch = [&](std::uint64_t number, std::uint64_t tried) { tries[number] = tried; };
  const HuntReport r = hunt(world, our_placer(world), options);
  ASSERT_TRUE(r.counterexample);
  EXPECT_EQ(tries[r.counterexample->number], r.counterexample->shrunk.tried);
}

TEST(SameAnswer, is_compared_by_devices_by_codes_too_or_by_texts_too) {
  const PlacementAnswer here{.code = Code::kOk, .message = "", .place = {0}},
      there{.code = Code::kOk, .message = "", .place = {1}},
      refused{.code = Code::kInvalidArgument, .message = "no", .place = {}},
      other_code{.code = Code::kInternal, .message = "no", .place = {}},
      other_text{.code = Code::kInvalidArgument, .message = "never", .place = {}};
  for (const Compared what : {Compared::devices, Compared::codes, Compared::texts}) {
    EXPECT_TRUE(same_answer(here, here, what));
    EXPECT_FALSE(same_answer(here, there, what));
    EXPECT_FALSE(same_answer(here, refused, what));
    EXPECT_EQ(same_answer(refused, other_code, what), what == Compared::devices);
    EXPECT_EQ(same_answer(refused, other_text, what), what != Compared::texts);
  }
}

}  // namespace
}  // namespace tarry
