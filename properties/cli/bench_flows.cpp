// Transfers that share links, by tarry's own engine and by SimGrid.

#include <fmt/format.h>

#include <ctime>
#include <limits>
#include <memory>

#include "placer/core/check.hpp"
#include "placer/core/random.hpp"
#include "properties/cli/bench.hpp"
#include "sim/flows.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kGigabit = 125'000'000;  // bytes a second

// Cards of one bandwidth: every parameter server's card is full. Of several: those of many workers are full, too, and
// what a server loses or wins reaches others through them.
enum class Cards : std::uint8_t { equal, unequal };
enum class Sizes : std::uint8_t { equal, unequal };

struct Transfers {
  std::size_t workers = 0, ps = 0;
  Cards cards = Cards::equal;
  Sizes sizes = Sizes::unequal;
  std::size_t rounds = 1;
};

ClusterSpec cluster_of(const Transfers& p, FlowsBy engine) {
  ClusterSpec c;
  c.network.engine = engine;
  const bool are_equal = p.cards == Cards::equal;
  for (std::size_t i = 0; i < p.workers; ++i)
    c.hosts.push_back({fmt::format("w{}", i), 10 * kGigabit / (are_equal ? 1 : 1 + i % 3)});
  for (std::size_t i = 0; i < p.ps; ++i)
    c.hosts.push_back({fmt::format("s{}", i), 10 * kGigabit * (are_equal ? 1 : 1 + i % 5)});
  return c;
}

// In each round every worker begins to send to every parameter server, and all of that arrives. Gives the processor
// time of a transfer, in seconds; setting up the cluster is not counted.
double seconds_for_a_transfer(const Transfers& p, FlowsBy engine) {
  const ClusterSpec cluster = cluster_of(p, engine);
  Flows flows(cluster);
  Random random(1);
  flows.start(0, HostId{0u}, HostId{p.workers}, 1, 0);
  Nanos now = flows.advance(kSecond).front().at;
  const std::clock_t before = std::clock();
  for (std::size_t round = 0; round < p.rounds; ++round) {
    for (std::size_t w = 0; w < p.workers; ++w)
      for (std::size_t s = 0; s < p.ps; ++s)
        flows.start(now, HostId{w}, HostId{p.workers + s},
                    500'000 + (p.sizes == Sizes::equal ? 0 : random.below(1'000'000)), w * p.ps + s);
    while (flows.alive()) now = flows.advance(std::numeric_limits<Nanos>::max()).back().at;
  }
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return seconds / static_cast<double>(p.rounds * p.workers * p.ps);
}

double in_a_child(const Transfers& p, FlowsBy engine) {
  const auto answer = run_in_child([&] { return fmt::format("{}", seconds_for_a_transfer(p, engine)); });
  check(answer.ok(), "the transfers end");
  return std::stod(*answer);
}

// The quickest of some, as the neighbours on the machine disturb.
double measure(benchmark::State& state, const Transfers& p, FlowsBy engine) {
  double quickest = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const double seconds = in_a_child(p, engine);
    quickest = std::min(quickest, seconds);
    state.SetIterationTime(seconds * static_cast<double>(p.rounds * p.workers * p.ps));
  }
  state.counters["transfers/s at best"] = 1 / quickest;
  return quickest;
}

void add_transfers(const std::string& name, Transfers p, bool with_simgrid) {
  const auto ours = std::make_shared<double>(0);
  benchmark::RegisterBenchmark((name + ", shared").c_str(),
                               [=](benchmark::State& s) { *ours = measure(s, p, FlowsBy::shared); })
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(5);
  if (!with_simgrid) return;
  p.rounds = 1;
  const auto beside = [=](benchmark::State& s) {
    const double simgrid = measure(s, p, FlowsBy::simgrid);
    if (*ours > 0) s.counters["shared/simgrid"] = simgrid / *ours;
  };
  benchmark::RegisterBenchmark((name + ", simgrid").c_str(), beside)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(2);
}

}  // namespace

void add_flow_benchmarks(const Home&) {
  add_transfers("128 x 32 flows of equal size", {128, 32, Cards::equal, Sizes::equal, 20}, true);
  add_transfers("128 x 32 flows", {128, 32, Cards::equal, Sizes::unequal, 20}, true);
  add_transfers("128 x 32 flows, unequal cards", {128, 32, Cards::unequal, Sizes::unequal, 10}, true);
  add_transfers("512 x 32 flows", {512, 32, Cards::equal, Sizes::unequal, 5}, false);
  add_transfers("512 x 32 flows, unequal cards", {512, 32, Cards::unequal, Sizes::unequal, 5}, false);
}

}  // namespace tarry
