#include "workers/executor/executor.hpp"

#include <numeric>
#include <utility>

#include "placer/graph/input_text.hpp"
#include "workers/auditor.hpp"
#include "workers/env.hpp"
#include "workers/executor/named.hpp"
#include "workers/executor/run.hpp"
#include "workers/kernels/handle.hpp"

namespace tarry {
namespace {

// Is a kernel's answer known by now, and the object that it gives out still there?
bool is_known(const Value& always) {
  return always.resource == nullptr ? always.tensor != nullptr : !always.resource->is_lost();
}

}  // namespace

Executor::Executor(ExecGraph graph, Env& env) : graph_(std::move(graph)), env_(env) {}
Executor::~Executor() = default;

Executor::Run& Executor::idle_run() {
  if (idle_.empty()) return *runs_.emplace_back(std::make_unique<Run>(*this));
  Run& run = *idle_.back();
  idle_.pop_back();
  return run;
}

void Executor::run(ExecutorStep& step, StatusCallback&& done) {
  if (graph_.plan->roots.empty()) return std::move(done)(Status());
  idle_run().start(step, std::move(done));
}

std::size_t Executor::iterations_held() const {
  return std::accumulate(runs_.begin(), runs_.end(), std::size_t{0},
                         [](std::size_t n, const auto& run) { return n + run->iterations_held(); });
}

std::size_t Executor::frames_live() const {
  return std::accumulate(runs_.begin(), runs_.end(), std::size_t{0},
                         [](std::size_t n, const auto& run) { return n + run->frames_live(); });
}

Executor::Run::Run(Executor& owner)
    : owner_(owner), graph_(owner.graph_), flow_(owner.graph_), outputs_(owner.graph_.plan->most_outputs) {}

void Executor::Run::start(ExecutorStep& step, StatusCallback&& done) {
  step_ = &step;
  done_ = std::move(done);
  status_ = Status();
  flow_.start();
  drain();
}

void Executor::Run::drain() {
  if (std::exchange(draining_, true)) return;
  while (!flow_.ready.empty()) process(flow_.ready.pop());
  draining_ = false;
  complete_if_idle();
}

void Executor::Run::complete_if_idle() {
  if (flow_.outstanding > 0) return;
  if (!status_.ok()) flow_.drop_values();
  StatusCallback done = std::move(done_);
  const Status result = std::move(status_);
  owner_.idle_.push_back(this);  // `done` may start it again
  std::move(done)(result);
}

inline std::span<Value> Executor::Run::inputs_of(const ReadyNode& at, const ExecNode& e) {
  return {at.iteration->inputs.data() + e.first_input, e.input_count};
}
inline std::span<Value> Executor::Run::inputs_of(const ReadyNode& at) { return inputs_of(at, graph_.nodes[at.node]); }

inline KernelContext Executor::Run::context_of(const ReadyNode& at, std::span<Value> outputs) {
  const ExecNode& e = graph_.nodes[at.node];
  const bool forgets = graph_.planted == PlantedRuntimeBug::key_without_iteration && e.is_transfer;
  return {inputs_of(at, e),        outputs,
          step_->context,          at.is_dead,
          at.iteration->frame->id, forgets ? 0 : at.iteration->number};
}

Executor::Run::Activation& Executor::Run::activate(const ReadyNode& at) {
  if (idle_activations_.empty()) {
    idle_activations_.push_back(activations_.emplace_back(std::make_unique<Activation>()).get());
    idle_activations_.back()->run = this;
  }
  Activation& a = *idle_activations_.back();
  idle_activations_.pop_back();
  a.at = at;
  a.made.resize(graph_.nodes[at.node].output_count);
  static_cast<KernelContext&>(a) = context_of(at, a.made);
  a.when_done = [](KernelContext& c, const Status& s) {
    auto& ended = static_cast<Activation&>(c);
    ended.run->arrive(ended, s);
  };
  return a;
}

void Executor::Run::process(const ReadyNode& at) {
  const ExecNode& e = graph_.nodes[at.node];
  if (e.always != nullptr && is_known(*e.always) && !at.is_dead && status_.ok() && !step_->on_node_ran)
    return hand_out(at, e);
  const std::span<Value> outputs = std::span(outputs_).first(e.output_count);
  if (step_->context->nodes_run >= step_->context->looks_at) [[unlikely]]
    if (const Status s = check_time(); !s.ok()) return finish(at, outputs, s);
  if (at.is_dead && (!e.is_transfer || graph_.planted == PlantedRuntimeBug::dead_send_skipped))
    return finish(at, outputs, Status());
  if (e.has_references)
    if (const Status s = gather(at); !s.ok()) return finish(at, outputs, s);
  if (e.cost.valid() && !e.pays_on_arrival) return begin(at);
  if (e.is_async) return compute(activate(at));
  KernelContext context = context_of(at, outputs);
  finish(at, outputs, e.kernel->compute(context));
}

// Once in so many ops.
Status Executor::Run::check_time() {
  StepContext& context = *step_->context;
  const Nanos now = owner_.env_.now();
  context.looks_at = context.nodes_run + kOpsInAnInstant;
  if (std::exchange(context.looked, now) != now) return {};
  return error(Code::kDeadlineExceeded,
               "The step ran {} ops while no time passed: it has a loop that never ends, or one whose ops have no cost",
               kOpsInAnInstant);
}

inline void Executor::Run::hand_out(const ReadyNode& at, const ExecNode& e) {
  Value value = *e.always;
  flow_.deliver(at, e, std::span(&value, 1), false);
  count(e, false);
  flow_.retire(*at.iteration);
}

inline void Executor::Run::count(const ExecNode& e, bool is_dead) {
  StepContext& context = *step_->context;
  ++context.nodes_run;
  context.live_by_source[static_cast<std::size_t>(e.cost_source)] += !is_dead;
}

// Its time passes first.
void Executor::Run::begin(const ReadyNode& at) {
  const auto run_and_go_on = [](void* self, std::uint64_t) {
    auto& a = *static_cast<Activation*>(self);
    Run& run = *a.run;
    run.draining_ = true;  // an asynchronous kernel that calls back at once must not end the step under us
    run.compute(a);
    run.draining_ = false;
    run.drain();
  };
  const ExecNode& e = graph_.nodes[at.node];
  owner_.env_.run_kernel(e.cost, work_of(at), step_->context->id, {run_and_go_on, &activate(at), 0});
}

Work Executor::Run::work_of(const ReadyNode& at) {
  const ExecNode& e = graph_.nodes[at.node];
  return e.work == kNoWork ? Work{} : graph_.works[e.work](inputs_of(at));
}

// What a Recv got still has to get onto the device.
void Executor::Run::arrive(Activation& a, const Status& s) {
  const ExecNode& e = graph_.nodes[a.at.node];
  if (!s.ok() || !e.pays_on_arrival || a.made[0].is_dead()) {
    finish(a, s);
    return drain();
  }
  const auto go_on = [](void* self, std::uint64_t) {
    auto& arrived = *static_cast<Activation*>(self);
    Run& run = *arrived.run;
    run.finish(arrived, Status());
    run.drain();
  };
  owner_.env_.run_kernel(e.cost, graph_.works[e.work](a.made), step_->context->id, {go_on, &a, 0});
}

// References are read now, under the variable's lock in the real program; an empty variable is an error unless the op
// copes.
Status Executor::Run::gather(const ReadyNode& at) {
  const ExecNode& e = graph_.nodes[at.node];
  const std::span<Value> inputs = inputs_of(at);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ExecInput& how = graph_.plan->inputs[e.first_flag + i];
    if (how.dereference || how.expects_reference) TARRY_RETURN_IF_ERROR(dereference(inputs[i], how, e, i));
    if (how.needs != ResourceKind::none) TARRY_RETURN_IF_ERROR(check_object(inputs[i], how.needs, graph_.device));
  }
  return {};
}

Status Executor::Run::dereference(Value& input, const ExecInput& how, const ExecNode& e, std::size_t index) const {
  if (input.resource == nullptr && input.tensor && how.expects_reference)
    return error(Code::kInternal, "{}-th input expects a ref type", index);
  if (input.resource == nullptr || input.tensor)
    return {};  // dead (a Merge's), or the handle of a queue or accumulator
  const auto& variable = static_cast<const Variable&>(*input.resource);
  if (!variable.value && !e.allows_uninitialized)
    return error(Code::kFailedPrecondition, "Attempting to use uninitialized value {}", name_of_input(e, index));
  if (how.dereference) input = {variable.value, nullptr};
  return {};
}

// As a GraphDef writes it: "v", "v:1".
std::string Executor::Run::name_of_input(const ExecNode& e, std::size_t index) const {
  const Graph& g = graph_.plan->graph;
  const Edge& from = g.edge(g.input_edge(g.find(graph_.info_of(e).name), static_cast<int>(index)));
  return input_text(g.name(from.src), from.src_slot);
}

void Executor::Run::compute(Activation& a) {
  const ExecNode& e = graph_.nodes[a.at.node];
  if (!e.is_async) return finish(a, e.kernel->compute(a));
  if (graph_.planted == PlantedRuntimeBug::recv_started_twice && e.is_transfer) start_twice(a, *e.kernel);
  e.kernel->compute_async(a);
}

void Executor::Run::start_twice(const Activation& a, Kernel& kernel) {
  KernelContext& again = started_twice_.emplace_front(a);
  again.when_done = [](KernelContext&, const Status&) {};
  kernel.compute_async(again);
}

void Executor::Run::finish(Activation& a, const Status& s) {
  finish(a.at, a.made, s);
  idle_activations_.push_back(&a);
}

Status Executor::Run::check_outputs(const ExecNode& e, std::span<const Value> outputs) const {
  if (e.received_type != DataType::kInvalid) return check_type(e, outputs);
  if (e.may_lack_outputs) return {};
  if (e.referred_type != DataType::kInvalid) TARRY_RETURN_IF_ERROR(check_reference(e, outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].is_dead())
      return error(Code::kInternal, "Missing {}-th output from {{{{node {}}}}}", i, graph_.info_of(e).name);
  return {};
}

// Of a tensor that came from elsewhere; our own kernels give what they declare.
inline bool Executor::Run::is_as_received(const ExecNode& e, std::span<const Value> outputs) {
  return outputs.empty() || !outputs[0].tensor || outputs[0].tensor->dtype() == e.received_type;
}
Status Executor::Run::check_type(const ExecNode& e, std::span<const Value> outputs) const {
  if (is_as_received(e, outputs)) return {};
  return error(Code::kInternal, "Output 0 of type {} does not match declared output type {} for node {{{{node {}}}}}",
               type_name(outputs[0].tensor->dtype()), type_name(e.received_type), graph_.info_of(e).name);
}

// Takes the device's memory for what a node made: its outputs, and what is new in a variable that it was given. Freed
// when nobody holds them any more.
Status Executor::Run::hold(const ReadyNode& at, std::span<Value> outputs) {
  const ExecNode& e = graph_.nodes[at.node];
  for (const Value& v : inputs_of(at))
    if (v.resource != nullptr) TARRY_RETURN_IF_ERROR(hold(v.resource->content()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (graph_.on_device[e.device_outputs + i]) TARRY_RETURN_IF_ERROR(hold(outputs[i].tensor.get()));
  return {};
}

Status Executor::Run::hold(const TensorBody* body) const {
  if (body == nullptr || body->memory() != nullptr || const_cast<TensorBody*>(body)->enter_device(graph_.memory))
    return {};
  mark(graph_.auditor, Mark::gpu_memory_full);
  return error(Code::kResourceExhausted, "OOM when allocating tensor with shape{} and type {} on {} by allocator {}",
               to_string(body->shape()), type_name(body->dtype()), graph_.memory->device, graph_.memory->allocator);
}

// Two nodes that share a variable by name may differ about its type.
Status Executor::Run::check_reference(const ExecNode& e, std::span<const Value> outputs) const {
  const TensorBody* value = outputs[0].resource == nullptr ? nullptr : outputs[0].resource->content();
  if (value == nullptr || value->dtype() == e.referred_type) return {};
  return error(Code::kInternal, "Output 0 of type {} does not match declared output type {} for node {{{{node {}}}}}",
               type_name(ref_type(value->dtype())), type_name(ref_type(e.referred_type)), graph_.info_of(e).name);
}

// Nearly every node: nothing to look at more closely.
inline bool Executor::Run::is_plainly_well(const ExecNode& e, std::span<const Value> outputs, const Status& s) const {
  if (!s.ok() || graph_.memory || is_lost() || e.referred_type != DataType::kInvalid) return false;
  if (e.received_type != DataType::kInvalid) return is_as_received(e, outputs);
  return e.may_lack_outputs || std::ranges::none_of(outputs, &Value::is_dead);
}

void Executor::Run::judge(const ReadyNode& at, std::span<Value> outputs, Status s) {
  const ExecNode& e = graph_.nodes[at.node];
  mark_if(s.ok() && is_lost(), graph_.auditor, Mark::gpu_lost);
  if (s.ok() && is_lost()) s = error(Code::kInternal, "GPU sync failed");
  if (graph_.memory && s.ok()) s = hold(at, outputs);
  if (!s.ok())
    fail(named(s, graph_.plan->graph, graph_.info_of(e).name));
  else if (const Status wrong = check_outputs(e, outputs); !wrong.ok())
    fail(wrong);
}

void Executor::Run::finish(const ReadyNode& at, std::span<Value> outputs, const Status& s) {
  const ExecNode& e = graph_.nodes[at.node];
  const bool is_dead = at.is_dead && !e.is_transfer;
  if (!is_dead && !is_plainly_well(e, outputs, s)) judge(at, outputs, s);
  const bool goes_on = status_.ok();
  if (goes_on && !is_dead && step_->on_node_ran && !e.is_transfer) step_->on_node_ran(graph_.info_of(e).name, outputs);
  // What comes out of a Recv that had a dead control input is dead to its consumers, whatever was received (seen
  // in 2.15.1: that ends a loop).
  if (goes_on) flow_.deliver(at, e, outputs, at.is_dead);
  for (Value& v : inputs_of(at, e)) v.clear();
  for (Value& v : outputs) v.clear();
  count(e, is_dead);
  if (goes_on) return flow_.retire(*at.iteration);
  --flow_.outstanding;
}

void Executor::Run::fail(const Status& s) {
  if (!status_.ok()) return;
  status_ = s;
  if (step_->on_first_error && graph_.planted != PlantedRuntimeBug::cancel_lost) step_->on_first_error(status_);
}

}  // namespace tarry
