// Cards whose bandwidth varies: their factors, and what becomes of messages, by hand, with both engines.

#include "sim/card_factors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/test_net.hpp"

namespace tarry {
namespace {

using SharedBy = CardVariation::Shared;
constexpr Nanos kMilli = 1'000'000, kWholeSecond = 1'000'000'000;
constexpr std::int64_t kFull = 1'000'000;
constexpr TaskId kCard0{0u}, kCard1{1u}, kCard2{2u}, kCard3{3u};

CardVariation in_turn(std::vector<std::int64_t> factors, Nanos every = kWholeSecond, HostId host = {}) {
  return {.host = host, .every = every, .factor = Amount{Listed{std::move(factors)}}};
}
CardVariation switching(std::int64_t factor, std::int64_t begins, std::int64_t ends,
                        SharedBy shared = SharedBy::by_nobody) {
  return {.shared = shared, .every = kWholeSecond, .factor = Switching{factor, begins, ends}};
}
CardVariation any_factor(SharedBy shared = SharedBy::by_nobody, HostId host = {}) {
  return {.host = host, .shared = shared, .every = kWholeSecond, .factor = Amount{Uniform{1, 1000 * kFull}}};
}

// Hosts with cards of 1 MB/s and a task on each; the first two are in a rack.
ClusterSpec cards_of(std::size_t count, std::vector<CardVariation> variations) {
  ClusterSpec c;
  c.network.racks = {{"r", {}}};
  for (std::size_t h = 0; h < count; ++h) {
    c.hosts.push_back({fmt::format("h{}", h), 1'000'000, h < 2 ? RackId{0u} : RackId{}});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h}});
  }
  c.network.variations = std::move(variations);
  return c;
}

std::string while_varying(const ClusterSpec& cluster, const std::function<void(Net&)>& send) {
  return with_both_engines(cluster, [&](Net& net) {
    net.transport.begin_variations();
    send(net);
  });
}

TEST(VaryingCard, draws_what_it_draws_whichever_other_variations_there_are) {
  CardVariation first = any_factor(SharedBy::by_nobody, HostId{0u}), second = any_factor();
  second.stream = 1;
  const auto sent = [](std::vector<CardVariation> all) {
    return while_varying(cards_of(4, std::move(all)), [](Net& net) { net.send(kCard2, kCard3, 9'000'000, 1); });
  };
  EXPECT_EQ(sent({first, second}), sent({second}));
  EXPECT_NE(sent({second}), sent({any_factor()}));
}

// ---- messages ----

// 1 MB in the first second, 0.5 MB in the next one.
TEST(VaryingCard, changes_under_a_flow_that_is_under_way) {
  EXPECT_EQ(while_varying(cards_of(2, {in_turn({kFull, kFull / 2})}),
                          [](Net& net) { net.send(kCard0, kCard1, 1'500'000, 1); }),
            "1@2000000000 ");
}

// In 1.3 s seven intervals of 0.05 MB and six of 0.1 MB; the last 0.05 MB take 50 ms.
TEST(VaryingCard, changes_as_often_as_it_says_in_a_circle) {
  EXPECT_EQ(while_varying(cards_of(2, {in_turn({kFull / 2, kFull}, 100 * kMilli)}),
                          [](Net& net) { net.send(kCard0, kCard1, 1'000'000, 1); }),
            "1@1350000000 ");
}

TEST(VaryingCard, may_be_wider_than_usual) {
  EXPECT_EQ(
      while_varying(cards_of(2, {in_turn({2 * kFull})}), [](Net& net) { net.send(kCard0, kCard1, 1'000'000, 1); }),
      "1@500000000 ");
}

TEST(VaryingCard, of_one_host_sends_and_takes_in_by_its_factor_and_the_others_are_as_usual) {
  EXPECT_EQ(while_varying(cards_of(4, {in_turn({kFull / 4}, kWholeSecond, HostId{1u})}),
                          [](Net& net) {
                            net.send(kCard0, kCard1, 1'000'000, 1);
                            net.send(kCard1, kCard0, 1'000'000, 2);
                            net.send(kCard2, kCard3, 1'000'000, 3);
                          }),
            "3@1000000000 1@4000000000 2@4000000000 ");
}

// What the narrow card leaves of the sender's, the other flow has.
TEST(VaryingCard, shares_fairly_what_it_has) {
  EXPECT_EQ(while_varying(cards_of(3, {in_turn({kFull / 4}, kWholeSecond, HostId{1u})}),
                          [](Net& net) {
                            net.send(kCard0, kCard1, 1'000'000, 1);
                            net.send(kCard0, kCard2, 1'000'000, 2);
                          }),
            "2@1333333333 1@4000000000 ");
}

TEST(VaryingCard, is_slower_for_small_messages_too) {
  EXPECT_EQ(while_varying(cards_of(2, {in_turn({kFull / 2})}), [](Net& net) { net.send(kCard0, kCard1, 10'000, 1); }),
            "1@20000000 ");
}

// Both come to a card that takes 40 ms for each: the first while it leaves its sender, the second after that.
TEST(VaryingCard, takes_in_a_small_message_by_the_factor_of_that_moment) {
  EXPECT_EQ(while_varying(cards_of(2, {in_turn({kFull, kFull / 4}, 100 * kMilli, HostId{1u})}),
                          [](Net& net) {
                            net.heap.after(95 * kMilli, [&net] {
                              net.send(kCard0, kCard1, 10'000, 1);
                              net.send(kCard0, kCard1, 10'000, 2);
                            });
                          }),
            "1@105000000 2@145000000 ");
}

TEST(VaryingCard, varies_from_the_start_of_the_run_on) {
  EXPECT_EQ(
      with_both_engines(cards_of(2, {in_turn({kFull / 2})}), [](Net& net) { net.send(kCard0, kCard1, 1'000'000, 1); }),
      "1@1000000000 ");
}

// Two senders have half of half a card, 0.125 MB/s each.
TEST(VaryingCard, takes_in_less_of_many_senders_still) {
  ClusterSpec c = cards_of(3, {in_turn({kFull / 2})});
  c.network.transport.incast = {{2, 500'000}};
  EXPECT_EQ(while_varying(c,
                          [](Net& net) {
                            net.send(kCard1, kCard0, 1'000'000, 1);
                            net.send(kCard2, kCard0, 1'000'000, 2);
                          }),
            "1@8000000000 2@8000000000 ");
}

TEST(VaryingCard, and_a_path_that_a_fault_narrows_multiply) {
  EXPECT_EQ(while_varying(cards_of(2, {in_turn({kFull / 2})}),
                          [](Net& net) {
                            for (const Way& way : both_ways(HostId{0u}, HostId{1u})) net.transport.may_narrow(way);
                            net.transport.narrow({HostId{0u}, HostId{1u}}, 50);
                            net.send(kCard0, kCard1, 1'000'000, 1);
                            net.send(kCard1, kCard0, 1'000'000, 2);
                          }),
            "2@2000000000 1@4000000000 ");
}

// One second of two has 1 MB and the other one 0.5 MB, whichever comes first.
TEST(VaryingCard, may_switch_from_one_interval_to_the_next) {
  EXPECT_EQ(while_varying(cards_of(2, {switching(kFull / 2, kFull, kFull, SharedBy::by_all)}),
                          [](Net& net) { net.send(kCard0, kCard1, 3'000'000, 1); }),
            "1@4000000000 ");
  EXPECT_EQ(while_varying(cards_of(2, {switching(kFull / 2, kFull, 0)}),
                          [](Net& net) { net.send(kCard0, kCard1, 1'000'000, 1); }),
            "1@2000000000 ");
  EXPECT_EQ(while_varying(cards_of(2, {switching(kFull / 2, 0, kFull)}),
                          [](Net& net) { net.send(kCard0, kCard1, 1'000'000, 1); }),
            "1@1000000000 ");
}

// ---- factors ----

struct CardCourse {
  ClusterSpec cluster;
  CardFactors factors;
  explicit CardCourse(ClusterSpec c, std::uint64_t seed = 1) : cluster(std::move(c)), factors(cluster, Random(seed)) {
    factors.begin(0);
  }
  // Of a card of 1 MB/s.
  std::uint64_t at(Nanos now, HostId host) {
    if (factors.next() <= now) (void)factors.look(now);
    return factors.bandwidth(host, 1'000'000);
  }
};

TEST(CardFactors, of_several_variations_multiply) {
  CardCourse c(cards_of(2, {in_turn({2 * kFull}), in_turn({3 * kFull}, kWholeSecond, HostId{1u})}));
  EXPECT_EQ(c.at(0, HostId{0u}), 2'000'000u);
  EXPECT_EQ(c.at(0, HostId{1u}), 6'000'000u);
}

TEST(CardFactors, are_the_same_for_those_that_share_them) {
  const HostId a{0u}, b{1u}, beyond{2u};
  CardCourse racks(cards_of(3, {any_factor(SharedBy::by_rack)})), all(cards_of(3, {any_factor(SharedBy::by_all)})),
      nobody(cards_of(3, {any_factor()}));
  EXPECT_EQ(racks.at(0, a), racks.at(0, b));
  EXPECT_NE(racks.at(0, a), racks.at(0, beyond));
  EXPECT_EQ(all.at(0, a), all.at(0, beyond));
  EXPECT_NE(nobody.at(0, a), nobody.at(0, b));
}

TEST(CardFactors, are_a_thousandth_at_least_and_a_thousandfold_at_most) {
  CardCourse c(cards_of(1, {in_turn({0, 1'000'000 * kFull})}));
  EXPECT_EQ(c.at(0, HostId{0u}), 1'000u);
  EXPECT_EQ(c.at(kWholeSecond, HostId{0u}), 1'000'000'000u);
}

TEST(CardFactors, tell_who_differs_from_before_once) {
  CardCourse c(
      cards_of(2, {in_turn({kFull, kFull, 2 * kFull}), in_turn({kFull, kFull, 3 * kFull}, kWholeSecond, HostId{1u})}));
  EXPECT_TRUE(c.factors.look(0).empty());
  EXPECT_TRUE(c.factors.look(kWholeSecond).empty());
  EXPECT_EQ(c.factors.look(2 * kWholeSecond), (std::vector<Card>{HostId{0u}, HostId{1u}}));
  EXPECT_EQ(c.factors.next(), 3 * kWholeSecond);
}

TEST(CardFactors, leave_a_card_without_a_limit_alone) {
  ClusterSpec c = cards_of(2, {any_factor()});
  c.hosts[0].nic_bandwidth = 0;
  CardCourse course(std::move(c));
  EXPECT_EQ(course.factors.look(0), (std::vector<Card>{HostId{1u}}));
}

TEST(CardFactors, that_switch_are_the_same_for_those_that_share_them) {
  CardCourse c(cards_of(3, {switching(kFull / 2, kFull / 10, kFull / 10, SharedBy::by_rack)}));
  bool did_differ = false;
  for (Nanos n = 0; n < 100; ++n) {
    const std::uint64_t a = c.at(n * kWholeSecond, HostId{0u}), beyond = c.at(n * kWholeSecond, HostId{2u});
    EXPECT_EQ(a, c.at(n * kWholeSecond, HostId{1u}));
    did_differ |= a != beyond;
  }
  EXPECT_TRUE(did_differ);
}

// A run of slow intervals lasts 1 / 0.2 of them, one of usual ones 1 / 0.05: a fifth is slow.
TEST(CardFactors, that_switch_stay_for_as_long_as_their_law_says) {
  CardCourse c(cards_of(1, {switching(kFull / 2, kFull / 20, kFull / 5)}));
  int slow = 0, began = 0;
  bool was_slow = false;
  for (Nanos n = 0; n < 20'000; ++n) {
    const bool is_slow = c.at(n * kWholeSecond, HostId{0u}) == 500'000;
    slow += is_slow ? 1 : 0;
    began += is_slow && !was_slow ? 1 : 0;
    was_slow = is_slow;
  }
  EXPECT_NEAR(slow, 4'000, 400);
  EXPECT_NEAR(began, 800, 80);
}

RC_GTEST_PROP(CardFactors, that_switch_depend_on_no_earlier_look, (std::uint8_t interval)) {
  CardCourse at_once(cards_of(1, {switching(kFull / 2, kFull / 3, kFull / 3)})),
      each(cards_of(1, {switching(kFull / 2, kFull / 3, kFull / 3)}));
  for (Nanos n = 0; n < interval; ++n) (void)each.at(n * kWholeSecond, HostId{0u});
  RC_ASSERT(at_once.at(interval * kWholeSecond, HostId{0u}) == each.at(interval * kWholeSecond, HostId{0u}));
}

RC_GTEST_PROP(CardFactors, of_a_host_depend_on_no_other_host_and_on_no_earlier_look, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto interval = *rc::gen::inRange<Nanos>(0, 50);
  CardCourse few(cards_of(1, {any_factor()}), seed), many(cards_of(3, {any_factor()}), seed);
  for (Nanos n = 0; n < interval; ++n) (void)many.at(n * kWholeSecond, HostId{2u});
  RC_ASSERT(few.at(interval * kWholeSecond, HostId{0u}) ==
            many.at(interval * kWholeSecond + kWholeSecond / 2, HostId{0u}));
}

}  // namespace
}  // namespace tarry
