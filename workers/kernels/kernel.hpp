// A kernel: what one node computes. It is made at most once per graph and runs once per execution, unless its output is
// always the same.
//
// An op has a value function, a shape function, or both (kernel table). When all inputs have data and the outputs are
// small, the value function runs; otherwise the shape function gives the outputs' shapes, or, when there is none, the
// shapes that the client recorded
// (`_output_shapes`), if fully known. An op that has none of these is an error that names the node: nothing is silently
// skipped.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/planted_cluster.hpp"
#include "placer/core/status.hpp"
#include "placer/graph/graph.hpp"
#include "workers/device_memory.hpp"
#include "workers/kernel_cost.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/state/resources.hpp"
#include "workers/tensor/cancellation.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

class Env;

// What travels along an edge: a tensor; or a reference to a variable (ref types); or a handle tensor and the object it
// names.
struct Value {
  TensorRef tensor;
  Resource* resource = nullptr;
  [[nodiscard]] bool is_dead() const { return !tensor && resource == nullptr; }
  void clear() {
    if (tensor) tensor.reset();
    resource = nullptr;
  }
};

// What was made in a process so far, by kind: names contain these counts.
struct NameCounters {
  std::uint64_t private_objects = 0;  // queues and barriers without a shared name
  std::uint64_t tensor_arrays = 0, stacks = 0;
};

// A device of a worker, as kernels see it.
struct KernelHost {
  Env* env = nullptr;
  TaskId task;
  std::string device;  // full name
  NameId device_name;
  ResourceManager* resources = nullptr;
  std::function<TaskId(std::string_view device)> task_of;  // gives `none` for an unknown task
  std::int64_t values_up_to = 4096;                        // larger outputs, in elements, have a shape only
  class CheckpointFiles* files = nullptr;                  // null = saving and restoring are errors
  const class InputFiles* inputs = nullptr;  // what readers read; null = every file is there, and never ends
  std::shared_ptr<NameCounters> counters = std::make_shared<NameCounters>();  // shared by the process's devices
  DeviceMemoryRef memory = nullptr;                     // null = the memory of its tensors is not counted
  const DeviceHealth* health = nullptr;                 // null = the device cannot be lost
  class Auditor* auditor = nullptr;                     // null = nobody audits (workers/auditor.hpp)
  PlantedClusterBug planted = PlantedClusterBug::none;  // set by properties only
  const TensorBody* not_restored = nullptr;             // PlantedClusterBug::restore_skips_variable
};

class Rendezvous;

// Feeds and fetches of a step that is called like a function: `_Arg` and `_Retval` by their attribute `index`.
struct CallFrame {
  std::vector<TensorRef> arguments;
  std::vector<TensorRef> results;  // null = not set, or dead
};

// The objects that belong to one step: TensorArrays and stacks. They end with the step.
class StepContainer {
 public:
  Resource* add(std::string name, std::unique_ptr<Resource> resource) {
    return (resources_[std::move(name)] = std::move(resource)).get();
  }
  [[nodiscard]] Resource* find(const std::string& name) const {
    const auto it = resources_.find(name);
    return it == resources_.end() ? nullptr : it->second.get();
  }
  // What an op of the step may still use lives on.
  void remove(const std::string& name) {
    if (const auto it = resources_.find(name); it != resources_.end()) {
      removed_.push_back(std::move(it->second));
      resources_.erase(it);
    }
  }

 private:
  std::map<std::string, std::unique_ptr<Resource>> resources_;
  std::vector<std::unique_ptr<Resource>> removed_;
};

// A step that runs so many ops while no time passes is a loop that never ends.
inline constexpr std::uint64_t kOpsInAnInstant = 5'000'000;

struct StepContext {  // one step on one worker
  StepId id;
  CancellationManager cancellation;
  Rendezvous* rendezvous = nullptr;
  std::uint64_t nodes_run = 0;
  std::uint64_t looks_at = kOpsInAnInstant;  // of nodes_run: then it is seen whether time has passed
  Nanos looked = -1;                         // the time of the last look; -1 = there was none
  std::array<std::uint64_t, kCostSources>
      live_by_source{};  // nodes run that were not dead, by the source of their cost
  CallFrame* call = nullptr;
  bool has_dequeued = false;  // an element of a queue
  StepContainer container;
};

struct KernelSetup {  // what a kernel is made from
  std::string_view name;
  std::string_view op;
  const Attrs& attrs;
  const DataTypes& inputs;
  const DataTypes& outputs;
  KernelHost& host;
  const Renewal* renewed = nullptr;  // what the attributes say that holds no longer; null = all holds
  std::string_view source = {};      // the node that its first input comes from,
  int source_slot = 0;               // and which of that node's outputs
};

struct KernelContext {  // one execution
  std::span<const Value> inputs;
  std::span<Value> outputs;
  StepContext* step = nullptr;
  bool input_is_dead = false;  // transfer nodes only
  std::uint64_t frame = 0;     // the loop frame (rendezvous/key.hpp) and its iteration; 0 and 0 outside loops
  std::int64_t iteration = 0;
  void (*when_done)(KernelContext&, const Status&) = nullptr;  // asynchronous kernels only

  [[nodiscard]] const TensorBody& in(std::size_t i) const { return *inputs[i].tensor; }
  [[nodiscard]] const Shape& shape(std::size_t i) const { return inputs[i].tensor->shape(); }
  template <class T>
  [[nodiscard]] std::span<const T> data(std::size_t i) const {
    return in(i).as<T>();
  }
  // The output that was allocated from the shape function's answer.
  template <class T>
  [[nodiscard]] std::span<T> out(std::size_t i) {
    return const_cast<TensorBody&>(*outputs[i].tensor).mutable_as<T>();
  }
  void set(std::size_t i, TensorRef t) { outputs[i] = {std::move(t), nullptr}; }
  [[nodiscard]] Status give(std::size_t i, TensorRef t) {
    return set(i, std::move(t)), Status();
  }  // for a kernel's last line
  void done(const Status& s) { when_done(*this, s); }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual bool is_async() const { return false; }
  // Whether the kernel depends on its node and the job's options alone, and remembers nothing that changes an answer.
  // Then other registrations of the node, also in other runs, may share it, unless device memory is counted.
  [[nodiscard]] virtual bool is_of_node_alone() const { return false; }
  // The kernel's only output, when that is the same at every execution; null otherwise. The value is empty before the
  // first execution if that finds it out, and is no longer right once the object behind it is lost.
  [[nodiscard]] virtual const Value* always() const { return nullptr; }
  virtual Status compute(KernelContext&) { return error(Code::kInternal, "not a synchronous kernel"); }
  // Calls `context.done` exactly once, perhaps from inside this call; until then the context keeps its address.
  virtual void compute_async(KernelContext& context) {
    context.done(error(Code::kInternal, "not an asynchronous kernel"));
  }
};

using ValueFunction = std::function<Status(KernelContext&)>;
// Fills one shape per output. FAILED_PRECONDITION means that the shapes are not known from these inputs.
using ShapeFunction = std::function<Status(const KernelContext&, std::span<Shape>)>;

struct Behaviour {
  ValueFunction value;
  ShapeFunction shape;
  bool draws = false;  // its values are random, different at every execution
  // The value function makes the outputs, whose sizes depend on data; the shape function serves where there is none.
  // Without a shape function it always does.
  bool allocates = false;
  bool own_types = false;  // the value function takes narrow numbers as they are, and rounds where TensorFlow does
};

using MakeBehaviour = Behaviour (*)(const KernelSetup&);
using MakeKernel = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelSetup&);

using RefuseSetup = Status (*)(const KernelSetup&);

struct KernelRow {
  constexpr KernelRow(std::string_view of, MakeBehaviour make, RefuseSetup refuse = nullptr)
      : op(of), behaviour(make), refusal(refuse) {}
  constexpr KernelRow(std::string_view of, MakeKernel make) : op(of), kernel(make) {}

  std::string_view op;
  MakeBehaviour behaviour = nullptr;  // exactly one of `behaviour` and `kernel` is set
  MakeKernel kernel = nullptr;
  RefuseSetup refusal = nullptr;            // what it refuses when a kernel is made; null = nothing
  ResourceKind needs = ResourceKind::none;  // that of its family
};

struct KernelFamily {
  template <std::size_t n>
  constexpr KernelFamily(const KernelRow (&of)[n], ResourceKind kind = ResourceKind::none) : rows(of), needs(kind) {}

  std::span<const KernelRow> rows;
  ResourceKind needs;  // the object that must be behind every reference and handle that one of its ops takes
};

class KernelTable {
 public:
  explicit KernelTable(std::span<const KernelFamily> families);
  [[nodiscard]] const KernelRow* find(std::string_view op) const;
  [[nodiscard]] std::span<const KernelRow> rows() const { return rows_; }

 private:
  std::vector<KernelRow> rows_;  // sorted by op
};

// Every op that tarry computes; the same object at every call.
[[nodiscard]] const KernelTable& kernel_table();

// Fails: UNIMPLEMENTED, naming node and op, for an op that tarry neither computes nor has a recorded shape for; naming
// the function, too, for a call that was not taken into the graph (placer/lower/lower.hpp).
[[nodiscard]] StatusOr<std::unique_ptr<Kernel>> make_kernel(const KernelSetup& setup,
                                                            const KernelRow* row);  // its op's row; null: there is none
[[nodiscard]] inline StatusOr<std::unique_ptr<Kernel>> make_kernel(const KernelSetup& setup) {
  return make_kernel(setup, kernel_table().find(setup.op));
}

[[nodiscard]] inline Status shape_not_known() { return Status(Code::kFailedPrecondition, "shape not known"); }

}  // namespace tarry
