// What tensors take of a device's memory while they live.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/import.hpp"
#include "workers/executor/executor.hpp"
#include "workers/fake_env.hpp"
#include "workers/kernels/state.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry {
namespace {

constexpr const char* kGpu = "/job:worker/replica:0/task:0/device:GPU:0";
constexpr std::int64_t kElements = 256;  // of a float tensor: 1 KiB
constexpr std::uint64_t kTensor = 1024;

// Where the step's tensors are handed over.
struct Table : Rendezvous {
  LocalRendezvous table;
  Status send(const TransferKey& key, Received value) override { return table.send(key.key, std::move(value)); }
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override {
    table.receive(key.key, &step, std::move(done));
  }
};

struct GpuBench : FakeEnv {
  Table rendezvous;
  ResourceManager resources;
  SharedKernels shared;
  DeviceMemoryRef memory;
  KernelHost host;
  std::vector<std::unique_ptr<Executor>> executors;
  StepContext context;
  ExecutorStep step{.context = &context, .on_first_error = {}, .on_node_ran = {}};

  explicit GpuBench(std::uint64_t capacity) : memory(new DeviceMemory(kGpu, "GPU_0_bfc", capacity)) {
    host = {this, TaskId{0u}, kGpu, NameId::none(), &resources, [](std::string_view) { return TaskId{0u}; }, 0};
    host.memory = memory;
    context.rendezvous = &rendezvous;
  }
  void arrive(const std::string& tensor, TensorRef value) {
    (void)rendezvous.table.send(name(fmt::format("{};0000000000000001;{};{};0:0", kGpu, kGpu, tensor)),
                                {std::move(value), false});
  }
  Status run_nodes(const std::vector<NodeSpec>& nodes) {
    const auto g = import_graph({nodes});
    check(g.ok(), std::string(text_of(g.status())).c_str());
    auto exec = make_exec_graph(*g, host, shared);
    check(exec.ok(), std::string(text_of(exec.status())).c_str());
    executors.push_back(std::make_unique<Executor>(*std::move(exec), *this));
    Status result = error(Code::kInternal, "it did not end");
    executors.back()->run(step, [&](Status s) { result = std::move(s); });
    run();
    return result;
  }
};

NodeSpec gpu_node(std::string op, std::string name, std::vector<std::string> inputs,
                  Attrs attrs = {{"T", DataType::kFloat}}) {
  return {std::move(name), std::move(op), kGpu, std::move(inputs), std::move(attrs)};
}
// Made anew at each step: 1 KiB.
std::vector<NodeSpec> tensor_nodes(const std::string& name) {
  TensorSpec shape{DataType::kInt32, Shape({1}), std::string("\0\1\0\0", 4), {}};
  return {gpu_node("Const", name + "/shape", {},
                   {{"dtype", DataType::kInt32}, {"value", std::make_shared<const TensorSpec>(std::move(shape))}}),
          gpu_node("RandomUniform", name, {name + "/shape"}, {{"T", DataType::kInt32}, {"dtype", DataType::kFloat}})};
}
std::vector<NodeSpec> with(std::vector<NodeSpec> nodes, std::vector<NodeSpec> more) {
  std::ranges::move(more, std::back_inserter(nodes));
  return nodes;
}
NodeSpec received(const std::string& tensor) {
  return gpu_node("_Recv", tensor, {},
                  {{"tensor_type", DataType::kFloat},
                   {"tensor_name", tensor},
                   {"send_device", kGpu},
                   {"recv_device", kGpu},
                   {"send_device_incarnation", std::int64_t{1}}});
}
NodeSpec variable(const std::string& name) {
  return gpu_node("VariableV2", name, {}, {{"dtype", DataType::kFloat}, {"shape", Shape({kElements})}});
}

TEST(DeviceMemory, is_given_back_when_the_last_reader_is_done) {
  GpuBench b(1 << 20);
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"),
                             {gpu_node("Neg", "b", {"a"}), gpu_node("Exp", "c", {"b"}), gpu_node("Neg", "d", {"c"})})),
            Status());
  EXPECT_EQ(b.memory->peak(), 2 * kTensor);  // a kernel's input and its output
  EXPECT_EQ(b.memory->in_use(), 0u);
}

TEST(DeviceMemory, is_taken_by_a_constant) {
  GpuBench b(1 << 20);
  TensorSpec values{DataType::kFloat, Shape({kElements}), std::string(kTensor, '\0'), {}};
  EXPECT_EQ(b.run_nodes({gpu_node("Const", "c", {},
                                  {{"dtype", DataType::kFloat},
                                   {"value", std::make_shared<const TensorSpec>(std::move(values))}}),
                         gpu_node("Neg", "n", {"c"})}),
            Status());
  EXPECT_EQ(b.memory->peak(), 2 * kTensor);
}

TEST(DeviceMemory, is_held_by_every_reader) {
  GpuBench b(1 << 20);
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Neg", "b", {"a"}), gpu_node("Exp", "c", {"b"}),
                                                 gpu_node("AddV2", "d", {"c", "a"})})),
            Status());
  EXPECT_EQ(b.memory->peak(), 3 * kTensor);
  EXPECT_EQ(b.memory->in_use(), 0u);
}

TEST(DeviceMemory, is_not_taken_by_what_hands_a_buffer_on) {
  GpuBench b(1 << 20);
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Identity", "b", {"a"}), gpu_node("Identity", "c", {"b"})})),
            Status());
  EXPECT_EQ(b.memory->peak(), kTensor);
}

TEST(DeviceMemory, is_not_taken_by_what_stays_in_host_memory) {
  GpuBench b(1 << 20);
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Shape", "s", {"a"},
                                                          {{"T", DataType::kFloat}, {"out_type", DataType::kInt32}})})),
            Status());
  EXPECT_EQ(b.memory->peak(), kTensor);
}

TEST(DeviceMemory, is_kept_by_a_variable_from_step_to_step) {
  GpuBench b(1 << 20);
  const auto assign = with(tensor_nodes("a"), {variable("v"), gpu_node("Assign", "set", {"v", "a"})});
  EXPECT_EQ(b.run_nodes(assign), Status());
  EXPECT_EQ(b.memory->in_use(), kTensor);
  EXPECT_EQ(b.run_nodes(assign), Status());
  EXPECT_EQ(b.memory->in_use(), kTensor);
  EXPECT_EQ(b.memory->peak(), 2 * kTensor);  // the new value beside the old one
}

TEST(DeviceMemory, is_kept_by_the_storage_that_a_reference_variable_makes_for_itself) {
  GpuBench b(1 << 20);
  b.host.values_up_to = kElements;  // with values, Assign copies
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {variable("v"), gpu_node("Assign", "set", {"v", "a"})})), Status());
  EXPECT_EQ(b.memory->in_use(), kTensor);
  EXPECT_EQ(b.memory->peak(), 2 * kTensor);
}

// A variable of a server may go to many GPUs at once: each has a tensor of its own.
TEST(DeviceMemory, is_taken_by_what_was_received_and_not_by_what_was_sent) {
  GpuBench b(1 << 20);
  const TensorRef sent = make_shape_only(DataType::kFloat, Shape({kElements}));
  b.arrive("a", sent);
  EXPECT_EQ(b.run_nodes({received("a"), gpu_node("Neg", "b", {"a"})}), Status());
  EXPECT_EQ(sent->memory(), nullptr);
  EXPECT_EQ(b.memory->peak(), 2 * kTensor);
  EXPECT_EQ(b.memory->in_use(), 0u);
}

TEST(DeviceMemory, is_not_taken_elsewhere_by_what_came_from_it) {
  GpuBench b(1 << 20);
  DeviceMemoryRef senders(new DeviceMemory("/job:other/replica:0/task:0/device:GPU:0", "GPU_0_bfc", 1 << 20));
  b.host.memory = nullptr;
  TensorRef sent = make_shape_only(DataType::kFloat, Shape({kElements}));
  ASSERT_TRUE(const_cast<TensorBody&>(*sent).enter_device(senders));
  b.arrive("a", std::exchange(sent, nullptr));
  EXPECT_EQ(b.run_nodes({received("a"), variable("v"), gpu_node("Assign", "set", {"v", "a"})}), Status());
  EXPECT_EQ(senders->in_use(), 0u);  // the variable holds another tensor
}

TEST(DeviceMemory, is_rounded_up_to_256_bytes) {
  DeviceMemory m(kGpu, "GPU_0_bfc", 512);
  EXPECT_TRUE(m.take(1));
  EXPECT_EQ(m.in_use(), 256u);
  EXPECT_TRUE(m.take(256));
  EXPECT_FALSE(m.take(1));
  m.give_back(1);
  EXPECT_EQ(m.in_use(), 256u);
  EXPECT_EQ(m.peak(), 512u);
}

TEST(DeviceMemory, that_is_short_ends_the_step_with_tensorflows_text) {
  GpuBench b(2 * kTensor);
  const Status s = b.run_nodes(with(tensor_nodes("a"), {gpu_node("Neg", "b", {"a"}), gpu_node("Exp", "c", {"b"}),
                                                        gpu_node("AddV2", "d", {"c", "a"})}));
  EXPECT_EQ(s.code(), Code::kResourceExhausted);
  EXPECT_EQ(text_of(s),
            "OOM when allocating tensor with shape[256] and type float on /job:worker/replica:0/task:0/device:GPU:0 by "
            "allocator GPU_0_bfc\n\t [[{{node c}}]]\n"
            "Hint: If you want to see a list of allocated tensors when OOM happens, add "
            "report_tensor_allocations_upon_oom to RunOptions for current allocation info. "
            "This isn't available when running in Eager mode.\n");
  EXPECT_EQ(b.memory->in_use(), 0);  // "a" waited for "d", which never ran
}

// A loop's variable, its invariant, and what waited in an iteration: all are let go of.
TEST(DeviceMemory, is_given_back_when_a_step_ends_in_a_loop) {
  GpuBench b(1 << 20);
  b.host.values_up_to = 1;  // integers have values
  const auto enter = [](const std::string& name, const std::string& from, DataType type, bool is_constant) {
    return gpu_node(
        "Enter", name, {from},
        {{"T", type}, {"frame_name", "loop"}, {"is_constant", is_constant}, {"parallel_iterations", std::int64_t{10}}});
  };
  const std::vector<NodeSpec> loop{
      enter("x/enter", "a", DataType::kFloat, false),
      enter("invariant", "b", DataType::kFloat, true),
      enter("zeros", "a/shape", DataType::kInt32, true),
      gpu_node("Merge", "x", {"x/enter", "x/next"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}),
      gpu_node("AddV2", "sum", {"x", "invariant"}),
      gpu_node("NextIteration", "x/next", {"sum"}),
      gpu_node("Sub", "zero", {"zeros", "zeros"}, {{"T", DataType::kInt32}}),
      gpu_node("FloorDiv", "boom", {"zeros", "zero", "^x/next"}, {{"T", DataType::kInt32}}),
      gpu_node("AddV2", "waits", {"x", "sum", "^boom"})};
  EXPECT_EQ(text_of(b.run_nodes(with(with(tensor_nodes("a"), tensor_nodes("b")), loop))),
            "Integer division by zero\n\t [[{{node boom}}]]");
  EXPECT_GT(b.memory->peak(), 2 * kTensor);
  EXPECT_EQ(b.memory->in_use(), 0u);
}

TEST(DeviceMemory, outlives_who_counted_it) {
  TensorRef t = make_shape_only(DataType::kFloat, Shape({kElements}));
  DeviceMemoryRef memory(new DeviceMemory(kGpu, "GPU_0_bfc", kTensor));
  const DeviceMemory* raw = memory.get();
  ASSERT_TRUE(const_cast<TensorBody&>(*t).enter_device(memory));
  memory.reset();
  EXPECT_EQ(raw->in_use(), kTensor);
  EXPECT_EQ(TensorBody(*t).memory(), nullptr);  // a copy is elsewhere
  t.reset();
}

TEST(DeviceMemory, that_nobody_counts_is_never_short) {
  GpuBench b(1);
  b.host.memory = nullptr;
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Neg", "b", {"a"})})), Status());
}

// ---- work and copies ----

TEST(ExecutorWork, tells_the_world_what_a_priced_node_does) {
  GpuBench b(1 << 20);
  b.by_work = true;
  b.cost_by_node["b"] = 10;
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Neg", "b", {"a"})})), Status());
  EXPECT_EQ(b.works, (std::vector<Work>{{256, 2 * kTensor}}));
}

TEST(ExecutorWork, of_a_receive_is_what_arrived_and_its_time_passes_then) {
  GpuBench b(1 << 20);
  b.by_work = true;
  b.cost_by_node["a"] = 10;
  b.after(100, [&] { b.arrive("a", make_shape_only(DataType::kFloat, Shape({kElements}))); });
  EXPECT_EQ(b.run_nodes({received("a"), gpu_node("Neg", "b", {"a"})}), Status());
  EXPECT_EQ(b.works, (std::vector<Work>{{0, kTensor}}));
  EXPECT_EQ(b.now(), 110);
}

TEST(ExecutorWork, counts_live_nodes_by_where_their_time_came_from) {
  GpuBench b(1 << 20);
  b.cost_by_node["b"] = 10;
  EXPECT_EQ(b.run_nodes(with(tensor_nodes("a"), {gpu_node("Neg", "b", {"a"})})), Status());
  EXPECT_EQ(b.context.live_by_source, (std::array<std::uint64_t, kCostSources>{1, 0, 0, 2}));
}

}  // namespace
}  // namespace tarry
