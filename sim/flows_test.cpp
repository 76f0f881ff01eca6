#include "sim/flows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <limits>

#include "placer/core/check.hpp"
#include "sim/flow_module.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr Nanos kForever = std::numeric_limits<Nanos>::max();
constexpr HostId kA{0u}, kB{1u}, kC{2u};

ClusterSpec hosts_with_nics(std::uint64_t nic) { return {.hosts = {{"a", nic}, {"b", nic}, {"c", nic}}}; }

// Everything that finishes, "flow@time " each.
std::string finish_all(Flows& flows) {
  std::string text;
  while (flows.alive())
    for (const auto& [at, flow] : flows.advance(kForever)) text += fmt::format("{}@{} ", flow, at);
  return text;
}

std::string in_child(const std::function<std::string()>& body) { return run_in_child(body).value_or("failed"); }

TEST(Flows, one_flow_takes_bytes_over_bandwidth) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.start(5, kA, kB, 2000, 7);
              return finish_all(flows);
            }),
            "7@2000000005 ");
}

TEST(Flows, two_flows_share_a_nic_half_and_half) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.start(0, kA, kB, 1000, 1);
              flows.start(0, kA, kC, 2000, 2);
              return finish_all(flows);  // half each for 2 s, then the second has 1000 bytes left alone
            }),
            "1@2000000000 2@3000000000 ");
}

TEST(Flows, both_directions_of_a_nic_are_apart) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.start(0, kA, kB, 1000, 1);
              flows.start(0, kB, kA, 1000, 2);
              return finish_all(flows);
            }),
            "1@1000000000 2@1000000000 ");
}

TEST(Flows, flows_that_finish_together_come_in_order_of_start) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              for (std::uint64_t i = 0; i < 12; ++i) flows.start(0, kA, kB, 1000, 20 - i);
              return finish_all(flows);
            }),
            "20@12000000000 19@12000000000 18@12000000000 17@12000000000 16@12000000000 15@12000000000 14@12000000000 "
            "13@12000000000 "
            "12@12000000000 11@12000000000 10@12000000000 9@12000000000 ");
}

TEST(Flows, time_stops_where_it_is_asked_to) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.start(0, kA, kB, 1000, 1);
              std::string text = flows.advance(kSecond / 2).empty() ? "nothing yet " : "";
              flows.start(kSecond / 2, kA, kB, 1000, 2);
              return text + finish_all(flows);
            }),
            "nothing yet 1@1500000000 2@2000000000 ");
}

TEST(Flows, the_narrowest_link_on_the_way_counts) {
  EXPECT_EQ(in_child([] {
              ClusterSpec c = hosts_with_nics(1000);
              c.network.links = {{kB, kA, {.bandwidth = 100}}};
              c.network.same_host.bandwidth = 500;
              Flows flows(c);
              flows.start(0, kA, kB, 1000, 1);
              flows.start(0, kA, kA, 1000, 2);
              return finish_all(flows);
            }),
            "2@2000000000 1@10000000000 ");
}

TEST(Flows, a_second_engine_in_a_process_is_a_bug_that_says_so) {
  const auto result = run_in_child([] {
    const ClusterSpec c = hosts_with_nics(1000);
    Flows first(c), second(c);
    first.start(0, kA, kB, 1000, 1);
    second.start(0, kA, kB, 1000, 1);
    return std::string();
  });
  EXPECT_NE(text_of(result.status()).find("one engine a process"), std::string_view::npos);
}

TEST(Flows, that_are_under_way_feel_a_narrowed_link_at_once) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.may_narrow(kA, kB);
              flows.narrow(kA, kB, 500);
              flows.start(0, kA, kB, 1000, 1);
              std::string ends;
              while (flows.alive()) {
                const auto finished = flows.advance(kSecond);
                for (const auto& f : finished) ends += fmt::format("{}@{} ", f.flow, f.at);
                if (finished.empty()) break;
              }
              flows.narrow(kA, kB, 100);
              while (flows.alive())
                for (const auto& f : flows.advance(kForever)) ends += fmt::format("{}@{} ", f.flow, f.at);
              return ends;
            }),
            fmt::format("1@{} ", 6 * kSecond));
}

TEST(Flows, that_begin_on_a_narrowed_link_have_all_of_it_when_it_is_wide_again) {
  EXPECT_EQ(in_child([] {
              const ClusterSpec c = hosts_with_nics(1000);
              Flows flows(c);
              flows.may_narrow(kA, kB);
              flows.narrow(kA, kB, 100);
              flows.start(0, kA, kB, 1000, 1);
              if (!flows.advance(kSecond).empty()) return std::string("too early");
              flows.narrow(kA, kB, 1000);
              return finish_all(flows);
            }),
            "1@1900000000 ");
}

TEST(Flows, are_computed_by_the_engine_that_the_network_names) {
  ClusterSpec c = hosts_with_nics(1000);
  c.network.engine = FlowsBy::shared;
  Flows first(c), second(c);  // SimGrid would allow one
  first.start(0, kA, kB, 1000, 1);
  second.start(0, kA, kB, 500, 2);
  EXPECT_EQ(finish_all(first) + finish_all(second), "1@1000000000 2@500000000 ");
}

// A fluid model: n equal flows over one NIC take n times as long as one, to within the rounding to nanoseconds.
RC_GTEST_PROP(Flows, equal_flows_share_equally, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 20);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
  const auto start = *rc::gen::inRange<Nanos>(0, 1000 * kSecond);
  ASSERT_TRUE(open_flow_module().ok());  // once for all children
  const std::string last = in_child([&] {
    const ClusterSpec c = hosts_with_nics(125'000'000);
    Flows flows(c);
    for (std::uint64_t i = 0; i < n; ++i) flows.start(start, kA, kB, bytes, i);
    Nanos at = 0;
    while (flows.alive())
      for (const auto& f : flows.advance(kForever)) at = f.at;
    return std::to_string(at);
  });
  RC_ASSERT(std::llabs(std::stoll(last) - start - static_cast<Nanos>(bytes * n * 8)) <= 2);
}

}  // namespace
}  // namespace tarry
