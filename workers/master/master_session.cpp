// A session's signatures, partial runs and callables (docs/rules/runtime.md#E.2, #E.5).

#include "workers/master/master_session.hpp"

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

Signature sorted(Signature s) {
  for (auto* list : {&s.feeds, &s.fetches, &s.targets}) std::ranges::sort(*list);
  return s;
}

std::vector<std::string> joined(const Signature& s) {
  std::vector<std::string> all = s.feeds;
  for (const auto* list : {&s.targets, &s.fetches}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::vector<std::string> names_of(const std::vector<FedTensor>& feeds) {
  std::vector<std::string> names;
  for (const FedTensor& f : feeds) names.push_back(f.name());
  return names;
}

}  // namespace

StatusOr<MasterSession::GraphRef> MasterSession::make_graph(const Signature& signature, bool is_partial) {
  TARRY_ASSIGN(ClientGraphRef graph, graph_.prune(signature));
  return std::make_shared<PreparedGraph>(site_, graph_, std::move(graph), is_partial);
}

StatusOr<MasterSession::GraphRef> MasterSession::find_graph(Signature signature, GraphCache& cache, bool is_partial) {
  signature = sorted(std::move(signature));
  std::vector<std::string> key = joined(signature);
  if (const auto it = cache.find(key); it != cache.end()) return it->second;
  TARRY_ASSIGN(GraphRef graph, make_graph(signature, is_partial));
  return cache.emplace(std::move(key), std::move(graph)).first->second;
}

bool MasterSession::Asked::is_for(const StepInput& input) const {
  return targets == input.targets && fetches == input.fetches &&
         std::ranges::equal(feeds, input.feeds, {}, {}, &FedTensor::tensor);
}

StatusOr<MasterSession::GraphRef> MasterSession::find_graph(const StepInput& input) {
  const auto it = std::ranges::find_if(asked_, [&](const Asked& a) { return a.is_for(input); });
  if (it != asked_.end()) return it->graph;
  TARRY_ASSIGN(GraphRef graph, find_graph({names_of(input.feeds), input.fetches, input.targets}, graphs_, false));
  Asked& asked = asked_.emplace_back(Asked{{}, input.fetches, input.targets, graph});
  std::ranges::transform(input.feeds, std::back_inserter(asked.feeds), &FedTensor::tensor);
  return graph;
}

void MasterSession::prepare(Signature signature, StatusCallback done) {
  const auto graph = find_graph(std::move(signature), graphs_, false);
  if (!graph.ok()) return std::move(done)(graph.status());
  (*graph)->register_once(std::move(done));
}

void MasterSession::run(std::vector<FedTensor> feeds, SharedNames fetches, SharedNames targets, Purpose purpose,
                        RunDone&& done) {
  StepInput input{std::move(feeds), fetches, std::move(targets), {}, purpose};
  run_step(std::move(input), nullptr, [fetches = std::move(fetches), done = std::move(done)](StepResult r) mutable {
    if (!r.status.ok()) return std::move(done)(std::move(r.status));
    std::vector<TensorRef> values;
    for (const std::string& f : fetches.get()) {
      const auto it = std::ranges::find(r.fetched, f, &FedTensor::name);
      if (it == r.fetched.end()) return std::move(done)(error(Code::kInternal, "fetch {} was not returned", f));
      values.push_back(it->value);
    }
    std::move(done)(std::move(values));
  });
}

void MasterSession::run_step(StepInput input, const OnCancel& on_cancel, StepDone&& done) {
  if (closed_) return std::move(done)({error(Code::kAborted, "Session {} is not found.", site_.handle.get())});
  StatusOr<GraphRef> graph = find_graph(input);
  register_and_run(new_step(std::move(input), std::move(done)), std::move(graph), on_cancel);
}

// ---- partial runs ----

void MasterSession::set_up_partial_run(Signature signature, SetUp done) {
  const std::string handle = fmt::format("{}", next_partial_run_++);
  const auto graph = find_graph(signature, partial_graphs_, true);
  if (!graph.ok()) return std::move(done)(graph.status());
  PartialRun& run = partial_runs_[handle];
  run.graph = *graph;
  run.step = new_step_id();
  run.count = (*graph)->runs++;
  for (const std::string& name : signature.feeds) run.feeds[name] = false;
  for (const std::string& name : signature.fetches) run.fetches[name] = false;
  (*graph)->register_once([handle, done = std::move(done)](Status s) mutable {
    std::move(done)(s.ok() ? StatusOr<std::string>(handle) : s);
  });
}

StatusOr<MasterSession::GraphRef> MasterSession::begin_partially(PartialRun& run, const StepInput& input) const {
  const std::vector<std::string> fed = names_of(input.feeds);
  if (!run.options) run.options = input.options;
  TARRY_RETURN_IF_ERROR(run.check_call(fed, input.fetches));
  TARRY_RETURN_IF_ERROR(run.check_fetches(graph_.placed(), fed, input.fetches));
  run.note_call(fed, input.fetches);
  return run.graph;
}

// ---- callables ----

void MasterSession::make_callable(CallableOptions options, Made done) {
  const auto graph = make_graph({options.feeds, options.fetches, options.targets}, false);
  if (!graph.ok()) return std::move(done)(graph.status());
  (*graph)->register_once([this, alive = site_.alive, callable = Callable{std::move(options), *graph},
                           done = std::move(done)](Status s) mutable {
    if (!*alive) return;
    if (!s.ok()) return std::move(done)(std::move(s));
    callables_.emplace(next_callable_, std::move(callable));
    std::move(done)(next_callable_++);
  });
}

void MasterSession::run_callable(std::int64_t handle, std::vector<TensorRef> feeds, const OnCancel& on_cancel,
                                 StepDone&& done) {
  const auto it = callables_.find(handle);
  if (handle >= next_callable_) return std::move(done)({invalid("No such callable handle: {}", handle)});
  if (it == callables_.end())
    return std::move(done)({invalid("Attempted to run callable after handle was released: {}", handle)});
  const CallableOptions& options = it->second.options;
  if (feeds.size() != options.feeds.size())
    return std::move(done)(
        {invalid("callable {} takes {} feeds, was given {} (TensorFlow's process ends here when they are too few)",
                 handle, options.feeds.size(), feeds.size())});
  StepInput input{{}, {}, {}, options.run.value_or(StepOptions()), Purpose::other};
  for (std::size_t i = 0; i < feeds.size(); ++i) input.feeds.push_back({options.feeds[i], std::move(feeds[i])});
  auto in_order = [fetches = options.fetches, done = std::move(done)](StepResult r) mutable {
    std::vector<FedTensor> ordered;
    for (const std::string& f : fetches)
      if (const auto found = std::ranges::find(r.fetched, f, &FedTensor::name); found != r.fetched.end())
        ordered.push_back(*found);
    r.fetched = std::move(ordered);
    std::move(done)(std::move(r));
  };
  register_and_run(new_step(std::move(input), std::move(in_order)), it->second.graph, on_cancel);
}

}  // namespace tarry
