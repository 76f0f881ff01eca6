// Nodes a second of the importer and of the placer, on generated graphs and on the recorded ResNet-50.

#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>

#include "placer/core/check.hpp"
#include "placer/core/random.hpp"
#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/partition/partition.hpp"
#include "placer/place/place.hpp"
#include "scenarios/cli/bench.hpp"
#include "scenarios/cli/open.hpp"

namespace tarry {
namespace {

constexpr std::array<std::size_t, 3> kSizes = {10'000, 100'000, 1'000'000};
constexpr const char* kResNet = "resnet50_ps8_task0";

// ---- graphs ----

enum class Pattern { chain, random, colocated };  // every tenth node of the last is in the group of an earlier one
constexpr std::array kPatterns = {std::pair{"chain", Pattern::chain}, std::pair{"random", Pattern::random}, std::pair{"colocated", Pattern::colocated}};

std::string node_name(std::size_t i) { return fmt::format("tower/layer_{}/op", i); }

NodeSpec node_of(Pattern shape, std::size_t i, Random& random) {
  if (i == 0 || (shape != Pattern::chain && i % 100 == 1))
    return {.name = node_name(i), .op = "Placeholder", .attrs = {{"dtype", DataType::kFloat}, {"shape", Shape()}}};
  if (shape == Pattern::chain) return {.name = node_name(i), .op = "Relu", .inputs = {node_name(i - 1)}, .attrs = {{"T", DataType::kFloat}}};
  NodeSpec n{.name = node_name(i), .op = "AddV2", .inputs = {node_name(random.below(i)), node_name(random.below(i))}, .attrs = {{"T", DataType::kFloat}}};
  if (shape == Pattern::colocated && i % 10 == 0) n.attrs.set("_class", AttrList{.s = {"loc:@" + node_name(random.below(i / 10) * 10 + 5)}});
  return n;
}

// Every node has attributes of its own, as in a graph from a file. Every fifth asks for a device, none that is in a group.
GraphSpec generated(Pattern shape, std::size_t nodes) {
  GraphSpec g;
  Random random(1);
  for (std::size_t i = 0; i < nodes; ++i) {
    g.nodes.push_back(node_of(shape, i, random));
    if (i % 5 == 1) g.nodes.back().device = fmt::format("/job:worker/task:0/device:GPU:{}", random.below(8));
  }
  return g;
}

DeviceSet devices_of(std::size_t ps, std::size_t gpus) {
  DeviceSet set;
  const auto add_task = [&](const std::string& task) {
    check(set.add(task + "/device:CPU:0").ok(), "a device of the bench");
    for (std::size_t i = 0; i < gpus; ++i) check(set.add(fmt::format("{}/device:GPU:{}", task, i)).ok(), "a device of the bench");
  };
  for (std::size_t t = 0; t < ps; ++t) add_task(fmt::format("/job:ps/replica:0/task:{}", t));
  add_task("/job:worker/replica:0/task:0");
  return set;
}

struct Bench {
  std::string name, bytes;  // the GraphDef
  GraphSpec spec;
  DeviceSet devices;
};

Bench bench_of(const std::string& name, const GraphSpec& spec, DeviceSet devices) {
  Bench b{name, to_binary(spec), {}, std::move(devices)};
  b.spec = *parse_graph(b.bytes, name);
  return b;
}

// The graphs are large, so only the one that is being measured is there.
class Graphs {
 public:
  using Make = std::function<Bench()>;
  const Bench& of(const std::string& name, const Make& make) {
    if (now_.name != name) {
      now_ = Bench();
      now_ = make();
    }
    return now_;
  }

 private:
  Bench now_;
};

Graph imported(const GraphSpec& spec) {
  auto g = import_graph(spec);
  check(g.ok(), "the bench's graph can be imported");
  return *std::move(g);
}

void place_anew(Graph& g, const DeviceSet& devices, const Rules& rules) {
  for (const NodeId n : g.op_nodes()) g.node(n).assigned = DeviceId::none();
  const Status s = place(g, devices, rules, {.soft_placement = true});
  check(s.ok(), "the bench's graph can be placed");
}

// ---- measuring ----

using Measure = void (*)(benchmark::State&, const Bench&);

void parse_it(benchmark::State& state, const Bench& b) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_graph(b.bytes, b.name).ok());
}

void import_it(benchmark::State& state, const Bench& b) {
  Graph g;
  for (auto _ : state) {
    state.PauseTiming();  // taking the last one apart does not count
    g = Graph();
    state.ResumeTiming();
    g = imported(b.spec);
  }
}

void place_it(benchmark::State& state, const Bench& b) {
  const Rules rules = rules_2_15();
  Graph g = imported(b.spec);
  for (auto _ : state) place_anew(g, b.devices, rules);
}

}  // namespace

double memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return 1024 * std::stod(line.substr(what.size() + 1));
  return 0;
}

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

namespace {

// By DeviceId: tasks apart when there are several, else devices.
std::vector<std::string> locations_of(const DeviceSet& devices) {
  std::vector<std::string> locations;
  for (std::size_t i = 0; i < devices.size(); ++i) locations.push_back(task_of(devices[DeviceId{i}].parsed));
  if (locations.front() == locations.back())
    for (std::size_t i = 0; i < devices.size(); ++i) locations[i] = devices[DeviceId{i}].name;
  return locations;
}

// Copying the graph that is cut and taking the parts apart do not count.
void cut_it(benchmark::State& state, const Bench& b) {
  Graph placed = imported(b.spec), g;
  place_anew(placed, b.devices, rules_2_15());
  const std::vector<std::string> locations = locations_of(b.devices);
  std::uint64_t names = 0;
  PartitionOptions options;
  options.location = [&](NodeId n) { return locations[g.node(n).assigned.index()]; };
  options.new_name = [&](std::string_view prefix) { return fmt::format("{}_S{}", prefix, names++); };
  options.incarnation = [](std::string_view) { return std::uint64_t{1}; };
  StatusOr<std::vector<Partition>> parts;
  for (auto _ : state) {
    state.PauseTiming();
    parts = std::vector<Partition>();
    g = placed;
    state.ResumeTiming();
    parts = partition(g, b.devices, options);
  }
  check(parts.ok(), "the bench's graph can be cut");
}

// Reading a graph's bytes, importing and placing it, per node.
void measure_memory(benchmark::State& state) {
  const std::string bytes = to_binary(generated(Pattern::colocated, kSizes.back()));
  for (auto _ : state) {
    forget_peak();
    const double before = memory("VmRSS");
    const GraphSpec spec = *parse_graph(bytes, "bench");
    Graph g = imported(spec);
    place_anew(g, devices_of(0, 8), rules_2_15());
    state.counters["bytes/node"] = (memory("VmHWM") - before) / static_cast<double>(kSizes.back());
  }
}

using Verbs = std::vector<std::pair<const char*, Measure>>;

void add_all(const Verbs& verbs, const std::shared_ptr<Graphs>& graphs, const std::string& name, const Graphs::Make& make) {
  for (const auto& [verb, measure] : verbs) {
    const auto run = [graphs, name, make, measure = measure](benchmark::State& state) {
      const Bench& b = graphs->of(name, make);
      measure(state, b);
      state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(b.spec.nodes.size()));
    };
    benchmark::RegisterBenchmark(fmt::format("{} {}", verb, name).c_str(), run)->Unit(benchmark::kMillisecond);
  }
}

void add_to_all_graphs(const Home& home, const Verbs& verbs) {
  const auto graphs = std::make_shared<Graphs>();
  add_all(verbs, graphs, "resnet50 ps8", [&home] { return bench_of("resnet50 ps8", open_graph(kResNet, home).value(), devices_of(8, 2)); });
  for (const auto& [word, shape] : kPatterns)
    for (const std::size_t nodes : kSizes) {
      const std::string name = fmt::format("{}/{}", word, nodes);
      add_all(verbs, graphs, name, [name, shape = shape, nodes] { return bench_of(name, generated(shape, nodes), devices_of(0, 8)); });
    }
}

}  // namespace

void add_placer_benchmarks(const Home& home) {
  benchmark::RegisterBenchmark("memory colocated/1000000", measure_memory)->Iterations(1)->Unit(benchmark::kMillisecond);
  add_to_all_graphs(home, {{"parse", parse_it}, {"import", import_it}, {"place", place_it}});
}

void add_partition_benchmarks(const Home& home) { add_to_all_graphs(home, {{"cut", cut_it}}); }

void WithSlopes::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& r : runs) print_slope(r);
}

void WithSlopes::print_slope(const Run& run) {
  const std::string& name = run.run_name.function_name;
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos || run.iterations == 0) return;
  const Point here{std::stod(name.substr(slash + 1)), run.cpu_accumulated_time / static_cast<double>(run.iterations)};
  const auto [smallest, is_new] = smallest_.try_emplace(name.substr(0, slash), here);
  if (is_new || here.nodes < static_cast<double>(kSizes.back())) return;
  GetOutputStream() << fmt::format("    {}: time grows with nodes^{:.2f}\n", name.substr(0, slash),
                                   std::log(here.seconds / smallest->second.seconds) / std::log(here.nodes / smallest->second.nodes));
}

}  // namespace tarry
