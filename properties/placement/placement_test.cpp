#include <gtest/gtest.h>
#include <chrono>
#include <rapidcheck/gtest.h>

#include "placer/core/check.hpp"
#include "properties/placement/hunt.hpp"

namespace tarry {
namespace {

const std::string kData = TARRY_SOURCE_DIR "/properties/conform/data";

const PlacementWorld& world_of(const std::string& release) {
  static std::map<std::string, PlacementWorld> worlds;
  const auto it = worlds.find(release);
  if (it != worlds.end()) return it->second;
  auto world = placement_world(kData, release);
  check(world.ok(), "the recorded tables cannot be read");
  return worlds.emplace(release, *std::move(world)).first->second;
}

HuntReport hunt_with_ours(const std::string& property, const std::string& release, std::uint64_t cases, std::uint64_t seed = 1) {
  const PlacementWorld& world = world_of(release);
  HuntOptions options{.seed = seed, .cases = cases};
  if (property == "*")
    for (const PlacementProperty& p : placement_properties()) options.properties.push_back(&p);
  else
    options.properties.push_back(find_property(property));
  return hunt(world, [&](const PlacementCase& c) { return place_case(c, world); }, options);
}

std::string shown(const HuntReport& r) { return r.quarry ? r.quarry->property->name + "\n" + to_text(r.quarry->shrunk.smallest) + r.quarry->wrong : ""; }

class OfRelease : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Releases, OfRelease, ::testing::Values("0.9", "0.12", "1.12", "1.15", "2.15"));

TEST_P(OfRelease, the_independent_placer_gives_the_same_answers) {
  const HuntReport r = hunt_with_ours("reference_agrees", GetParam(), 5'000);
  EXPECT_FALSE(r.quarry) << shown(r);
}

TEST(Hunt, finds_nothing_with_the_rules_of_2_15) {
  const HuntReport r = hunt_with_ours("*", "2.15", 5'000);
  EXPECT_FALSE(r.quarry) << shown(r);
}

TEST(Scratch, speed) {
  const PlacementWorld& world = world_of("2.15");
  const Alphabet alphabet(world.tables.ops);
  HuntOptions options;
  std::vector<PlacementCase> cases;
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  const auto since = [&](auto t) { return std::chrono::duration<double, std::micro>(clock() - t).count() / 20000; };
  auto t = clock();
  for (int i = 0; i < 20000; ++i) cases.push_back(numbered_case(alphabet, options, i));
  fmt::print("generate {:.1f} us\n", since(t));
  t = clock();
  std::vector<Graph> graphs;
  for (const auto& c : cases) graphs.push_back(*import_case(c, world));
  fmt::print("import {:.1f} us\n", since(t));
  t = clock();
  std::vector<Graph> copies = graphs;
  fmt::print("copy {:.1f} us\n", since(t));
  t = clock();
  std::vector<PlacementAnswer> answers;
  for (std::size_t i = 0; i < cases.size(); ++i) answers.push_back(place_imported(cases[i], std::move(copies[i]), world));
  fmt::print("place {:.1f} us\n", since(t));
  const AskPlacer ask = [&](const PlacementCase& c) { return place_case(c, world); };
  for (const PlacementProperty& p : placement_properties()) {
    t = clock();
    for (std::size_t i = 0; i < cases.size(); ++i) (void)p.violation({cases[i], graphs[i], answers[i], world, ask});
    fmt::print("{} {:.1f} us\n", p.name, since(t));
  }
}

}  // namespace
}  // namespace tarry
