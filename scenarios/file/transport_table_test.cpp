// What messages cost besides the wire, as a scenario says it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

StatusOr<Scenario> with_transport(const std::string& transport, const std::string& nic = "10Gbps") {
  return parse_scenario("cluster:\n  hosts: [a, b]\n  tasks: {ps/0: a, worker/0: b}\n  network:\n    nic: " + nic +
                            "\n    transport: " + transport + "\nprograms: []\nstop: {time: 1s}\n",
                        "s.yaml");
}

TransportSpec read(const std::string& transport) { return with_transport(transport).value().cluster.network.transport; }

std::string refusal_of_transport(const std::string& transport, const std::string& nic = "10Gbps") {
  const auto s = with_transport(transport, nic);
  return s.ok() ? "read" : std::string(s.status().message());
}

TEST(TransportTable, reads_every_key) {
  EXPECT_EQ(read("{send: {per_message: 30us, copy: 2GB/s}, receive: {per_message: 40us, copy: 1GB/s}, threads: 4, "
                 "window: 4MiB, incast: [{senders: 8, rate: 0.8}, {senders: 16, rate: 0.25}]}"),
            (TransportSpec{.send = {30'000, 2'000'000'000},
                           .receive = {40'000, 1'000'000'000},
                           .threads = 4,
                           .window = 4 << 20,
                           .incast = {{8, 800'000}, {16, 250'000}}}));
}

TEST(TransportTable, costs_nothing_by_default) {
  EXPECT_EQ(read("none"), TransportSpec());
  EXPECT_EQ(read("{}"), TransportSpec());
  EXPECT_EQ(read("{send: {}}"), TransportSpec());
}

// 800 MB/s from task to task: 1.25 ns a byte at both ends together.
TEST(TransportTable, knows_grpc_by_name) {
  const TransportSpec grpc = read("grpc");
  EXPECT_EQ(grpc.threads, 8u);
  EXPECT_EQ(grpc, read("{send: {per_message: 16700ns, copy: 1.6GB/s}, receive: {per_message: 16700ns, copy: 1.6GB/s}, "
                       "threads: 8}"));  // as the manual writes it out
  EXPECT_EQ(time_of(grpc.send, 100'000'000) + time_of(grpc.receive, 100'000'000), 125'000'000 + 2 * 16'700);
  EXPECT_EQ(grpc.window, 0u);
  EXPECT_TRUE(grpc.incast.empty());
}

struct Refused {
  const char *transport, *message;
};
constexpr Refused kRefused[] = {
    {"grcp", "s.yaml:6:16: expected one of none, grpc, found 'grcp'; did you mean 'grpc'?"},
    {"[grpc]", "s.yaml:6:16: expected one of none, grpc or a map with the keys of transport, found a list"},
    {"{sned: {}}", "s.yaml:6:17: unknown key 'sned' in transport; did you mean 'send'?"},
    {"{send: {per_massage: 1us}}", "unknown key 'per_massage' in send; did you mean 'per_message'?"},
    {"{receive: {per_message: -1us}}", "s.yaml:6:40: '-1us': a time cannot be negative"},
    {"{send: {per_message: 5}}", "'5' has no unit"},
    {"{send: {copy: 2GB}}", "unknown unit 'GB'; a bandwidth needs one of"},
    {"{send: {per_message: 1us}, threads: 0}", "s.yaml:6:52: expected a whole number from 1 to 4096, found '0'"},
    {"{threads: 4}", "s.yaml:6:16: 'threads' have nothing to do; expected 'per_message' or 'copy' of 'send' or"},
    {"{window: 0B}", "s.yaml:6:25: a window of nothing lets nothing through; expected a size such as 4MiB, or no"},
    {"{window: 4MB/s}", "unknown unit 'MB/s'"},
    {"{incast: [{senders: 1, rate: 0.5}]}", "expected a whole number from 2 to 100000, found '1'"},
    {"{incast: [{senders: 2, rate: 0}]}", "expected a number from 0.000001 to 1, found '0'"},
    {"{incast: [{senders: 2, rate: 1.1}]}", "expected a number from 0.000001 to 1, found '1.1'"},
    {"{incast: [{senders: 2}]}", "a step of incast has no 'rate'"},
    {"{incast: [{senders: 4, rate: 0.5}, {senders: 4, rate: 0.3}]}",
     "s.yaml:6:25: the steps of incast ascend; expected more senders in each than in the one before"},
};

TEST(TransportTable, refuses_what_means_nothing_with_its_place) {
  for (const Refused& r : kRefused)
    EXPECT_THAT(refusal_of_transport(r.transport), testing::HasSubstr(r.message)) << r.transport;
}

TEST(TransportTable, refuses_incast_without_cards) {
  EXPECT_EQ(refusal_of_transport("{incast: [{senders: 2, rate: 0.5}]}"), "read");
  EXPECT_EQ(
      refusal_of_transport("{incast: [{senders: 2, rate: 0.5}]}", "unlimited"),
      "s.yaml:6:16: no card has a bandwidth, so 'incast' means nothing; expected 'nic' of the network or of hosts");
}

}  // namespace
}  // namespace tarry
