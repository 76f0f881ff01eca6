#include "sim/fair_shares.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace tarry {
namespace {

constexpr std::size_t kMostLinks = 9;  // of a channel

using Links = std::vector<std::uint32_t>;

TEST(FairShares, a_channel_has_what_its_narrowest_link_has) {
  FairShares shares;
  const auto wide = shares.add_link(100), narrow = shares.add_link(30);
  const auto c = shares.add_channel(Links{wide, narrow});
  shares.set_flows(c, 1);
  shares.solve();
  EXPECT_EQ(shares.rate(c), 30);
  EXPECT_EQ(shares.limiting_link(c), narrow);
  EXPECT_EQ(shares.level(wide), FairShares::kUnlimited);
}

TEST(FairShares, flows_of_a_link_share_it_by_their_number) {
  FairShares shares;
  const auto link = shares.add_link(120);
  const auto a = shares.add_channel(Links{link}), b = shares.add_channel(Links{link});
  shares.set_flows(a, 1);
  shares.set_flows(b, 3);
  shares.solve();
  EXPECT_EQ(shares.rate(a), 30);
  EXPECT_EQ(shares.rate(b), 30);
}

TEST(FairShares, what_one_cannot_use_others_have) {
  FairShares shares;
  const auto link = shares.add_link(100), slow = shares.add_link(10);
  const auto held_up = shares.add_channel(Links{link, slow}), free = shares.add_channel(Links{link});
  shares.set_flows(held_up, 1);
  shares.set_flows(free, 1);
  shares.solve();
  EXPECT_EQ(shares.rate(held_up), 10);
  EXPECT_EQ(shares.rate(free), 90);
  shares.set_capacity(slow, 80);
  shares.solve();
  EXPECT_EQ(shares.rate(held_up), 50);
  EXPECT_EQ(shares.limiting_link(held_up), link);
}

TEST(FairShares, where_a_flow_goes_a_link_that_had_room_may_become_too_full) {
  FairShares shares;
  const auto a = shares.add_link(100), b = shares.add_link(100), both = shares.add_link(120);
  const auto c1 = shares.add_channel(Links{a, both}), c2 = shares.add_channel(Links{b, both});
  const auto also_a = shares.add_channel(Links{a}), also_b = shares.add_channel(Links{b});
  for (const auto c : {c1, c2, also_a, also_b}) shares.set_flows(c, 1);
  shares.solve();
  EXPECT_EQ(shares.rate(c1), 50);
  EXPECT_EQ(shares.level(both), FairShares::kUnlimited);
  shares.set_flows(also_a, 0);
  shares.set_flows(also_b, 0);
  shares.solve();
  EXPECT_EQ(shares.rate(c1), 60);
  EXPECT_EQ(shares.rate(c2), 60);
  EXPECT_EQ(shares.limiting_link(c1), both);
}

TEST(FairShares, nothing_changes_where_links_are_not_shared) {
  FairShares shares;
  const auto here = shares.add_link(100), there = shares.add_link(100);
  const auto a = shares.add_channel(Links{here}), b = shares.add_channel(Links{there});
  shares.set_flows(a, 1);
  shares.set_flows(b, 1);
  shares.solve();
  shares.set_flows(b, 2);
  const FairShares::Changes& changes = shares.solve();
  EXPECT_EQ(changes.links, Links{there});
  EXPECT_TRUE(changes.moves.empty());
}

TEST(FairShares, a_channel_that_goes_and_comes_again_before_it_is_asked_for_changes_nothing) {
  FairShares shares;
  const auto link = shares.add_link(100);
  const auto c = shares.add_channel(Links{link});
  shares.set_flows(c, 1);
  shares.solve();
  shares.set_flows(c, 0);
  shares.set_flows(c, 1);
  EXPECT_TRUE(shares.solve().links.empty());
}

// A change on a link does not reach those that are full at a lower level.
TEST(FairShares, a_change_reaches_only_links_of_higher_levels) {
  FairShares shares;
  const auto low = shares.add_link(20), high = shares.add_link(100);
  const auto both = shares.add_channel(Links{low, high}), other = shares.add_channel(Links{low});
  const auto rest = shares.add_channel(Links{high});
  for (const auto c : {both, other, rest}) shares.set_flows(c, 1);
  shares.solve();
  shares.set_flows(rest, 2);
  EXPECT_EQ(shares.solve().links, (Links{high}));
  EXPECT_EQ(shares.rate(both), 10);
  EXPECT_EQ(shares.rate(rest), 45);
}

// `between` had a level of 10. Where one of its two channels falls to 1, the other one may have up to 19, and so
// `crowded`, which has found its level for a channel of 10 by then, must look again.
TEST(FairShares, a_link_looks_again_when_another_one_lets_a_channel_of_it_go) {
  FairShares shares;
  const auto narrow = shares.add_link(100), between = shares.add_link(20), crowded = shares.add_link(40);
  const auto falls = shares.add_channel(Links{narrow, between}), rises = shares.add_channel(Links{between, crowded});
  const auto there = shares.add_channel(Links{crowded}), comes = shares.add_channel(Links{crowded});
  const auto many = shares.add_channel(Links{narrow});
  for (const auto c : {falls, rises, there}) shares.set_flows(c, 1);
  shares.solve();
  EXPECT_EQ(shares.rate(rises), 10);
  shares.set_flows(comes, 1);
  shares.set_flows(many, 99);
  shares.solve();
  EXPECT_EQ(shares.rate(falls), 1);
  for (const auto c : {rises, there, comes}) EXPECT_EQ(shares.rate(c), 40.0 / 3);
}

// ---- against filling everything anew ----

struct Sketch {
  std::vector<double> capacities;  // of link 1, 2, ...
  std::vector<Links> ways;
  std::vector<std::size_t> flows;
};

// Progressive filling as it is defined: the link with the least share of what is left is full first.
std::vector<double> rates_by_definition(const Sketch& w) {
  std::vector<double> left = w.capacities, rates(w.ways.size(), 0);
  std::vector<bool> is_done(w.ways.size());
  for (std::size_t c = 0; c < w.ways.size(); ++c) is_done[c] = w.flows[c] == 0;
  while (std::ranges::count(is_done, false) > 0) {
    std::size_t first = 0;
    double least = FairShares::kUnlimited;
    for (std::size_t l = 0; l < left.size(); ++l) {
      double n = 0;
      for (std::size_t c = 0; c < w.ways.size(); ++c)
        if (!is_done[c] && std::ranges::count(w.ways[c], l + 1) > 0) n += static_cast<double>(w.flows[c]);
      if (n > 0 && left[l] / n < least) least = left[l] / n, first = l;
    }
    for (std::size_t c = 0; c < w.ways.size(); ++c) {
      if (is_done[c] || std::ranges::count(w.ways[c], first + 1) == 0) continue;
      is_done[c] = true;
      rates[c] = least;
      for (const auto l : w.ways[c]) left[l - 1] -= least * static_cast<double>(w.flows[c]);
    }
  }
  return rates;
}

rc::Gen<Sketch> sketches() {
  return rc::gen::exec([] {
    Sketch w;
    const auto links = *rc::gen::inRange<std::uint32_t>(1, 12);
    const auto channels = *rc::gen::inRange<std::size_t>(1, 30);
    for (std::uint32_t l = 0; l < links; ++l) w.capacities.push_back(*rc::gen::inRange(1, 1000));
    for (std::size_t c = 0; c < channels; ++c) {
      Links way;
      for (std::size_t i = 0; i < kMostLinks; ++i) way.push_back(*rc::gen::inRange<std::uint32_t>(1, links + 1));
      std::ranges::sort(way);
      way.erase(std::unique(way.begin(), way.end()), way.end());
      w.ways.push_back(way);
    }
    w.flows.assign(channels, 0);
    return w;
  });
}

FairShares shares_of(const Sketch& w) {
  FairShares shares;
  for (const double c : w.capacities) shares.add_link(c);
  for (const Links& way : w.ways) shares.add_channel(way);
  return shares;
}

// Gives false when a rate differs.
bool agrees(const FairShares& shares, const Sketch& w) {
  const std::vector<double> expected = rates_by_definition(w);
  for (std::size_t c = 0; c < w.ways.size(); ++c)
    if (w.flows[c] > 0 && std::abs(shares.rate(static_cast<std::uint32_t>(c)) / expected[c] - 1) > 1e-9) return false;
  return true;
}

// One change, drawn: of a channel's flows, or of a link's capacity.
void change(FairShares& shares, Sketch& w) {
  if (*rc::gen::inRange(0, 6) == 0) {
    const auto link = *rc::gen::inRange<std::size_t>(0, w.capacities.size());
    w.capacities[link] = *rc::gen::inRange(1, 1000);
    return shares.set_capacity(static_cast<std::uint32_t>(link + 1), w.capacities[link]);
  }
  const auto channel = *rc::gen::inRange<std::size_t>(0, w.ways.size());
  w.flows[channel] = *rc::gen::inRange<std::size_t>(0, 4);
  shares.set_flows(static_cast<std::uint32_t>(channel), w.flows[channel]);
}

void rates_stay_those_of_the_definition() {
  Sketch w = *sketches();
  FairShares shares = shares_of(w);
  const int rounds = *rc::gen::inRange(1, 25);
  for (int round = 0; round < rounds; ++round) {
    const int at_once = *rc::gen::inRange(1, 4);
    for (int i = 0; i < at_once; ++i) change(shares, w);
    shares.solve();
    RC_ASSERT(agrees(shares, w));
  }
}

RC_GTEST_PROP(FairShares, after_any_changes_rates_are_those_of_filling_everything_anew, ()) {
  rates_stay_those_of_the_definition();
}

// What is not among the changes keeps its level, and channels that make no move keep their link.
RC_GTEST_PROP(FairShares, what_changes_is_told, ()) {
  Sketch w = *sketches();
  FairShares shares = shares_of(w);
  std::vector<std::uint32_t> limits(w.ways.size(), FairShares::kNoLink);
  std::vector<double> levels(w.capacities.size() + 1, FairShares::kUnlimited);
  const int rounds = *rc::gen::inRange(1, 20);
  for (int round = 0; round < rounds; ++round) {
    change(shares, w);
    const FairShares::Changes changes = shares.solve();
    for (const auto& m : changes.moves) limits[m.channel] = m.to;
    for (const auto l : changes.links) levels[l] = shares.level(l);
    for (std::uint32_t l = 1; l < levels.size(); ++l) RC_ASSERT(levels[l] == shares.level(l));
    for (std::uint32_t c = 0; c < limits.size(); ++c)
      if (w.flows[c] > 0) RC_ASSERT(limits[c] == shares.limiting_link(c));
  }
}

}  // namespace
}  // namespace tarry
