// Which network cards are tried at the bandwidth of the others'.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WhatIfCards, a_card_is_slow_that_has_less_than_nine_tenths_of_the_medians) {
  const auto with_last = [](std::uint64_t bandwidth) {
    ToldRun t(1, 2);
    for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
    t.job.cluster.hosts[2].nic_bandwidth = bandwidth;
    return t.tried(Proof::Cause::slow_card);
  };
  EXPECT_THAT(with_last(900), IsEmpty());
  EXPECT_THAT(with_last(899), ElementsAre("host2"));
  EXPECT_THAT(with_last(0), IsEmpty());  // without a limit
}

// The server's cards are used by one worker each.
TEST(WhatIfCards, a_card_of_several_is_slow_by_itself) {
  ToldRun t(1, 2);
  for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
  t.job.cluster.hosts[0].further_nics = {799};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].proof.a + " " + all[0].proof.b, "host0 card 1");
  EXPECT_THAT(all[0].proof.what, HasSubstr("the network card 1 of host0 (ps 0) has "));
  EXPECT_THAT(all[0].job.cluster.hosts[0].further_nics, ElementsAre(1000));
}

TEST(WhatIfCards, a_card_that_no_task_uses_is_not_slow) {
  ToldRun t(1, 2);
  for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
  t.job.cluster.hosts[0].further_nics = {10};
  t.job.cluster.tasks[0].nic = 0;
  EXPECT_THAT(t.tried(Proof::Cause::slow_card), IsEmpty());
}

TEST(WhatIfCards, one_card_alone_varies_no_more_and_the_others_of_its_host_do) {
  ToldRun t(1, 2);
  for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
  t.job.cluster.hosts[0] = {.name = "host0", .nic_bandwidth = 1300, .further_nics = {1000}};
  t.job.cluster.network.variations = {{.host = HostId{0u}, .every = 1, .factor = Amount{Constant{790'000}}}};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].proof.b, "card 1");
  ASSERT_EQ(all[0].job.cluster.network.variations.size(), 1u);
  EXPECT_EQ(all[0].job.cluster.network.variations[0].nic, 0u);
}

TEST(WhatIfCards, several_slow_cards_are_tried_together_each_host_named_once) {
  ToldRun t(1, 4);
  for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
  t.job.cluster.hosts[0] = {.name = "host0", .nic_bandwidth = 100, .further_nics = {100}};
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[2].proof.what, HasSubstr("the network cards of host0 (ps 0) have less bandwidth"));
  EXPECT_EQ(all[2].job.cluster.hosts[0].nic_bandwidth, 1000u);
  EXPECT_THAT(all[2].job.cluster.hosts[0].further_nics, ElementsAre(1000));
}

// A tenth of the intervals have nothing of a card but a thousandth: 90 % are left on average.
TEST(WhatIfCards, one_that_varies_has_what_it_has_on_average) {
  const auto with_factor = [](FactorLaw factor) {
    ToldRun t(1, 2);
    for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1000;
    t.job.cluster.network.variations = {{.host = HostId{0u}, .every = 1, .factor = std::move(factor)}};
    return t.tried(Proof::Cause::slow_card);
  };
  EXPECT_THAT(with_factor(Switching{1000, 100'000, 900'000}), IsEmpty());
  EXPECT_THAT(with_factor(Switching{1000, 900'000, 100'000}), ElementsAre("host0"));
  EXPECT_THAT(with_factor(Amount{Uniform{900'000, 1'000'000}}), IsEmpty());
  EXPECT_THAT(with_factor(Amount{Uniform{50'000, 150'000}}), ElementsAre("host0"));
}

// Without what makes it vary it has more than the others.
TEST(WhatIfCards, one_that_is_slow_by_varying_alone_is_tried_without_that) {
  const auto instead = [](std::uint64_t own) {
    ToldRun t(1, 2);
    for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1'000'000;
    t.job.cluster.hosts[0].nic_bandwidth = own;
    t.job.cluster.network.variations = {{.host = HostId{0u}, .every = 1, .factor = Amount{Constant{20'000}}}};
    return what_ifs(t.job, t.outcome).at(0).proof.instead;
  };
  EXPECT_EQ(instead(40'000'000), "with a card that does not vary there");
  EXPECT_EQ(instead(1'000'000), "with a card that does not vary there");
  EXPECT_EQ(instead(900'000), "with 8 Mb/s there");
}

TEST(WhatIfCards, are_compared_with_the_others_or_where_several_are_slow_with_most_others) {
  const auto told = [](std::uint64_t fourth) {
    ToldRun t(1, 4);
    for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 1'000'000;
    t.job.cluster.hosts[3].nic_bandwidth = 500'000, t.job.cluster.hosts[4].nic_bandwidth = fourth;
    for (const WhatIf& w : what_ifs(t.job, t.outcome))
      if (w.proof.cause == Proof::Cause::slow_card) return w.proof.what;
    return std::string();
  };
  EXPECT_THAT(told(1'000'000), HasSubstr("and those of the others 8 Mb/s"));
  EXPECT_THAT(told(500'000), HasSubstr("and those of most others 8 Mb/s"));
}

// Servers and workers, and the bandwidth of each one's card.
std::vector<std::string> slow_of(std::size_t servers, const std::vector<std::uint64_t>& bandwidths) {
  ToldRun t(servers, bandwidths.size() - servers);
  for (std::size_t h = 0; h < bandwidths.size(); ++h) t.job.cluster.hosts[h].nic_bandwidth = bandwidths[h];
  return t.tried(Proof::Cause::slow_card);
}

TEST(WhatIfCards, most_workers_have_slow_ones_where_another_worker_and_a_server_have_more) {
  EXPECT_THAT(slow_of(1, {1000, 200, 200, 200, 1000}), ElementsAre("host1", "host2", "host3", "host1, host2, host3"));
  EXPECT_THAT(slow_of(1, {2000, 200, 200, 180, 1000}), ElementsAre("host1", "host2", "host3", "host1, host2, host3"));
  EXPECT_THAT(slow_of(1, {1000, 200, 200, 200, 200, 205, 1000}), testing::SizeIs(6)) << "205 is no better";
  EXPECT_THAT(slow_of(1, {1000, 900, 900, 900, 1000}), IsEmpty());
  EXPECT_THAT(slow_of(1, {900, 200, 200, 200, 1000}), IsEmpty()) << "one host has more than all others";
}

TEST(WhatIfCards, most_servers_have_slow_ones_where_another_server_and_a_worker_have_more) {
  EXPECT_THAT(slow_of(4, {200, 200, 200, 1000, 1000}), ElementsAre("host0", "host1", "host2", "host0, host1, host2"));
}

TEST(WhatIfCards, none_is_slow_where_all_servers_have_more_than_all_workers) {
  EXPECT_THAT(slow_of(2, {1000, 1000, 200, 200, 200}), IsEmpty());
}

TEST(WhatIfCards, most_workers_are_compared_with_some_others) {
  ToldRun t(1, 4);
  for (HostSpec& h : t.job.cluster.hosts) h.nic_bandwidth = 25'000'000;
  t.job.cluster.hosts[0].nic_bandwidth = t.job.cluster.hosts[4].nic_bandwidth = 1'250'000'000;
  const auto all = what_ifs(t.job, t.outcome);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].proof.what, "the network card of host1 (worker 0) has 200 Mb/s and those of some others 10 Gb/s");
  EXPECT_EQ(all[3].proof.what,
            "the network cards of host1 (worker 0), host2 (worker 1) and host3 (worker 2) have less bandwidth than "
            "those of the others: 200 Mb/s each; some others have 10 Gb/s");
  for (std::size_t h = 1; h < 4; ++h) EXPECT_EQ(all[3].job.cluster.hosts[h].nic_bandwidth, 1'250'000'000u);
}

}  // namespace
}  // namespace tarry
