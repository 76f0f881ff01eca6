// A scenario as its file has it: one member per key of the YAML, with names not yet looked up.
//
// The one description of all keys is `scenario_type()` in table.cpp; defaults are the initialisers here. load.cpp looks
// the names up and makes a Scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/file/fault_raw.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

template <class T>
using NamedList = std::vector<std::pair<Named, T>>;  // a map in the file's order

inline constexpr std::size_t kMostCards = 64;  // of a host

struct RawHost {
  Named name;
  std::optional<std::uint64_t> nic;
  std::vector<std::uint64_t> nics;              // instead of nic, where it has several
  Named rack;                                   // "" = none
  std::optional<std::int64_t> count, per_rack;  // of a group (groups.hpp)
  PcieSpec pcie = {};
};
struct RawGpu {
  DeviceRates rates;
  std::uint64_t copy_bandwidth = 0, memory = 0;
  bool launches_ahead = false;
};
struct RawTask {
  Named host;
  std::int64_t gpus = 0, inter_op_threads = 0;
  std::optional<std::uint64_t> gpu_memory;
  std::optional<DeviceRates> cpu;
  std::optional<RawGpu> gpu;
  std::optional<std::int64_t> nic;    // the card of its host that it uses
  std::optional<std::int64_t> count;  // of a group (groups.hpp)
};
struct RawDevices {
  DeviceRates cpu;
  RawGpu gpu;
};
struct RawLink {
  std::vector<Named> between;
  std::optional<Nanos> latency;
  std::optional<std::uint64_t> bandwidth;
  Position at;
};
struct RawRack {
  Named name;
  std::optional<Nanos> latency;
  std::optional<std::uint64_t> trunk;
};
struct RawTransport {
  TransportSpec spec;
  Position at;
};
struct RawCardVariation {
  Named host;
  std::optional<std::int64_t> nic;
  CardVariation::Shared shared = CardVariation::Shared::by_nobody;
  Nanos every = 0;
  std::optional<FactorLaw> factor;
  std::vector<std::int64_t> factors;
  Named trace;
  Position at;
};
struct RawNetwork {
  Nanos latency = 0;
  std::uint64_t bandwidth = 0;
  std::optional<std::uint64_t> nic;
  std::vector<std::uint64_t> nics;  // instead of nic, where hosts have several
  PathSpec same_host;
  std::uint64_t small_message = 16384;
  std::int64_t transfers_per_channel = 1;
  FlowsBy engine = FlowsBy::automatic;
  RawTransport transport;
  std::vector<RawLink> links;
  Nanos rack_latency = 0;
  std::uint64_t rack_trunk = 0;
  std::vector<RawRack> racks;
  std::vector<RawCardVariation> variations;
  Named platform;  // "" = none
};
struct RawCluster {
  std::vector<RawHost> hosts;
  NamedList<RawTask> tasks;
  std::optional<std::int64_t> workers;
  RawDevices devices;
  RawNetwork network;
  Position at;
};
struct RawProgram {
  Named task, graph, serves_as;
};
struct RawPrograms {
  std::vector<RawProgram> all;
  Position at;
};
struct RawBuild {
  Named graph;
  Protocol protocol = Protocol::synchronous;
  std::optional<std::int64_t> workers, ps, replicas_to_aggregate, backup_workers;
  std::int64_t num_tokens = -1, towers = 1;
  PsStrategy ps_strategy = PsStrategy::round_robin;
  std::optional<std::int64_t> staleness, chiefs;
  std::optional<Gathering> gathering;
  Position at;
};
struct RawInputFile {
  std::string name;
  Named task, from;
  std::optional<std::int64_t> records;
  Position at;
};
struct RawFeeds {
  Position at;
  std::int64_t batch = 1;
  std::vector<RawInputFile> files;
  NamedList<std::vector<std::int64_t>> shapes;
  NamedList<FeedSpec> values;
};
struct RawCost {
  std::string node, op;
  Named device, job, task;
  std::vector<std::int64_t> executions;
  std::optional<Amount> time;
  std::vector<Nanos> times;
  Named trace;
  Position at;
};
struct RawInterference {
  Named task, host;
  Nanos first = 0, every = 0, lasts = 0;
  std::int64_t percent = 100, one_in = 1;
  Position at;
};
struct RawVariation {
  Named task, job;
  Variation::Shared shared = Variation::Shared::by_nobody;
  std::optional<FactorLaw> factor;
  std::vector<std::int64_t> factors;
  Named trace;
  Position at;
};
struct RawTraining {
  Start start = Start::together;
  std::optional<std::int64_t> num_tokens;
  QueueRunnerEra queue_runner = QueueRunnerEra::closes_token_queue;
  bool sync_thread = true, soft_placement = false, device_filters = true, fail_fast = true;
  std::optional<std::int64_t> save_steps;
  std::optional<Nanos> save_every;
  std::int64_t values_up_to = 4096;
  NamedList<ClientSpec> workers;
  Position at;
};
struct RawStop {
  StopSpec spec;
  Position at;
};
struct RawExpectation {
  std::vector<Named> verdicts;
};
struct RawScenario {
  std::string title;
  std::int64_t seed = 1;
  RawCluster cluster;
  std::optional<RawPrograms> programs;
  std::optional<RawBuild> build;
  RawFeeds feeds;
  std::vector<RawCost> costs;
  std::vector<RawInterference> interference;
  std::vector<RawVariation> variations;
  std::vector<Named> measured;
  Nanos default_cost = 0;
  RawTraining training;
  std::vector<RawFault> faults;
  std::optional<RawMust> must;
  RawStop stop;
  RawExpectation expect;
};

[[nodiscard]] Type<DeviceRates> cpu_type();                  // device_table.cpp
[[nodiscard]] Type<RawGpu> gpu_type();                       // device_table.cpp
[[nodiscard]] Type<RawDevices> devices_type();               // device_table.cpp
[[nodiscard]] Type<RawTransport> transport_type();           // transport_table.cpp
[[nodiscard]] Type<FeedSpec> fed_type();                     // feed_table.cpp
[[nodiscard]] Type<RawInputFile> input_file_type();          // feed_table.cpp
[[nodiscard]] Type<RawCost> cost_type();                     // cost_table.cpp
[[nodiscard]] Type<RawInterference> interference_type();     // cost_table.cpp
[[nodiscard]] Type<RawVariation> variation_type();           // cost_table.cpp
[[nodiscard]] Type<RawCardVariation> card_variation_type();  // cost_table.cpp
[[nodiscard]] const Type<RawScenario>& scenario_type();

// What only shows when the hosts are known: it tells `in` of what is wrong (transport_table.cpp).
void check_transport(Reader& in, const RawTransport& raw, const ClusterSpec& cluster);

}  // namespace tarry
