#include "sim/shared_flows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "placer/core/check.hpp"
#include "placer/core/hash.hpp"
#include "placer/core/random.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr Nanos kNoEnd = std::numeric_limits<Nanos>::max();
constexpr HostId kHere{0u}, kThere{1u}, kElsewhere{2u};

ClusterSpec shared_cards(std::uint64_t nic) {
  ClusterSpec c{.hosts = {{"a", nic}, {"b", nic}, {"c", nic}}};
  c.network.engine = FlowsBy::shared;
  return c;
}

// Everything that ends, "flow@time " each.
std::string all_ends(FlowEngine& flows) {
  std::string text;
  while (flows.alive())
    for (const auto& [at, flow] : flows.advance(kNoEnd)) text += fmt::format("{}@{} ", flow, at);
  return text;
}

TEST(SharedFlows, one_flow_takes_bytes_over_bandwidth) {
  SharedFlows flows(shared_cards(1000));
  flows.start(5, kHere, kThere, 2000, 7);
  EXPECT_EQ(all_ends(flows), "7@2000000005 ");
  EXPECT_FALSE(flows.alive());
}

TEST(SharedFlows, two_flows_share_a_card_half_and_half) {
  SharedFlows flows(shared_cards(1000));
  flows.start(0, kHere, kThere, 1000, 1);
  flows.start(0, kHere, kElsewhere, 2000, 2);
  EXPECT_EQ(all_ends(flows), "1@2000000000 2@3000000000 ");
}

TEST(SharedFlows, flows_of_one_channel_share_it_and_end_by_their_size) {
  SharedFlows flows(shared_cards(1000));
  for (const std::uint64_t bytes : {3000, 1000, 2000}) flows.start(0, kHere, kThere, bytes, bytes);
  EXPECT_EQ(all_ends(flows), "1000@3000000000 2000@5000000000 3000@6000000000 ");
}

TEST(SharedFlows, a_host_has_a_link_to_itself_that_its_card_does_not_limit) {
  ClusterSpec c = shared_cards(1000);
  c.network.same_host.bandwidth = 500;
  SharedFlows flows(c);
  flows.start(0, kHere, kHere, 1000, 1);
  flows.start(0, kHere, kThere, 1000, 2);
  EXPECT_EQ(all_ends(flows), "2@1000000000 1@2000000000 ");
}

TEST(SharedFlows, the_link_of_a_pair_counts_in_each_direction_by_itself) {
  ClusterSpec c = shared_cards(0);
  c.network.links = {{kThere, kHere, {.bandwidth = 100}}};
  SharedFlows flows(c);
  flows.start(0, kHere, kThere, 1000, 1);
  flows.start(0, kThere, kHere, 500, 2);
  EXPECT_EQ(all_ends(flows), "2@5000000000 1@10000000000 ");
}

// They end within one nanosecond of each other, the one that was started last a little earlier.
TEST(SharedFlows, flows_that_end_in_one_nanosecond_come_in_the_order_in_which_they_were_started) {
  SharedFlows flows(shared_cards(100'000'000'000));
  flows.start(0, kHere, kThere, 100'010, 1);
  flows.start(0, kThere, kHere, 99'999, 2);
  EXPECT_EQ(all_ends(flows), "1@1000 2@1000 ");
}

TEST(SharedFlows, time_stops_where_it_is_asked_to_and_not_before_it) {
  SharedFlows flows(shared_cards(1000));
  flows.start(0, kHere, kThere, 1000, 1);
  EXPECT_TRUE(flows.advance(kSecond / 2).empty());
  flows.start(kSecond / 2, kHere, kThere, 1000, 2);
  EXPECT_EQ(all_ends(flows), "1@1500000000 2@2000000000 ");
}

TEST(SharedFlows, an_end_is_told_when_time_reaches_its_nanosecond) {
  SharedFlows flows(shared_cards(1000));
  flows.start(0, kHere, kThere, 1000, 1);
  EXPECT_TRUE(flows.advance(kSecond - 1).empty());
  EXPECT_EQ(flows.advance(kSecond).size(), 1u);
}

TEST(SharedFlows, one_that_begins_where_one_ends_on_its_channel_leaves_all_others_their_rates) {
  SharedFlows flows(shared_cards(1000));
  flows.start(0, kHere, kThere, 1000, 1);
  flows.start(0, kHere, kElsewhere, 3000, 2);
  ASSERT_EQ(flows.advance(kNoEnd).size(), 1u);
  EXPECT_TRUE(flows.advance(2 * kSecond).empty());  // time does not pass before the next one is there
  flows.start(2 * kSecond, kHere, kThere, 1000, 3);
  EXPECT_EQ(all_ends(flows), "3@4000000000 2@5000000000 ");
}

TEST(SharedFlows, what_begins_after_a_pause_has_its_whole_time) {
  SharedFlows flows(shared_cards(1000));
  flows.start(0, kHere, kThere, 1000, 1);
  EXPECT_EQ(all_ends(flows), "1@1000000000 ");
  flows.start(10 * kSecond, kHere, kThere, 1000, 2);
  flows.start(10 * kSecond, kHere, kElsewhere, 1000, 3);
  EXPECT_EQ(all_ends(flows), "2@12000000000 3@12000000000 ");
}

TEST(SharedFlows, a_narrowed_way_is_felt_at_once_and_by_those_that_begin_later) {
  ClusterSpec c = shared_cards(0);
  c.network.between_hosts.bandwidth = 1000;
  SharedFlows flows(c);
  flows.start(0, kHere, kThere, 1000, 1);
  EXPECT_TRUE(flows.advance(kSecond / 2).empty());
  flows.narrow(kHere, kThere, 100);
  flows.narrow(kThere, kHere, 500);
  EXPECT_EQ(all_ends(flows), "1@5500000000 ");
  flows.start(6 * kSecond, kThere, kHere, 1000, 2);
  EXPECT_EQ(all_ends(flows), "2@8000000000 ");
}

TEST(SharedFlows, two_engines_may_live_in_one_process) {
  const ClusterSpec c = shared_cards(1000);
  Flows first(c), second(c);
  first.start(0, kHere, kThere, 1000, 1);
  second.start(0, kHere, kThere, 2000, 1);
  EXPECT_EQ(first.advance(kNoEnd).front().at, kSecond);
  EXPECT_EQ(second.advance(kNoEnd).front().at, 2 * kSecond);
}

// ---- beside SimGrid ----

struct ScriptedFlow {
  Nanos at = 0;
  Card from, to;
  std::uint64_t bytes = 0;
  int times = 1;  // one after the other
};
struct Narrowing {
  Nanos at = 0;
  HostId from, to;
  std::uint64_t bandwidth = 0;
};
struct Script {
  ClusterSpec cluster;
  std::vector<ScriptedFlow> flows;
  std::vector<Narrowing> narrowings;
};

// Runs a script, and keeps when each flow ended, each of its times.
class Playing {
 public:
  Playing(const Script& script, FlowsBy engine) : script_(script), cluster_(script.cluster), flows_(cluster_) {
    cluster_.network.engine = engine;
    for (const Narrowing& n : script.narrowings) flows_.may_narrow(n.from, n.to);
    left_.assign(script.flows.size(), 0);
    ends.resize(script.flows.size());
  }

  void play() {
    std::size_t flow = 0, narrowing = 0;
    const auto next = [](const auto& list, std::size_t i) { return i < list.size() ? list[i].at : kNoEnd; };
    while (flow < script_.flows.size() || narrowing < script_.narrowings.size()) {
      const Nanos begin = next(script_.flows, flow), narrow = next(script_.narrowings, narrowing);
      pass_time(std::min(begin, narrow));
      if (narrow <= begin) {
        const Narrowing& n = script_.narrowings[narrowing++];
        flows_.narrow(n.from, n.to, n.bandwidth);
      } else {
        left_[flow] = script_.flows[flow].times;
        start(begin, flow++);
      }
    }
    pass_time(kNoEnd);
  }

  std::vector<std::vector<Nanos>> ends;

 private:
  void start(Nanos now, std::size_t flow) {
    const ScriptedFlow& f = script_.flows[flow];
    --left_[flow];
    flows_.start(now, f.from, f.to, f.bytes, flow);
  }
  void pass_time(Nanos until) {
    while (flows_.alive()) {
      const auto ended = flows_.advance(until);
      if (ended.empty()) return;
      for (const auto& [at, flow] : ended) ends[flow].push_back(at);
      for (const auto& [at, flow] : ended)
        if (left_[flow] > 0) start(at, flow);
    }
  }

  const Script& script_;
  ClusterSpec cluster_;
  Flows flows_;
  std::vector<int> left_;
};

// From 1 to 10^digits, as many small ones as large ones.
std::uint64_t drawn_size(int digits) {
  std::uint64_t most = 10;
  for (int d = *rc::gen::inRange(0, digits); d > 0; --d) most *= 10;
  return *rc::gen::inRange<std::uint64_t>(1, most);
}

// A thousand bytes a second or more; 0 = unlimited.
std::uint64_t drawn_bandwidth(int unlimited_in_ten) {
  return *rc::gen::inRange(0, 10) < unlimited_in_ten ? 0 : 1000 * drawn_size(6);
}

// One card or several: what a host has besides its first.
std::vector<std::uint64_t> drawn_further_cards() {
  std::vector<std::uint64_t> cards;
  if (*rc::gen::inRange(0, 3) == 0) cards.resize(*rc::gen::inRange<std::size_t>(1, 4));
  for (std::uint64_t& card : cards) card = drawn_bandwidth(2);
  return cards;
}

HostId drawn_host(const ClusterSpec& c) { return HostId{*rc::gen::inRange<std::size_t>(0, c.hosts.size())}; }

ClusterSpec drawn_network() {
  ClusterSpec c;
  const int hosts = *rc::gen::inRange(2, 7);
  const bool are_equal = *rc::gen::arbitrary<bool>();
  const std::uint64_t nic = drawn_bandwidth(1);
  for (int h = 0; h < hosts; ++h) c.hosts.push_back({fmt::format("h{}", h), are_equal ? nic : drawn_bandwidth(3)});
  for (HostSpec& h : c.hosts) h.further_nics = drawn_further_cards();
  const int racks = *rc::gen::inRange(0, 4);
  for (int r = 0; r < racks; ++r) c.network.racks.push_back({fmt::format("r{}", r), {.bandwidth = drawn_bandwidth(2)}});
  for (HostSpec& h : c.hosts)
    if (const int r = *rc::gen::inRange(0, racks + 1); r < racks) h.rack = RackId{static_cast<std::size_t>(r)};
  c.network.between_hosts.bandwidth = drawn_bandwidth(6);
  c.network.same_host.bandwidth = drawn_bandwidth(3);
  for (int l = *rc::gen::inRange(0, 4); l > 0; --l) {
    const HostId a = drawn_host(c), b = drawn_host(c);
    if (a != b) c.network.links.push_back({a, b, {.bandwidth = drawn_bandwidth(2)}});
  }
  return c;
}

// Of up to ten links, some of them fatpipes; a route crosses any of them.
PlatformSpec drawn_platform(std::size_t hosts) {
  PlatformSpec p{.places = static_cast<std::uint32_t>(hosts)};
  for (std::uint32_t h = 0; h < p.places; ++h) p.place_of.push_back(h);
  p.links.resize(*rc::gen::inRange<std::size_t>(1, 11));
  for (PlatformLink& l : p.links) l = {"", drawn_bandwidth(2), *rc::gen::inRange(0, 3) == 0};
  for (std::size_t r = 0; r < hosts * hosts; ++r) {
    PlatformRoute& route = p.routes.emplace_back();
    const int of_three = *rc::gen::inRange(1, 4);
    for (std::uint32_t l = 0; r % (hosts + 1) != 0 && l < p.links.size(); ++l)
      if (*rc::gen::inRange(0, 3) < of_three) route.links.push_back(l);
  }
  return p;
}

Card drawn_card(const ClusterSpec& c) {
  const HostId host = drawn_host(c);
  return {host, *rc::gen::inRange<std::uint32_t>(0, card_count(c.hosts[host.index()]))};
}

// On one host there are no cards.
bool is_limited(const ClusterSpec& c, const ScriptedFlow& f) {
  const CardPair cards{bandwidth_of(c.hosts, f.from), bandwidth_of(c.hosts, f.to)};
  return path_between(c, f.from.host, f.to.host, cards).bandwidth > 0;
}

void showValue(const Script& s, std::ostream& out) {
  out << "cards:";
  const CardList cards(s.cluster.hosts);
  for (const Card card : cards.all()) out << (card.number == 0 ? " " : "+") << bandwidth_of(s.cluster.hosts, card);
  const NetworkSpec& n = s.cluster.network;
  out << "\npaths: " << n.between_hosts.bandwidth << ", on a host: " << n.same_host.bandwidth << "\n";
  for (const RackSpec& r : n.racks) out << "trunk of " << r.name << ": " << r.trunk.bandwidth << "\n";
  for (const HostSpec& h : s.cluster.hosts)
    if (h.rack.valid()) out << h.name << " is in r" << h.rack.index() << "\n";
  for (const PlatformLink& l : n.platform.links) out << (l.is_fatpipe ? "fatpipe " : "shared ") << l.bandwidth << "\n";
  for (std::size_t r = 0; r < n.platform.routes.size(); ++r) {
    out << "route " << r / n.platform.places << " to " << r % n.platform.places << ":";
    for (const std::uint32_t l : n.platform.routes[r].links) out << " " << l;
    out << "\n";
  }
  for (const LinkSpec& l : n.links)
    out << "link " << l.a.index() << " to " << l.b.index() << ": " << l.path.bandwidth << "\n";
  for (const ScriptedFlow& f : s.flows)
    out << f.at << ": " << f.bytes << " from " << name_of(s.cluster.hosts, f.from) << " to "
        << name_of(s.cluster.hosts, f.to) << ", " << f.times << "x\n";
  for (const Narrowing& w : s.narrowings)
    out << w.at << ": " << w.from.index() << " to " << w.to.index() << " becomes " << w.bandwidth << "\n";
}

rc::Gen<Script> scripts() {
  return rc::gen::exec([] {
    Script s{.cluster = drawn_network()};
    if (*rc::gen::inRange(0, 3) == 0) s.cluster.network.platform = drawn_platform(s.cluster.hosts.size());
    const bool are_at_once = *rc::gen::arbitrary<bool>(), are_equal = *rc::gen::arbitrary<bool>();
    const std::uint64_t bytes = drawn_size(9);
    const auto time = [&] { return are_at_once ? 0 : static_cast<Nanos>(drawn_size(11)); };
    for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
      ScriptedFlow f{time(), drawn_card(s.cluster), drawn_card(s.cluster), are_equal ? bytes : drawn_size(9),
                     *rc::gen::inRange(1, 4)};
      if (f.from.host == f.to.host) f.from = f.to = f.from.host;
      if (is_limited(s.cluster, f)) s.flows.push_back(f);
    }
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      Narrowing n{time(), drawn_host(s.cluster), drawn_host(s.cluster)};
      n.bandwidth = path_between(s.cluster, n.from, n.to).bandwidth * *rc::gen::inRange<std::uint64_t>(1, 101) / 100;
      if (n.bandwidth > 0) s.narrowings.push_back(n);
    }
    std::ranges::stable_sort(s.flows, {}, &ScriptedFlow::at);
    std::ranges::stable_sort(s.narrowings, {}, &Narrowing::at);
    return s;
  });
}

std::string ends_by(const Script& script, FlowsBy engine) {
  Playing playing(script, engine);
  playing.play();
  std::string text;
  for (const auto& flow : playing.ends)
    for (const Nanos end : flow) text += fmt::format("{} ", end);
  return text;
}

// Pinned: every compiler and every optimisation level gives this.
TEST(SharedFlows, ends_are_the_same_on_every_compiler) {
  Random random(1);
  Script script;
  for (int h = 0; h < 8; ++h) script.cluster.hosts.push_back({fmt::format("h{}", h), 1 + random.below(1'000'000'000)});
  const auto host = [&] { return HostId{random.below(4)}; };
  for (Nanos at = 0; at < 500; ++at)
    script.flows.push_back({at * at * 1000, host(), HostId{4 + random.below(4)}, 1 + random.below(100'000'000), 2});
  EXPECT_EQ(to_string(hash_of(ends_by(script, FlowsBy::shared))), "943f290c20016b86b9d488d17c1c5baa");
}

// Where an end lies half way between two nanoseconds, rounding may not decide twice.
TEST(SharedFlows, an_end_between_two_nanoseconds_is_told_once_time_is_there) {
  Script script{.cluster = shared_cards(1000)};
  script.cluster.network.same_host.bandwidth = 3000;
  const Card a = kHere, b = kThere;
  script.flows = {{1, a, a, 2}, {1, b, b, 2, 2}, {1, a, a, 2}, {1, b, b, 2},    {1, a, a, 2},
                  {1, a, a, 2}, {1, a, a, 2},    {1, a, a, 2}, {4, b, b, 2, 2}, {15, b, b, 2}};
  Playing playing(script, FlowsBy::shared);
  playing.play();
  for (std::size_t f = 0; f < script.flows.size(); ++f)
    EXPECT_EQ(playing.ends[f].size(), static_cast<std::size_t>(script.flows[f].times)) << f;
}

std::vector<Nanos> numbers_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<Nanos>(in), {}};
}

// A millionth of the time since the flow could begin at the earliest, and two nanoseconds of rounding.
void both_engines_agree() {
  const Script script = *scripts();
  const std::vector<Nanos> ours = numbers_in(ends_by(script, FlowsBy::shared));
  const auto simgrid = run_in_child([&] { return ends_by(script, FlowsBy::simgrid); });
  RC_ASSERT(simgrid.ok());
  const std::vector<Nanos> theirs = numbers_in(*simgrid);
  RC_ASSERT(ours.size() == theirs.size());
  std::size_t i = 0;
  for (const ScriptedFlow& f : script.flows)
    for (int n = 0; n < f.times; ++n, ++i) {
      RC_LOG() << "flow " << i << ": " << ours[i] << ", SimGrid: " << theirs[i] << "\n";
      RC_ASSERT(std::llabs(ours[i] - theirs[i]) <= 2 + (theirs[i] - f.at) / 1'000'000);
    }
}

// In a child that loads SimGrid once for all of its own children: other tests see whether it is loaded.
bool all_agree(int scripts_in_each_case) {
  const auto said = run_in_child([&] {
    check(open_flow_module().ok(), "SimGrid is there");
    const bool agree = rc::check("the engines agree", [&] {
      for (int i = 0; i < scripts_in_each_case; ++i) both_engines_agree();
    });
    return std::string(agree ? "they agree" : "they differ");
  });
  return said.ok() && *said == "they agree";
}

TEST(SharedFlows, end_when_those_of_simgrid_end) { EXPECT_TRUE(all_agree(1)); }

// ./tarry_sim_test --gtest_also_run_disabled_tests --gtest_filter='*ten_thousand*'
TEST(SharedFlows, DISABLED_end_when_those_of_simgrid_end_in_ten_thousand_scripts) { EXPECT_TRUE(all_agree(100)); }

}  // namespace
}  // namespace tarry
