// Nodes a second of the importer and of the placer, on generated graphs and on the recorded ResNet-50.

#include <fmt/compile.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
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
#include "properties/cli/bench.hpp"
#include "properties/cli/open.hpp"

namespace tarry {
namespace {

constexpr std::array<std::size_t, 3> kSizes = {10'000, 100'000, 1'000'000};
constexpr const char* kResNet = "resnet50_ps8_task0";

// ---- graphs ----

// The graphs that real TensorFlow's placer and partitioner were measured on, as properties/tensorflow/bench.cc makes
// them: a chain on one device; sums of two of the last thousand nodes, four of seven with a request; the same with
// every tenth node in the group of an earlier one; the same with a task for every node. And a harder one: sums of two
// nodes from anywhere, their names longer.
enum class Pattern { chain, random, colocated, split, scattered };
constexpr std::array kPatterns = {std::pair{"chain", Pattern::chain}, std::pair{"random", Pattern::random},
                                  std::pair{"colocated", Pattern::colocated}, std::pair{"split", Pattern::split},
                                  std::pair{"scattered", Pattern::scattered}};
constexpr std::size_t kNear = 1000;
constexpr std::array kRequests = {"",
                                  "",
                                  "",
                                  "/job:worker/task:0",
                                  "/job:worker/task:1/device:GPU:0",
                                  "/job:ps/task:0/device:CPU:0",
                                  "/device:GPU:1"};

std::string name_of(Pattern shape, std::size_t i) {
  return fmt::format(fmt::runtime(shape == Pattern::scattered ? "tower/layer_{}/op" : "n{}"), i);
}

NodeSpec first_node(Pattern shape) {
  return {.name = name_of(shape, 0), .op = "Placeholder", .attrs = {{"dtype", DataType::kFloat}, {"shape", Shape()}}};
}

NodeSpec sum(Pattern shape, std::size_t i, Random& random) {
  const auto earlier = [&] {
    return name_of(shape, i - 1 - random.below(shape == Pattern::scattered ? i : std::min(i, kNear)));
  };
  const auto request = [&] {
    return shape == Pattern::split ? kRequests[3 + random.below(3)] : kRequests[random.below(kRequests.size())];
  };
  NodeSpec n{.name = name_of(shape, i),
             .op = "Add",
             .device = request(),
             .inputs = {earlier(), earlier()},
             .attrs = {{"T", DataType::kFloat}}};
  if (shape != Pattern::colocated || i % 10 != 0) return n;
  n.device.clear();
  n.attrs.set("_class", AttrList{.s = {"loc:@" + name_of(shape, i - 10)}});
  return n;
}

NodeSpec node_of(Pattern shape, std::size_t i, Random& random) {
  if (i == 0) return first_node(shape);
  if (shape != Pattern::chain) return sum(shape, i, random);
  return {.name = name_of(shape, i),
          .op = "Identity",
          .inputs = {name_of(shape, i - 1)},
          .attrs = {{"T", DataType::kFloat}}};
}

// Every node has attributes of its own, as in a graph from a file.
GraphSpec generated(Pattern shape, std::size_t nodes) {
  GraphSpec g;
  Random random(1);
  for (std::size_t i = 0; i < nodes; ++i) g.nodes.push_back(node_of(shape, i, random));
  return g;
}

DeviceSet devices_of(const std::vector<std::string>& tasks) {
  DeviceSet set;
  for (const std::string& task : tasks)
    for (const char* device : {"CPU:0", "GPU:0", "GPU:1"})
      check(set.add(fmt::format("/job:{}/device:{}", task, device)).ok(), "a device of the bench");
  return set;
}

DeviceSet devices_of_generated() {
  return devices_of({"ps/replica:0/task:0", "worker/replica:0/task:0", "worker/replica:0/task:1"});
}

DeviceSet devices_of_resnet() {
  std::vector<std::string> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(fmt::format("ps/replica:0/task:{}", i));
  tasks.emplace_back("worker/replica:0/task:0");
  return devices_of(tasks);
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

// By task, as a master does. Copying the graph that is cut and taking the parts apart do not count.
void cut_it(benchmark::State& state, const Bench& b) {
  Graph placed = imported(b.spec), g;
  place_anew(placed, b.devices, rules_2_15());
  std::uint64_t names = 0;
  PartitionOptions options;
  options.by = CutBy::task;
  options.new_name = [&](std::string_view prefix) { return fmt::format(FMT_COMPILE("{}_S{}"), prefix, names++); };
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
    place_anew(g, devices_of_generated(), rules_2_15());
    state.counters["bytes/node"] = (memory("VmHWM") - before) / static_cast<double>(kSizes.back());
  }
}

using Verbs = std::vector<std::pair<const char*, Measure>>;

void add_all(const Verbs& verbs, const std::shared_ptr<Graphs>& graphs, const std::string& name,
             const Graphs::Make& make) {
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
  add_all(verbs, graphs, "resnet50 ps8",
          [&home] { return bench_of("resnet50 ps8", open_graph(kResNet, home).value(), devices_of_resnet()); });
  for (const auto& [word, shape] : kPatterns)
    for (const std::size_t nodes : kSizes) {
      const std::string name = fmt::format("{}/{}", word, nodes);
      add_all(verbs, graphs, name,
              [name, shape = shape, nodes] { return bench_of(name, generated(shape, nodes), devices_of_generated()); });
    }
}

}  // namespace

void add_placer_benchmarks(const Home& home) {
  benchmark::RegisterBenchmark("memory colocated/1000000", measure_memory)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  add_to_all_graphs(home, {{"parse", parse_it}, {"import", import_it}, {"place", place_it}});
}

void add_partition_benchmarks(const Home& home) { add_to_all_graphs(home, {{"cut", cut_it}}); }

WithSlopes::WithSlopes() : ConsoleReporter(isatty(STDOUT_FILENO) == 1 ? OO_Defaults : OO_Tabular) {}

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
  GetOutputStream() << fmt::format(
      "    {}: time grows with nodes^{:.2f}\n", name.substr(0, slash),
      std::log(here.seconds / smallest->second.seconds) / std::log(here.nodes / smallest->second.nodes));
}

}  // namespace tarry
