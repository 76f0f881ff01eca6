// A cluster as plain values: hosts, the tasks on them, their devices, and the network.
//
// Ids are positions: HostId into `hosts`, TaskId into `tasks`, RackId into `network.racks`. Times are nanoseconds;
// bandwidths are bytes per second, 0 = unlimited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "sim/laws.hpp"
#include "sim/platform.hpp"
#include "workers/events.hpp"

namespace tarry {

// What connects GPUs with their host's memory. The copies of all GPUs below one root share its bandwidth.
struct PcieSpec {
  std::uint64_t root_bandwidth = 0;  // of each root, in each direction
  std::uint32_t gpus_per_root = 0;   // in the order of the tasks and of their GPUs; 0 = all GPUs of the host
  friend bool operator==(const PcieSpec&, const PcieSpec&) = default;
};

struct HostSpec {
  std::string name;
  std::uint64_t nic_bandwidth = 0;  // of its first network card (cards.hpp), in each direction
  RackId rack;                      // none: it is in no rack
  PcieSpec pcie = {};
  std::vector<std::uint64_t> further_nics = {};  // of each card after the first
  friend bool operator==(const HostSpec&, const HostSpec&) = default;
};

// What the kernels of an op reach of their device's peaks, in millionths.
struct Efficiency {
  std::string op;  // "*" in it stands for any text
  std::int64_t share = 1'000'000;
  friend bool operator==(const Efficiency&, const Efficiency&) = default;
};

// A device's peak rates, for rooflines. All zero = not known: no roofline is used.
struct DeviceRates {
  std::uint64_t flops = 0;                  // per second; 0 = unlimited
  std::uint64_t bandwidth = 0;              // of its memory, bytes per second; 0 = unlimited
  Nanos launch = 0;                         // the fixed time that each kernel takes in addition
  std::vector<Efficiency> efficiency = {};  // the first that fits an op; others reach the peaks
  [[nodiscard]] bool is_known() const { return flops > 0 || bandwidth > 0 || launch > 0; }
  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

struct GpuSpec {
  std::uint64_t memory_bytes = 0;  // 0 = not counted
  DeviceRates rates;
  std::uint64_t copy_bandwidth = 0;  // of each of its two copy engines, to and from host memory; 0 = unlimited
  bool launches_ahead = false;       // a kernel is launched while the one before it runs (devices.hpp)
  friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

struct TaskSpec {
  std::string name;  // canonical: "/job:ps/replica:0/task:0"
  HostId host;
  int inter_op_threads = 0;  // of its CPU; 0 = unlimited
  std::vector<GpuSpec> gpus;
  DeviceRates cpu;                        // rates of one kernel on its CPU
  std::optional<std::uint32_t> nic = {};  // the card of its host that it uses; none = as cards.hpp says
  bool has_own_rates = false;             // the rates of its devices are said of it alone
  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

struct PathSpec {
  Nanos latency = 0;
  std::uint64_t bandwidth = 0;
  friend bool operator==(const PathSpec&, const PathSpec&) = default;
};

struct LinkSpec {  // the path between two hosts, in each direction separately; replaces the default
  HostId a, b;
  PathSpec path;
  friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};

// Hosts behind one switch. What goes out of the rack or comes into it crosses its trunk, which all of that shares.
struct RackSpec {
  std::string name;
  PathSpec trunk;  // in each direction; its latency comes on top of that of the path between two hosts
  friend bool operator==(const RackSpec&, const RackSpec&) = default;
};

// What computes how transfers share bandwidth.
enum class FlowsBy : std::uint8_t {
  automatic,  // simgrid for up to kMostHostsOfSimgrid hosts, else shared
  simgrid,    // SimGrid (sim/simgrid/engine.cpp), one in a process
  shared,     // tarry's own (sim/shared_flows.hpp)
};
inline constexpr std::size_t kMostHostsOfSimgrid = 64;

// What a thread of a task does with a message that it sends or receives: it serialises or copies the bytes.
struct MessageCost {
  Nanos per_message = 0;   // whatever its size
  std::uint64_t copy = 0;  // bytes per second; 0 = unlimited
  [[nodiscard]] bool is_free() const { return per_message == 0 && copy == 0; }
  friend bool operator==(const MessageCost&, const MessageCost&) = default;
};

// What a card takes in, in millionths of its bandwidth, while so many tasks of other hosts send it large messages.
struct IncastStep {
  std::uint32_t senders = 2;  // or more
  std::int64_t rate = 1'000'000;
  friend bool operator==(const IncastStep&, const IncastStep&) = default;
};

// What messages between tasks cost on top of the wire, on one host as well. By default nothing.
struct TransportSpec {
  MessageCost send, receive;
  std::uint32_t threads = 0;            // of each task, for all that it sends and receives; 0 = one for each message
  std::uint64_t window = 0;             // bytes that a connection has under way in a round trip; 0 = no limit
  std::vector<IncastStep> incast = {};  // by senders, ascending; the last that is reached counts
  friend bool operator==(const TransportSpec&, const TransportSpec&) = default;
};

// A card's directions: what it sends through, and what it takes in through.
enum class CardSide : std::uint8_t { out, in };

// A factor of the bandwidth of hosts' cards, drawn for each interval of time.
struct CardVariation {
  enum class Shared : std::uint8_t { by_nobody, by_host, by_rack, by_all };
  HostId host;                        // none = every host; of its cards, those that have a limit
  Shared shared = Shared::by_nobody;  // which cards have the same factor
  Nanos every = 1;                    // > 0
  FactorLaw factor = Amount{Constant{1'000'000}};
  std::optional<std::uint32_t> nic = {};  // the card of that number; none = every card of the host
  std::uint32_t stream = 0;  // its place among the job's variations: what it draws, without some of them, too
  friend bool operator==(const CardVariation&, const CardVariation&) = default;
};

struct NetworkSpec {
  PathSpec between_hosts;
  std::vector<LinkSpec> links;
  std::vector<RackSpec> racks;
  PathSpec same_host;                   // all zero = free
  std::uint64_t small_message = 16384;  // in bytes; a smaller message is no flow (transport.hpp)
  int transfers_per_channel = 1;        // at a time, per ordered pair of tasks; others wait, first come, first served
  FlowsBy engine = FlowsBy::automatic;
  TransportSpec transport = {};
  std::vector<CardVariation> variations = {};  // their factors multiply
  PlatformSpec platform = {};  // where it is given, it says what lies between hosts, and not between_hosts
  friend bool operator==(const NetworkSpec&, const NetworkSpec&) = default;
};

struct ClusterSpec {
  std::vector<HostSpec> hosts;
  std::vector<TaskSpec> tasks;
  NetworkSpec network;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

// "/job:ps/task:0", "/job:ps/replica:0/task:0" and, for short, "ps/0" are the same task; the result has the replica.
// INVALID_ARGUMENT for anything else.
[[nodiscard]] StatusOr<std::string> canonical_task(std::string_view name);
// The task of that canonical name, or none.
[[nodiscard]] TaskId find_task(const ClusterSpec& cluster, std::string_view canonical_name);
[[nodiscard]] HostId find_host(const ClusterSpec& cluster, std::string_view name);
// The full names of a task's devices: its CPU first, then its GPUs.
[[nodiscard]] std::vector<std::string> device_names(const TaskSpec& task);
// The GPU with this full name, or null when the device is a CPU.
[[nodiscard]] const GpuSpec* find_gpu(const TaskSpec& task, std::string_view device);
// What a copy to or from a GPU of the task has at most: the bandwidth of its copy engine, and of the PCIe root; 0 = no
// limit, copies take no time.
[[nodiscard]] std::uint64_t copy_limit(const ClusterSpec& cluster, const TaskSpec& task, const GpuSpec& gpu);
// The copy engines of a GPU: one for tensors that are sent from it, one for tensors that arrive.
enum class CopyEngine : std::uint8_t { to_host, to_device };
[[nodiscard]] std::string copy_engine_name(std::string_view gpu, CopyEngine engine);

// The time that the bytes take at this bandwidth, in nanoseconds, rounded up; 0 when it is unlimited.
[[nodiscard]] Nanos transfer_time(std::uint64_t bytes, std::uint64_t bandwidth);
// The link between two hosts (or from a host to itself), without their NICs and trunks. On a platform it has the
// latency of the route and no limit of its own, unless `links` says otherwise.
[[nodiscard]] inline PathSpec link_between(const NetworkSpec& network, HostId from, HostId to) {
  if (from == to) return network.same_host;
  for (const LinkSpec& link : network.links)
    if ((link.a == from && link.b == to) || (link.a == to && link.b == from)) return link.path;
  if (network.platform.is_given()) return {network.platform.route(from, to).latency, 0};
  return network.between_hosts;
}
// What each message between two hosts has at most of the fatpipes on its way; 0 = no limit.
[[nodiscard]] std::uint64_t fatpipe_between(const NetworkSpec& network, HostId from, HostId to);
// The racks whose trunks a message crosses: its sender's and its receiver's, unless they are in one rack. A host that
// is in no rack is beyond all trunks.
struct Trunks {
  RackId out, in;
};
[[nodiscard]] inline Trunks trunks_between(const std::vector<HostSpec>& hosts, HostId from, HostId to) {
  const RackId out = hosts[from.index()].rack, in = hosts[to.index()].rack;
  return out == in ? Trunks{} : Trunks{out, in};
}
// Of all trunks and links of a platform on the way: the latencies of trunks together, and the least bandwidth.
[[nodiscard]] PathSpec trunk_path(const ClusterSpec& cluster, HostId from, HostId to);
// So many parts in `whole` of a bandwidth. Unlimited stays so, and what has a limit keeps one.
[[nodiscard]] std::uint64_t share_of(std::uint64_t bandwidth, std::int64_t parts, std::int64_t whole);
[[nodiscard]] std::uint64_t narrower(std::uint64_t a, std::uint64_t b);  // of two bandwidths
// What a window lets through, bytes per second: itself in each round trip; 0 = no limit.
[[nodiscard]] std::uint64_t window_rate(std::uint64_t window, Nanos round_trip);
// What a thread takes for a message.
[[nodiscard]] inline Nanos time_of(const MessageCost& cost, std::uint64_t bytes) {
  return cost.per_message + transfer_time(bytes, cost.copy);
}
// Whether the bandwidth of any message is limited: some link, trunk, NIC or window has a limit.
[[nodiscard]] bool has_flows(const ClusterSpec& cluster);
// Takes every limit of bandwidth away: of cards, trunks, links, paths and connections.
void free_bandwidth(ClusterSpec& cluster);
// What computes its flows: never `automatic`.
[[nodiscard]] FlowsBy flows_by(const ClusterSpec& cluster);
// The path of all messages between two hosts: its latency, and the least bandwidth of link, trunks and cards. What is
// no limit for all of them together, a fatpipe, does not count. Of several cards of a host, those count together that
// its tasks use for the other host (CardChoice::between).
[[nodiscard]] PathSpec path_between(const ClusterSpec& cluster, HostId from, HostId to);
// The same with cards of these bandwidths: of `from`, and of `to`.
struct CardPair {
  std::uint64_t from = 0, to = 0;
};
[[nodiscard]] PathSpec path_of_all(const ClusterSpec& cluster, HostId from, HostId to, CardPair cards);
// The path of a message that crosses these cards, with what it has of fatpipes.
[[nodiscard]] PathSpec path_between(const ClusterSpec& cluster, HostId from, HostId to, CardPair cards);

// Adds a host that is like another one, and where that is on a platform; it has no tasks yet.
HostId add_host_like(ClusterSpec& cluster, HostId like, std::string name);

}  // namespace tarry
