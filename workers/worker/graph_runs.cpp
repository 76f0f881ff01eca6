#include "workers/worker/graph_runs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tarry {
namespace {

// In the order of their keys' texts; of a key given twice the first counts.
template <class Item, class TextOf>
void order_by_key(std::vector<Item>& items, TextOf text_of) {
  if (std::ranges::adjacent_find(items, std::greater_equal(), text_of) == items.end()) return;
  std::ranges::stable_sort(items, {}, text_of);
  const auto is_same = [&](const Item& a, const Item& b) { return text_of(a) == text_of(b); };
  items.erase(std::unique(items.begin(), items.end(), is_same), items.end());
}

void watch_nodes(RunGraphCall& r) {
  if (!r.request.exec.collects()) return;
  RunningStep& run = *r.run;
  run.trace = std::make_unique<StepTrace>(run.item);
  run.executor_step.on_node_ran = [&run](std::string_view node, std::span<const Value> outputs) {
    run.trace->ran(node, outputs);
  };
}

void collect_details(RunGraphCall& r) {
  const bool wants_graphs = r.request.exec.record_partition_graphs;
  if (!wants_graphs && !r.run->trace) return;
  auto details = std::make_shared<RunGraphDetails>();
  if (r.run->trace) details->stats = r.run->trace->stats();
  if (r.run->trace && r.request.exec.record_costs) details->costs = r.run->trace->costs();
  if (wants_graphs)
    for (const Partition& p : r.run->item->partitions) details->partition_graphs.push_back(p.graph);
  r.response.details = std::move(details);
}

}  // namespace

GraphRuns::~GraphRuns() {
  while (!running_.empty()) {
    const auto run = running_.front().shared_from_this();
    running_.pop_front();
    run->let_go();
  }
}

void GraphRuns::start(const RunPtr& r, GraphManager& graphs) {
  order_by_key(r->request.sends, [this](const NamedTensor& t) { return directory_.env.text(t.key); });
  order_by_key(r->request.receives, [this](NameId key) { return directory_.env.text(key); });
  if (r->request.is_partial) return start_partial(r, graphs);
  if (Status s = start_whole(r, graphs); !s.ok()) r->finish(std::move(s));
}

Status GraphRuns::start_whole(const RunPtr& r, GraphManager& graphs) {
  std::shared_ptr<GraphItem> item = graphs.find(r->request.graph.get());
  mark_if(!item, directory_.auditor, Mark::run_of_unknown_graph);
  if (!item) return error(Code::kAborted, "Graph handle is not found: {}", r->request.graph.get());
  r->response.has_cost_graph = true;
  begin_step(r, std::move(item));
  if (Status s = send_inputs(*r); !s.ok()) {
    end_step(*r->run);
    return s;
  }
  watch_for_cancellation(r);
  watch_nodes(*r);
  run_executors(r, [r = r](Status s) { r->runs.executors_done(r, std::move(s)); });
  return {};
}

std::shared_ptr<RunningStep> GraphRuns::new_run(StepId step) {
  auto run = std::make_shared<RunningStep>(*this);
  run->context.id = step;
  running_.push_back(*run);
  return run;
}

void GraphRuns::note(AuditFact::What what, StepId step) const {
  if (directory_.auditor != nullptr)
    directory_.auditor->note({.what = what, .task = task_, .process = process_, .step = step});
}

void GraphRuns::begin_step(const RunPtr& r, std::shared_ptr<GraphItem> item) {
  note(AuditFact::What::run_began, r->request.step);
  r->run = new_run(r->request.step);
  RunningStep& run = *r->run;
  run.item = std::move(item);
  run.rendezvous = steps_.of(r->request.step);
  run.rendezvous->initialize();
  ++run.rendezvous->users;
  run.context.rendezvous = run.rendezvous.get();
  run.executor_step.context = &run.context;
  run.executor_step.on_first_error = [&run](const Status& s) { run.abort(s); };
}

Status GraphRuns::send_inputs(RunGraphCall& r) {
  for (NamedTensor& fed : r.request.sends) {
    const CheckedKey& checked = keys_.check(fed.key);
    TARRY_RETURN_IF_ERROR(checked.parsed);
    TARRY_RETURN_IF_ERROR(r.run->rendezvous->send(checked.key, {std::move(fed.tensor), false}));
  }
  return {};
}

void GraphRuns::run_executors(const RunPtr& r, StatusCallback&& done) {
  std::shared_ptr<RunningStep> run = r->run;
  const auto& executors = run->item->executors;
  if (executors.empty()) return std::move(done)(Status());
  run->barrier.emplace(executors.size(), nullptr, std::move(done));
  for (const auto& executor : executors)
    executor->run(run->executor_step, [run](Status s) { run->barrier->when_done(std::move(s)); });
}

void GraphRuns::end_step(const RunningStep& run) {
  note(AuditFact::What::run_ended, run.context.id);
  nodes_run_ += run.context.nodes_run;
  for (std::size_t i = 0; i < kCostSources; ++i) live_by_source_[i] += run.context.live_by_source[i];
  --run.rendezvous->users;
  steps_.release_if_idle(run.context.id, run.rendezvous);
}

void GraphRuns::executors_done(const RunPtr& r, Status s) {
  collect_details(*r);
  mark_if(!s.ok() && r->run->context.has_dequeued, directory_.auditor, Mark::element_lost_with_step);
  if (!s.ok() || r->request.receives.empty()) {
    end_step(*r->run);
    return r->finish(log_.with_recent_warnings(std::move(s)));
  }
  fetch_in_turn(r);
}

void GraphRuns::fetched(const RunPtr& r, const Status& s) {
  end_step(*r->run);
  if (s.ok()) return r->finish(Status());
  r->response.received.clear();
  r->finish(error(Code::kInternal, "Failed to fetch outputs for step {}. (Original error message: {})",
                  r->request.step.value, text_of(s)));
}

// One output after the other, by key: the first that cannot be had ends it, and those behind it stay where they are.
void GraphRuns::fetch_in_turn(const RunPtr& r) {
  const std::vector<NameId>& keys = r->request.receives;
  const std::vector<NamedTensor>& got = r->response.received;
  r->fetching = Fetching::goes_on;
  while (r->fetching == Fetching::goes_on) {
    if (got.size() == keys.size()) return fetched(r, Status());
    r->fetching = Fetching::asks;
    receive_output(*r, keys[got.size()],
                   [r](StatusOr<NamedTensor> output) { r->runs.take_in_turn(r, std::move(output)); });
  }
  if (r->fetching == Fetching::asks) r->fetching = Fetching::waits;
}

void GraphRuns::take_in_turn(const RunPtr& r, StatusOr<NamedTensor> output) {
  const bool waited = std::exchange(r->fetching, output.ok() ? Fetching::goes_on : Fetching::ended) == Fetching::waits;
  if (!output.ok()) return fetched(r, output.status());
  r->response.received.push_back(*std::move(output));
  if (waited) fetch_in_turn(r);
}

void GraphRuns::receive_output(RunGraphCall& r, NameId key, OutputDone&& done) {
  const CheckedKey& checked = keys_.check(key);
  if (!checked.parsed.ok()) return std::move(done)(checked.parsed);
  TransferKey transfer = checked.key;
  transfer.is_own = checked.receives_here;
  r.run->rendezvous->receive(
      transfer, r.run->never_cancelled, [this, key, done = std::move(done)](StatusOr<Received> value) mutable {
        if (!value.ok()) return std::move(done)(value.status());
        if (value->is_dead)
          return std::move(done)(invalid("The tensor returned for {} was not valid.", directory_.env.text(key)));
        std::move(done)(NamedTensor{key, snapshot(value->tensor)});
      });
}

void GraphRuns::watch_for_cancellation(const RunPtr& r) {
  r->run->is_partial = r->request.is_partial;
  r->call.on_cancel([run = r->run] { run->runs.cancel(*run); });
}

void GraphRuns::cancel(RunningStep& run) {
  log_.add('I', fmt::format("Cancellation requested for {}.", run.is_partial ? "PartialRunGraph" : "RunGraph"));
  is_wedged_ = is_wedged_ || run.is_partial;
  note(AuditFact::What::run_cancelled, run.context.id);
  mark(directory_.auditor, Mark::run_cancelled);
  run.context.cancellation.forgets_last = directory_.planted == PlantedClusterBug::abort_skips_waiter;
  run.context.cancellation.start();
  steps_.abort_later(run.context.id);
}

// ---- steps in parts ----

void GraphRuns::start_partial(const RunPtr& r, GraphManager& graphs) {
  r->run = partial_runs_.find(r->request.step);
  if (r->run) return continue_partial(r);
  std::shared_ptr<GraphItem> item = graphs.find(r->request.graph.get());
  if (!item) return start_without_graph(r);
  begin_step(r, std::move(item));
  partial_runs_.begin(r->request.step, r->run);
  const auto ended = [this, run = r->run](Status s) {
    end_step(*run);
    partial_runs_.executors_done(run->context.id, s);
  };
  if (Status s = send_inputs(*r); !s.ok())
    ended(s);
  else
    run_executors(r, ended);
  fetch_partial(r);
}

// Nobody initialises the rendezvous: what is fetched fails, and the step id is of no use any more.
void GraphRuns::start_without_graph(const RunPtr& r) {
  r->run = new_run(r->request.step);
  r->run->rendezvous = steps_.of(r->request.step);
  partial_runs_.begin(r->request.step, r->run);
  partial_runs_.executors_done(r->request.step,
                               error(Code::kAborted, "Graph handle is not found: {}", r->request.graph.get()));
  fetch_partial(r);
}

// The first two ifs: the real process ends here, by a segmentation fault.
void GraphRuns::continue_partial(const RunPtr& r) {
  if (!r->run->item)
    return r->finish(invalid("step {} began with an unknown graph handle: it cannot go on", r->request.step.value));
  const bool needs_it = !r->request.sends.empty() || !r->request.receives.empty();
  if (needs_it && !steps_.holds(r->request.step, r->run->rendezvous))
    return r->finish(invalid("step {} was cleaned up between the calls of a partial run", r->request.step.value));
  if (Status s = send_inputs(*r); !s.ok()) return r->finish(std::move(s));
  fetch_partial(r);
}

void GraphRuns::fetch_partial(const RunPtr& r) {
  watch_for_cancellation(r);
  const std::vector<NameId>& keys = r->request.receives;
  for (const NameId key : keys)
    if (const Status& parsed = keys_.check(key).parsed; !parsed.ok()) return fetched_partial(r, parsed);
  if (keys.empty()) return fetched_partial(r, Status());
  r->response.received.resize(keys.size());
  const auto outputs = std::make_shared<ExecutorBarrier>(keys.size(), nullptr,
                                                         [this, r](Status s) { fetched_partial(r, std::move(s)); });
  for (std::size_t i = 0; i < keys.size(); ++i)
    receive_output(*r, keys[i], [r, i, outputs](StatusOr<NamedTensor> output) {
      const Status s = output.status();
      if (s.ok()) r->response.received[i] = *std::move(output);
      outputs->when_done(s);
    });
}

void GraphRuns::fetched_partial(const RunPtr& r, Status s) {
  if (is_wedged_) return;
  if (!s.ok()) r->response.received.clear();
  if (!r->request.is_last_partial) return r->finish(std::move(s));
  partial_runs_.outputs_done(r->request.step, std::move(s), [r](Status all) { r->finish(std::move(all)); });
}

}  // namespace tarry
