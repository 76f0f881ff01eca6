// Messages between tasks: latency, transfer time, and the bytes counted.
//
// A message below NetworkSpec::small_message, or whose path has no bandwidth limit, is one event: latency + bytes /
// bandwidth, rounded up to whole nanoseconds. Any other message waits for the latency, then for its turn in the channel
// of its ordered pair of tasks (first come, first served, a bounded number at a time), and then becomes a flow that
// shares the links with all others (flows.hpp).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/flows.hpp"
#include "sim/heap.hpp"
#include "sim/pool.hpp"

namespace tarry {

struct Traffic {  // of one ordered pair of hosts, or of one host with itself
  HostId from, to;
  std::uint64_t bytes = 0, messages = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

class Transport {
 public:
  // REQUIRES: both arguments outlive the transport.
  Transport(const ClusterSpec& cluster, EventHeap& heap)
      : cluster_(cluster), heap_(heap), flows_(cluster), channel_of_(cluster.tasks.size()) {}

  void send(TaskId from, TaskId to, std::uint64_t bytes, Continuation delivered);
  // For messages that are sent from then on; nullopt = as the cluster says.
  void set_latency(HostId from, HostId to, std::optional<Nanos> latency);
  // While two hosts are parted, messages between them wait at their sender; after join they go on, in order.
  void part(HostId a, HostId b);
  void part_one_way(HostId from, HostId to);
  void join_one_way(HostId from, HostId to);
  void join(HostId a, HostId b);
  [[nodiscard]] bool flows_alive() const { return flows_.alive(); }
  // REQUIRES: flows_alive(). Lets the flows run up to `until`, or until some finish earlier: those become events of the
  // heap.
  void advance_flows(Nanos until);
  // The pairs of hosts that exchanged messages, ascending.
  [[nodiscard]] std::vector<Traffic> traffic() const;

 private:
  struct Channel {
    PathSpec path;
    HostId from, to;
    int in_flight = 0;
    std::deque<std::uint32_t> waiting;  // transfers
    std::uint64_t bytes = 0, messages = 0;
    std::vector<std::uint32_t> held = {};  // transfers that wait until the hosts are joined
  };
  struct Transfer {
    std::uint32_t channel = 0;
    std::uint64_t bytes = 0;
    Continuation delivered;
  };

  std::uint32_t channel_of(TaskId from, TaskId to);
  std::uint32_t add_channel(TaskId from, TaskId to);
  void depart(std::uint32_t channel, std::uint64_t bytes, Continuation delivered);
  [[nodiscard]] bool is_parted(const Channel& c) const;
  void let_go();
  [[nodiscard]] PathSpec path_now(HostId from, HostId to) const;
  void enter_channel(std::uint32_t transfer);
  void fill_channel(std::uint32_t channel);
  void finish(std::uint32_t transfer);

  const ClusterSpec& cluster_;
  EventHeap& heap_;
  Flows flows_;
  std::vector<Channel> channels_;
  std::vector<std::vector<std::uint32_t>>
      channel_of_;  // by sender and receiver; a sender that has sent nothing has no row
  Pool<Transfer> transfers_;
  std::map<std::pair<HostId, HostId>, Nanos> latencies_;  // latencies that differ from the cluster's
  std::set<std::pair<HostId, HostId>> parted_;            // from, to
};

}  // namespace tarry
