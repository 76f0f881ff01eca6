// Jobs whose messages are slow in one way: which way is told, and what would cure it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ToldCase {
  RanCase of;
  std::vector<Proof> proofs = {};
  std::vector<Verdict> loads = {};
};

// Worker 0 is on the host of the parameter server; `network` stands beside a latency of 1 ms and cards of 40 Gb/s.
ToldCase with_network(const std::string& network) {
  ToldCase c{
      ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: async}\nfeeds: {batch: 100}\n"
               "training: {soft_placement: true}\nstop: {steps: 10}\n"
               "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]",
               "title: t\ncluster:\n  hosts: [a, b]\n  tasks: {ps/0: a, worker/0: a, worker/1: b}\n"
               "  network: {latency: 1ms, nic: 40Gbps, " +
                   network + "}\n")};
  const Outcome& o = c.of.outcome;
  c.proofs = prove(c.of.job, o).value();
  c.loads = judge(o.log, read_contributions(o.log), o.tasks, c.proofs);
  std::erase_if(c.loads, [](const Verdict& v) { return !says_any({&v, 1}, {"network_bound", "transport_bound"}); });
  return c;
}
// What each of them says is to be done, and whether that takes less time.
std::vector<std::string> what_helps(const ToldCase& c) {
  const TriedCures all = try_cures({c.of.scenario, c.of.options, c.of.job, c.of.outcome, c.proofs}, c.loads).value();
  std::vector<std::string> helps;
  for (const TriedCure& cure : all.all)
    if (all.helps(cure)) helps.push_back(cure.advice);
  return helps;
}

TEST(MessagePaths, within_a_host_are_told_by_themselves) {
  const ToldCase c = with_network("same_host: {latency: 10us, bandwidth: 50MB/s}");
  ASSERT_EQ(c.loads.size(), 1u);
  EXPECT_EQ(c.loads[0].kind, "network_bound");
  EXPECT_THAT(c.loads[0].text, HasSubstr("100 % pass on a (ps 0, worker 0). Run again with unlimited bandwidth between "
                                         "tasks of one host (same seed), the same work takes "));
  EXPECT_THAT(what_helps(c), ElementsAre("have unlimited bandwidth between tasks of one host"));
}

TEST(MessagePaths, with_windows_are_told_with_their_windows) {
  const ToldCase c = with_network("transport: {window: 64KiB, send: {per_message: 5us}, receive: {per_message: 5us}}");
  ASSERT_EQ(c.loads.size(), 1u);
  EXPECT_THAT(c.loads[0].text, HasSubstr("To do: larger windows of connections."));
  EXPECT_THAT(what_helps(c), ElementsAre("have connections without windows"));
}

TEST(MessagePaths, that_one_thread_copies_are_told_with_what_more_threads_gain) {
  const ToldCase c = with_network("transport: {send: {copy: 200MB/s}, receive: {copy: 200MB/s}, threads: 1}");
  ASSERT_EQ(c.loads.size(), 2u);
  EXPECT_THAT(c.loads[0].text, HasSubstr("or a transport that copies less."));
  EXPECT_THAT(c.loads[1].text, HasSubstr("To do: more threads that serialise and copy messages."));
  EXPECT_THAT(what_helps(c), ElementsAre("have messages that are copied in no time",
                                         "have a thread to serialise and copy each message"));
}

// More servers, or fewer bytes, would be as many messages.
TEST(MessagePaths, that_take_a_time_for_each_message_ask_for_fewer_messages) {
  const ToldCase c = with_network("transport: {send: {per_message: 3ms}}");
  ASSERT_EQ(c.loads.size(), 1u);
  EXPECT_THAT(c.loads[0].text, HasSubstr("each message takes a thread's time, whatever its size."));
  EXPECT_THAT(c.loads[0].text, HasSubstr("To do: fewer messages a step (fewer and larger variables)."));
}

TEST(MessagePaths, that_are_wide_enough_are_nothing_to_tell) {
  const ToldCase c = with_network(
      "same_host: {latency: 10us, bandwidth: 10GB/s}, transport: {window: 64MiB, send: {copy: 50GB/s}, threads: 8}");
  EXPECT_TRUE(c.loads.empty());
}

}  // namespace
}  // namespace tarry
