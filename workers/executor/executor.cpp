#include "workers/executor/executor.hpp"

#include <algorithm>
#include <utility>

#include "workers/executor/run.hpp"

namespace tarry {

Executor::Executor(ExecGraph graph, Env& env) : graph_(std::move(graph)), env_(env) {}
Executor::~Executor() = default;

Executor::Run& Executor::idle_run() {
  if (idle_.empty()) return *runs_.emplace_back(std::make_unique<Run>(*this));
  Run& run = *idle_.back();
  idle_.pop_back();
  return run;
}

void Executor::run(ExecutorStep& step, StatusCallback done) {
  if (graph_.roots.empty()) return std::move(done)(Status());
  idle_run().start(step, std::move(done));
}

Executor::Run::Run(Executor& owner) : owner_(owner), graph_(owner.graph_), contexts_(owner.graph_.nodes.size()) {
  inputs_.resize(graph_.inputs.size());
  outputs_.resize(graph_.output_slots);
  ready_.reserve(graph_.nodes.size());
}

void Executor::Run::start(ExecutorStep& step, StatusCallback done) {
  step_ = &step;
  done_ = std::move(done);
  status_ = Status();
  pending_.resize(graph_.nodes.size());
  std::ranges::transform(graph_.nodes, pending_.begin(), &ExecNode::initial_pending);
  dead_inputs_.assign(graph_.nodes.size(), 0);
  ready_.clear();
  next_ready_ = 0;
  outstanding_ = 0;
  for (const Index n : graph_.roots) make_ready(n);
  drain();
}

void Executor::Run::drain() {
  if (std::exchange(draining_, true)) return;
  while (next_ready_ < ready_.size()) process(ready_[next_ready_++]);
  ready_.clear();
  next_ready_ = 0;
  draining_ = false;
  complete_if_idle();
}

void Executor::Run::complete_if_idle() {
  if (outstanding_ > 0) return;
  StatusCallback done = std::move(done_);
  const Status result = std::move(status_);
  owner_.idle_.push_back(this);  // `done` may start it again
  std::move(done)(result);
}

void Executor::Run::process(Index n) {
  const ExecNode& e = graph_.nodes[n];
  const bool is_dead = dead_inputs_[n] > 0 && !e.is_control_trigger;
  if (is_dead && !e.is_transfer) return finish(n, Status());
  contexts_[n] = {inputs_of(e), outputs_of(e), step_->context, is_dead};
  if (Status s = gather(n); !s.ok()) return finish(n, std::move(s));
  if (!e.cost.valid()) return compute(n);
  owner_.env_.run_kernel(e.cost, step_->context->id,
                         {[](void* self, std::uint64_t node) {
                            auto& run = *static_cast<Run*>(self);
                            run.compute(static_cast<Index>(node));
                            run.drain();
                          },
                          this, n});
}

// References are read now, under the variable's lock in the real program; an empty variable is an error unless the op copes.
Status Executor::Run::gather(Index n) {
  const ExecNode& e = graph_.nodes[n];
  for (Index i = e.first_input; i < e.first_input + e.input_count; ++i) {
    const ExecInput& input = graph_.inputs[i];
    if (inputs_[i].resource == nullptr || !(input.dereference || input.expects_reference) || inputs_[i].tensor) continue;
    const auto& variable = static_cast<const Variable&>(*inputs_[i].resource);
    if (!variable.value && !e.allows_uninitialized) return error(Code::kFailedPrecondition, "Attempting to use uninitialized value {}", variable.text);
    if (input.dereference) inputs_[i] = {variable.value, nullptr};
  }
  return {};
}

void Executor::Run::compute(Index n) {
  const ExecNode& e = graph_.nodes[n];
  if (!e.is_async) return finish(n, e.kernel->compute(contexts_[n]));
  e.kernel->compute_async(contexts_[n], [this, n](Status s) {
    finish(n, std::move(s));
    drain();
  });
}

void Executor::Run::finish(Index n, Status s) {
  const ExecNode& e = graph_.nodes[n];
  if (!s.ok())
    fail(n, s);
  else if (status_.ok())
    propagate(n, dead_inputs_[n] > 0 && !e.is_control_trigger && !e.is_transfer);
  for (Value& v : inputs_of(e)) v = {};
  for (Value& v : outputs_of(e)) v = {};
  ++step_->context->nodes_run;
  --outstanding_;
}

void Executor::Run::fail(Index n, const Status& s) {
  if (!status_.ok()) return;
  status_ = with_suffix(s, fmt::format("\n\t [[{{{{node {}}}}}]]", graph_.nodes[n].name));
  if (step_->on_first_error) step_->on_first_error(status_);
}

void Executor::Run::propagate(Index n, bool is_dead) {
  const ExecNode& e = graph_.nodes[n];
  static const Value no_value;
  for (Index i = e.first_edge; i < e.first_edge + e.edge_count; ++i) {
    const ExecEdge& edge = graph_.edges[i];
    const Value& value = edge.src_slot == kControlSlot ? no_value : outputs_[e.first_output + static_cast<Index>(edge.src_slot)];
    deliver(edge, is_dead, value);
  }
}

void Executor::Run::deliver(const ExecEdge& edge, bool src_is_dead, const Value& value) {
  const bool is_control = edge.src_slot == kControlSlot;
  const bool is_dead = src_is_dead || (!is_control && value.is_dead());
  if (graph_.nodes[edge.dst].is_merge) return deliver_to_merge(edge.dst, edge, is_dead, value);
  if (is_dead) ++dead_inputs_[edge.dst];
  if (!is_control) inputs_[edge.dst_input] = value;
  if (--pending_[edge.dst] == 0) make_ready(edge.dst);
}

// Bit 0 of a Merge's pending count says that no live data has come yet; control inputs count 2 each (runtime.md C.4).
void Executor::Run::deliver_to_merge(Index dst, const ExecEdge& edge, bool is_dead, const Value& value) {
  const ExecNode& e = graph_.nodes[dst];
  std::int32_t& pending = pending_[dst];
  const auto all_dead = [&] { return dead_inputs_[dst] == static_cast<std::int32_t>(e.input_count); };
  if (edge.src_slot == kControlSlot) {
    pending -= 2;
    if (pending == 0 || (pending == 1 && all_dead())) make_ready(dst);
    return;
  }
  if (!is_dead) {
    inputs_[edge.dst_input] = value;
    const bool was_last = pending == 1;
    pending &= ~1;
    dead_inputs_[dst] = std::min(dead_inputs_[dst], 0);
    if (was_last) make_ready(dst);
    return;
  }
  if (pending & 1) {
    ++dead_inputs_[dst];
    if (pending == 1 && all_dead()) make_ready(dst);
  }
}

}  // namespace tarry
