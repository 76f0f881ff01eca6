// Op executions of one process: no network, no clock that stops, values of shapes and counters only.

#include <fmt/format.h>

#include <optional>
#include <set>

#include "placer/core/check.hpp"
#include "placer/graph/import.hpp"
#include "properties/cli/bench.hpp"
#include "scenarios/job/programs.hpp"
#include "sim/runner.hpp"
#include "sim/simgrid_twin.hpp"
#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

constexpr const char* kDevice = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr std::int64_t kCounters =
    16;  // values up to so many elements: loop counters and predicates; what the models compute is larger
constexpr std::int64_t kIndices = 4096;        // the sampled classes of a language model too: shapes depend on them
constexpr std::int64_t kKnownIntegers = 4096;  // fed indices, on which shapes may depend

// ---- steps to measure ----

struct Workload {
  std::unique_ptr<DirectSession> session;
  StepRequest request;
};

std::unique_ptr<DirectSession> open_session(const GraphSpec& graph, std::int64_t values_up_to) {
  auto session = DirectSession::create(graph, {kDevice}, {.soft_placement = true, .values_up_to = values_up_to});
  check(session.ok(), "the bench's graph makes a session");
  return *std::move(session);
}

void must_run(DirectSession& session, const StepRequest& request) {
  const auto ran = session.run(request);
  check(ran.ok(), fmt::format("the bench's step runs: {}", text_of(ran.status())).c_str());
}

// All on one device.
GraphSpec without_devices(GraphSpec graph) {
  for (NodeSpec& n : graph.nodes) n.device.clear();
  return graph;
}

TensorRef fed(const Feed& f) {
  const bool is_integer = f.dtype == DataType::kInt32 || f.dtype == DataType::kInt64;
  return is_integer && f.shape.elements() <= kKnownIntegers ? TensorRef(make_tensor(f.dtype, f.shape))
                                                            : make_shape_only(f.dtype, f.shape);
}

Workload training_step(const Home& home, const std::string& graph, std::int64_t values_up_to) {
  const auto program = load_program(graph, home.graphs(), {.batch = 32, .shapes = {}});
  check(program.ok(), "the bench's graph is there");
  Workload w{open_session(without_devices(*program->graph), values_up_to),
             {.feeds = {}, .fetches = {}, .targets = program->targets}};
  for (const std::string& op : {program->init_op, program->local_init_op})
    if (!op.empty()) must_run(*w.session, {.feeds = {}, .fetches = {}, .targets = {op}});
  for (const Feed& f : program->feeds)
    if (!f.optional) w.request.feeds[f.tensor] = fed(f);
  return w;
}

// ---- measuring ----

void run_steps(benchmark::State& state, Workload& w) {
  must_run(*w.session, w.request);
  const std::uint64_t before = w.session->nodes_run();
  for (auto _ : state) must_run(*w.session, w.request);
  state.SetItemsProcessed(static_cast<std::int64_t>(w.session->nodes_run() - before));
}

// Each node's consumers; of the signature's graph.
std::vector<std::vector<std::uint32_t>> successors_of(Workload& w) {
  const auto parts = w.session->partitions(w.request);
  check(parts.ok() && parts->size() == 1, "the bench's step is one device's");
  const auto graph = import_graph(parts->front().graph, made_by_itself());
  check(graph.ok(), "the bench's step is a graph");
  std::vector<std::vector<std::uint32_t>> all;
  std::vector<std::uint32_t> index(graph->node_slots());
  for (const NodeId n : graph->op_nodes())
    index[n.index()] = static_cast<std::uint32_t>(all.size()), all.emplace_back();
  for (const NodeId n : graph->op_nodes()) {
    std::set<std::uint32_t> to;
    for (const EdgeId e : graph->out_edges(n))
      if (graph->is_op(graph->edge(e).dst)) to.insert(index[graph->edge(e).dst.index()]);
    all[index[n.index()]].assign(to.begin(), to.end());
  }
  return all;
}

void simgrid_alone(benchmark::State& state, Workload& w) {
  const auto successors = successors_of(w);
  const std::size_t rounds = 1 + 5000 / successors.size();
  for (auto _ : state) {
    const auto answer = run_in_child([&] { return fmt::format("{}", execute_nodes(successors, rounds)); });
    check(answer.ok(), "SimGrid executes the nodes");
    state.SetIterationTime(std::stod(*answer));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(successors.size() * rounds));
}

// ---- a long loop ----

constexpr std::int64_t kIterations = 10'000'000;

NodeSpec node_of(std::string op, std::string name, std::vector<std::string> inputs,
                 Attrs attrs = {{"T", DataType::kInt64}}) {
  return {.name = std::move(name),
          .op = std::move(op),
          .device = "",
          .inputs = std::move(inputs),
          .attrs = std::move(attrs)};
}

NodeSpec constant(std::string name, std::int64_t value, std::vector<std::string> inputs = {}) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = DataType::kInt64;
  t->content.assign(reinterpret_cast<const char*>(&value), sizeof value);
  return node_of("Const", std::move(name), std::move(inputs),
                 {{"dtype", DataType::kInt64}, {"value", std::shared_ptr<const TensorSpec>(std::move(t))}});
}

Attrs frame(bool is_constant) {
  return {{"T", DataType::kInt64},
          {"frame_name", "loop"},
          {"is_constant", is_constant},
          {"parallel_iterations", std::int64_t{10}}};
}

// while (i < n) ++i, as tf.while_loop writes it.
GraphSpec counting_loop() {
  GraphSpec g;
  g.nodes = {constant("zero", 0),
             constant("n", kIterations),
             node_of("Enter", "i", {"zero"}, frame(false)),
             node_of("Enter", "limit", {"n"}, frame(true)),
             node_of("Merge", "merge", {"i", "next"}, {{"T", DataType::kInt64}, {"N", std::int64_t{2}}}),
             node_of("Less", "less", {"merge", "limit"}),
             node_of("LoopCond", "goes_on", {"less"}, {}),
             node_of("Switch", "switch", {"merge", "goes_on"}),
             node_of("Exit", "exit", {"switch"}),
             node_of("Identity", "body", {"switch:1"}),
             constant("one", 1, {"^body"}),
             node_of("AddV2", "add", {"body", "one"}),
             node_of("NextIteration", "next", {"add"})};
  return g;
}

void run_loop(benchmark::State& state) {
  const auto session = open_session(counting_loop(), kCounters);
  for (auto _ : state) {
    forget_peak();
    const double before = memory("VmRSS");
    must_run(*session, {.feeds = {}, .fetches = {"exit:0"}, .targets = {}});
    state.counters["peak bytes"] = memory("VmHWM") - before;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(session->nodes_run()));
}

void add_model(const Home& home, const std::string& name, const std::string& graph, bool has_loops) {
  const auto workload = std::make_shared<std::optional<Workload>>();
  const auto get = [workload, &home, graph, has_loops]() -> Workload& {
    if (!*workload) *workload = training_step(home, graph, has_loops ? kIndices : kCounters);
    return **workload;
  };
  benchmark::RegisterBenchmark(("executor " + name).c_str(), [get](benchmark::State& s) {
    run_steps(s, get());
  })->Unit(benchmark::kMicrosecond);
  if (has_loops) return;
  benchmark::RegisterBenchmark(("SimGrid alone: executor " + name).c_str(),
                               [get](benchmark::State& s) { simgrid_alone(s, get()); })
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime()
      ->Iterations(5);
}

}  // namespace

void add_executor_benchmarks(const Home& home) {
  add_model(home, "MLP", "mlp_adam_async_res_ps2_task0", false);
  add_model(home, "ResNet-50", "resnet50_ps8_task0", false);
  add_model(home, "LSTM loop", "lstm_lm_ps3_task0", true);
  benchmark::RegisterBenchmark("executor loop of 10^7 iterations", run_loop)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace tarry
