#include "properties/programs/interpreter.hpp"

#include <algorithm>

#include "workers/rendezvous/key.hpp"

namespace tarry::oracle {
namespace {

bool is(const Graph& g, NodeId n, std::string_view op) { return g.op_name(n) == op; }
const std::string& frame_of(const Graph& g, NodeId enter) {
  return *g.node(enter).attrs.get<std::string>("frame_name");
}

}  // namespace

Step::~Step() {
  is_over_ = true;
  context_.cancellation.start();
}

StatusOr<OracleStep> Step::run() {
  begin();
  do settle();
  while (not_a_program_.empty() && end_loops(root_));
  if (!not_a_program_.empty()) return error(Code::kFailedPrecondition, "{}", not_a_program_);
  if (out_.errors.empty() && waiting_ > 0) out_.errors.insert(Code::kDeadlineExceeded);
  if (out_.errors.empty()) out_.values = fetched();
  if (std::ranges::any_of(out_.values, [](const TensorRef& t) { return !t; }))
    out_.errors.insert(Code::kInvalidArgument);  // dead fetch
  return std::move(out_);
}

void Step::begin() {
  for (const auto& [n, kernel] : m_.kernels)
    if (expected_data(root_, n) + expected_controls(n) == 0) ready_.emplace_back(&root_, n);
}

void Step::settle() {
  while (!ready_.empty() && not_a_program_.empty()) {
    std::swap(ready_[m_.random.below(ready_.size())], ready_.back());
    const auto [place, node] = ready_.back();
    ready_.pop_back();
    fire(*place, node);
    if (++out_.fired > most_) not_a_program_ = "it does not end";
  }
}

std::vector<TensorRef> Step::fetched() {
  std::vector<TensorRef> values;
  for (const std::string& f : m_.program.fetches) {
    const InputName in = parse_input(f);
    const auto it = at_root_.find({m_.g.find(std::string(in.node)), in.slot});
    values.push_back(it == at_root_.end() || !it->second.tensor ? nullptr : it->second.tensor);
  }
  return values;
}

// ---- when a node may fire ----

// A Merge at the top of a loop gets its first value from outside, and those of later iterations from the iteration
// before.
std::size_t Step::expected_data(const Place& at, NodeId n) const {
  const Graph& g = m_.g;
  if (!is(g, n, "Merge")) return static_cast<std::size_t>(g.input_count(n));
  std::size_t from_before = 0, others = 0;
  for (const EdgeId e : g.in_edges(n))
    if (!g.edge(e).is_control()) ++(is(g, g.edge(e).src, "NextIteration") ? from_before : others);
  return at.iteration > 0 && from_before > 0 ? from_before : others;
}

std::size_t Step::expected_controls(NodeId n) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      m_.g.in_edges(n), [&](EdgeId e) { return m_.g.edge(e).is_control() && m_.g.is_op(m_.g.edge(e).src); }));
}

void Step::look(Place& at, NodeId n) {
  Inbox& inbox = at.inboxes[n];
  if (inbox.has_fired || inbox.controls < expected_controls(n)) return;
  const bool has_living = std::ranges::any_of(inbox.data, [](const auto& d) { return !d.second.is_dead(); });
  const bool has_all = inbox.data.size() == expected_data(at, n);
  if (!has_all && !(is(m_.g, n, "Merge") && has_living)) return;
  inbox.has_fired = true;
  ready_.emplace_back(&at, n);
}

// ---- firing ----

void Step::fire(Place& at, NodeId n) {
  Inbox& inbox = at.inboxes[n];
  const bool is_merge = is(m_.g, n, "Merge");
  const bool no_data = std::ranges::none_of(inbox.data, [](const auto& d) { return !d.second.is_dead(); });
  const bool is_dead = is_merge ? no_data : inbox.is_deadened;
  Running& r = running_.emplace_back(*this, at, n);
  r.made.resize(static_cast<std::size_t>(m_.g.output_count(n)));
  if (is_dead) {
    r.is_done = true;
    return emit(at, n, r.made, true);
  }
  if (const Status s = gather(r, inbox); !s.ok()) return finish(r, s);
  ++out_.executions[{m_.positions.at(n), at.loop == nullptr ? 0 : at.loop->id, at.iteration}];
  run_kernel(r);
}

Status Step::gather(Running& r, const Inbox& inbox) {
  r.taken.resize(static_cast<std::size_t>(m_.g.input_count(r.node)));
  for (const EdgeId id : m_.g.in_edges(r.node)) {
    const Edge& e = m_.g.edge(id);
    const auto come = e.is_control() ? inbox.data.end() : inbox.data.find(e.dst_slot);
    if (come == inbox.data.end()) continue;
    Value value = come->second;
    TARRY_RETURN_IF_ERROR(read_reference(r, e, value));
    r.taken[static_cast<std::size_t>(e.dst_slot)] = std::move(value);
  }
  return {};
}

Status Step::read_reference(Running& r, const Edge& e, Value& value) const {
  const Graph& g = m_.g;
  if (!is_ref(g.output_type(e.src, e.src_slot)) || value.is_dead()) return {};
  const auto& variable = static_cast<const Variable&>(*value.resource);
  if (!variable.value && !g.node(r.node).op->allows_uninitialized_input)
    return error(Code::kFailedPrecondition, "uninitialized {}", variable.text);
  if (!is_ref(g.input_type(r.node, e.dst_slot))) value = {snapshot(variable.value), nullptr};
  return {};
}

void Step::run_kernel(Running& r) {
  Kernel& kernel = *m_.kernels.at(r.node);
  static_cast<KernelContext&>(r) = {
      r.taken, r.made, &context_, false, r.place->loop == nullptr ? 0 : r.place->loop->id, r.place->iteration};
  if (!kernel.is_async()) return finish(r, kernel.compute(r));
  ++waiting_;
  hold(r.place, 1);
  r.when_done = [](KernelContext& c, const Status& s) {
    auto& ended = static_cast<Running&>(c);
    ended.step.called_back(ended, s);
  };
  kernel.compute_async(r);
}

void Step::called_back(Running& r, const Status& s) {
  if (is_over_) return;
  --waiting_;
  hold(r.place, -1);
  finish(r, s);
}

void Step::finish(Running& r, const Status& s) {
  r.is_done = true;
  r.taken.clear();
  if (s.ok()) return emit(*r.place, r.node, r.made, false);
  out_.errors.insert(s.code());
  hold(r.place, 1);
}

void Step::hold(Place* at, int change) {
  for (; at->loop != nullptr; at = at->loop->outside) at->loop->held += change;
}

// ---- tokens ----

void Step::emit(Place& at, NodeId n, const std::vector<Value>& outputs, bool is_dead) {
  const Graph& g = m_.g;
  if (is(g, n, "Enter")) return emit_enter(at, n, outputs);
  if (is(g, n, "NextIteration"))
    return is_dead ? void() : hand_out(iteration(*at.loop, at.iteration + 1), n, outputs, false);
  if (!is(g, n, "Exit")) return hand_out(at, n, outputs, is_dead);
  if (is_dead) return void(at.loop->dead_exits[n] = std::max(at.loop->dead_exits[n], at.iteration));
  if (!at.loop->living_exits.insert(n).second) not_a_program_ = "an Exit is alive twice";
  hand_out(*at.loop->outside, n, outputs, false);
}

void Step::emit_enter(Place& at, NodeId n, const std::vector<Value>& outputs) {
  Loop& loop = loop_at(at, frame_of(m_.g, n));
  ++loop.entered;
  if (*m_.g.node(n).attrs.get<bool>("is_constant")) {
    loop.invariants.emplace_back(n, outputs[0]);
    for (std::size_t i = 0; i < loop.iterations.size(); ++i)
      hand_out(*loop.iterations[i], n, outputs, outputs[0].is_dead());
    return;
  }
  hand_out(iteration(loop, 0), n, outputs, outputs[0].is_dead());
}

void Step::hand_out(Place& to, NodeId n, const std::vector<Value>& outputs, bool is_dead) {
  if (to.loop == nullptr)
    for (std::size_t i = 0; i < outputs.size(); ++i)
      at_root_[{n, static_cast<int>(i)}] = {outputs[i].tensor ? snapshot(outputs[i].tensor) : nullptr, nullptr};
  for (const EdgeId id : m_.g.out_edges(n)) {
    const Edge& e = m_.g.edge(id);
    if (!m_.g.is_op(e.dst) || !m_.needs(e.dst)) continue;
    Inbox& inbox = to.inboxes[e.dst];
    const Value value = e.is_control() ? Value() : outputs[static_cast<std::size_t>(e.src_slot)];
    if (is_dead || (!e.is_control() && value.is_dead())) inbox.is_deadened = true;
    if (e.is_control())
      ++inbox.controls;
    else
      inbox.data[e.dst_slot] = value;
    const bool is_late = inbox.has_fired && !e.is_control() && !value.is_dead();
    if (is_late) not_a_program_ = "two living values meet in a Merge";
    look(to, e.dst);
  }
}

// ---- loops ----

Loop& Step::loop_at(Place& at, const std::string& name) {
  auto& loop = at.loops[name];
  if (loop) return *loop;
  loop = std::make_unique<Loop>();
  loop->name = name;
  loop->id = child_frame_id(at.loop == nullptr ? 0 : at.loop->id, at.iteration, frame_name_hash(name));
  loop->outside = &at;
  iteration(*loop, 0);
  return *loop;
}

Place& Step::iteration(Loop& loop, std::int64_t number) {
  const auto n = static_cast<std::size_t>(number);
  if (n < loop.iterations.size()) return *loop.iterations[n];
  Place& fresh = *loop.iterations.emplace_back(std::make_unique<Place>());
  fresh.loop = &loop;
  fresh.iteration = number;
  for (const auto& [enter, value] : loop.invariants) hand_out(fresh, enter, {value}, value.is_dead());
  return fresh;
}

// Nothing can fire. The innermost loops that nothing holds have ended; true when that made something ready.
bool Step::end_loops(Place& at) {
  for (auto& [name, loop] : at.loops) {
    if (loop->has_ended) continue;
    for (const auto& place : loop->iterations)
      if (end_loops(*place)) return true;
    if (end(*loop) && !ready_.empty()) return true;
  }
  return false;
}

bool Step::end(Loop& loop) {
  const auto all_ended = [](const std::unique_ptr<Place>& p) {
    return std::ranges::all_of(p->loops, [](const auto& l) { return l.second->has_ended; });
  };
  if (loop.entered < m_.enters.at(loop.name) || loop.held > 0 || !std::ranges::all_of(loop.iterations, all_ended))
    return false;
  loop.has_ended = true;
  const auto last = static_cast<std::int64_t>(loop.iterations.size()) - 1;
  for (const auto& [exit, when] : loop.dead_exits)
    if (when == last && !loop.living_exits.contains(exit)) hand_out(*loop.outside, exit, {Value()}, true);
  return true;
}

}  // namespace tarry::oracle
