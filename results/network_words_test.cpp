// What verdicts say of bandwidth and of what messages cost besides the wire, to the last word.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

TEST(CauseWords, of_a_busy_network_name_the_hosts_that_send_and_receive_much_more_than_the_others) {
  const auto told = [](std::uint64_t to_server, std::uint64_t to_other) {
    Facts f(Training::asynchronous, 2, 3);
    for (const TaskId worker : {kChief, kOther, kThird}) {
      f.at(1, MessageDelivered{kPs, worker, kNoDetail, to_server, 0});
      f.at(1, MessageDelivered{kSecondPs, worker, kNoDetail, to_other, 0});
    }
    return f.with("network_bound", {proof(Cause::network, .2)});
  };
  EXPECT_THAT(told(97, 3),
              testing::HasSubstr("Of all bytes between hosts, 97 % are sent or received by server (ps 0). Run again"));
  EXPECT_THAT(told(50, 50), testing::HasSubstr("100 % are sent or received by server (ps 0) and server1 (ps 1)."));
  EXPECT_THAT(told(0, 0), testing::Not(testing::HasSubstr("bytes between")));
  Facts one(Training::asynchronous);
  one.at(1, MessageDelivered{kPs, kChief, kNoDetail, 9, 0});
  EXPECT_THAT(one.with("network_bound", {proof(Cause::network, .2)}), testing::Not(testing::HasSubstr("bytes between")))
      << "two hosts have the same";
}

TEST(CauseWords, of_bandwidth_within_hosts_name_the_host_on_which_most_bytes_pass) {
  const auto told = [](std::uint64_t of_first, std::uint64_t of_second) {
    Facts f(Training::asynchronous, 2, 3);
    f.tasks.hosts = {"a", "a", "b", "b", "c"};
    f.at(1, MessageDelivered{kPs, kChief, kNoDetail, of_first, 0});
    f.at(1, MessageDelivered{kSecondPs, kOther, kNoDetail, of_second, 0});
    f.at(1, MessageDelivered{kPs, kThird, kNoDetail, 1000, 0}).at(1, MessageDelivered{kPs, kPs, kNoDetail, 1000, 0});
    Proof p = proof(Cause::network, .2);
    p.b = "host";
    return f.with("network_bound", {p});
  };
  EXPECT_EQ(
      told(97, 3),
      "Bandwidth between tasks of one host costs time. Of all bytes within hosts, 97 % pass on a (ps 0, worker 0). Run "
      "again "
      "INSTEAD (same seed), the same work takes 20.0 % less time. To do: more bandwidth between tasks of one host, "
      "larger batches, or fewer bytes a step.");
  EXPECT_THAT(told(3, 97), testing::HasSubstr("97 % pass on b (worker 1, ps 1)."));
  EXPECT_THAT(told(50, 50), testing::Not(testing::HasSubstr("bytes within")));
}

TEST(CauseWords, of_threads_are_about_the_task_that_has_few_or_about_all) {
  Facts f(Training::asynchronous);
  Proof p = proof(Cause::threads, .2);
  EXPECT_THAT(f.with("device_queue", {p}),
              testing::EndsWith("give the tasks more inter-op threads, or their work to more tasks."));
  p.b = "one";
  EXPECT_THAT(f.with("device_queue", {p}),
              testing::EndsWith("give the task more inter-op threads, or its work to more tasks."));
}

TEST(CauseWords, of_transport_are_about_the_part_that_costs_time) {
  Facts f(Training::asynchronous);
  const auto advice_for = [&](const char* part) {
    Proof p = proof(Cause::transport, .2);
    p.b = part;
    const std::string text = f.with("transport_bound", {p});
    EXPECT_THAT(text,
                testing::StartsWith("It costs time what messages need besides the wire: WHAT. Run again INSTEAD"));
    return text.substr(text.find("To do: ") + 7);
  };
  EXPECT_EQ(advice_for("copies"),
            "spread the variables over more parameter servers, fewer bytes a step, or a transport that copies less.");
  EXPECT_EQ(advice_for("each"), "fewer messages a step (fewer and larger variables).");
  EXPECT_EQ(advice_for("threads"), "more threads that serialise and copy messages.");
  EXPECT_EQ(advice_for("windows"), "larger windows of connections.");
  EXPECT_EQ(advice_for("incast"),
            "spread the variables over more parameter servers, or cards that take in more of many senders.");
}

TEST(CauseWords, of_the_whole_transport_come_in_place_of_its_parts_where_it_gains_a_tenth_more) {
  Facts f(Training::asynchronous);
  Proof part = proof(Cause::transport, .2), whole = proof(Cause::transport, .31);
  part.b = "windows", whole.b = "all", whole.together = true;
  EXPECT_THAT(f.with("transport_bound", {part, whole}),
              testing::AllOf(testing::StartsWith("It costs time what messages need besides the wire: WHAT. Run again"),
                             testing::EndsWith("To do: larger windows of connections, or a faster transport.")));
  whole.gain = .29;
  EXPECT_THAT(f.with("transport_bound", {part, whole}), testing::EndsWith("To do: larger windows of connections."));
}

}  // namespace
}  // namespace tarry
