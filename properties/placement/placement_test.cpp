#include <gtest/gtest.h>
#include <chrono>
#include <rapidcheck/gtest.h>

#include "placer/core/check.hpp"
#include "properties/placement/command_placer.hpp"
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

TEST(Scratch, live) {
  const char* release = getenv("RELEASE");
  const PlacementWorld& world = world_of(release);
  const Alphabet alphabet(world.tables.ops);
  HuntOptions options;
  options.generate.random_kernels = false;
  options.seed = atoi(getenv("SEED"));
  CommandPlacer real(fmt::format("TF_SHIM_WORK=/tmp/tf_shim python3 {}/properties/tensorflow/ask.py {}", TARRY_SOURCE_DIR, release), 20000);
  int differ = 0, failed = 0, placed = 0;
  const int n = atoi(getenv("CASES"));
  for (int i = 0; i < n && differ < 6; ++i) {
    const PlacementCase c = numbered_case(alphabet, options, i);
    const auto theirs = real.ask(c);
    if (!theirs.ok()) { if (++failed < 4) fmt::print("case {}: {}\n", i, text_of(theirs.status())); continue; }
    const auto ours = place_case(c, world);
    placed += ours->code == Code::kOk;
    if (same_answer(*ours, *theirs)) continue;
    ++differ;
    const Shrunk s = shrink(c, [&](const PlacementCase& l) { const auto a = real.ask(l); const auto o = place_case(l, world); return a.ok() && o.ok() && !same_answer(*a, *o); });
    const auto a = real.ask(s.smallest); const auto o = place_case(s.smallest, world);
    fmt::print("#### case {}\ntheirs {}\nours {}\n", i, to_text(s.smallest, &*a), to_text(s.smallest, &*o));
  }
  fmt::print("live {}: {} cases, {} placed, {} differ, {} no answer\n", release, n, placed, differ, failed);
}

}  // namespace
}  // namespace tarry
