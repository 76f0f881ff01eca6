#include "workers/direct/direct_session.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "placer/core/flush_denormals.hpp"
#include "placer/graph/import.hpp"
#include "placer/lower/lower.hpp"
#include "placer/partition/partition.hpp"
#include "placer/place/place.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kIncarnation = 1;
constexpr Nanos kMillisecond = 1'000'000;

std::vector<std::string> names_of(const std::map<std::string, TensorRef>& feeds) {
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  return names;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// What the client asks of the session: fed tensors need not be fetched.
Signature signature_of(const StepRequest& r) {
  std::vector<std::string> fetches = r.fetches;
  std::erase_if(fetches, [&](const std::string& f) { return r.feeds.contains(f); });
  return {names_of(r.feeds), sorted(std::move(fetches)), sorted(r.targets)};
}

// When only fed tensors are fetched the client does not ask the session at all.
std::vector<TensorRef> fed_values(const StepRequest& r) {
  std::vector<TensorRef> values;
  for (const std::string& fetch : r.fetches) values.push_back(r.feeds.at(fetch));
  return values;
}

}  // namespace

StatusOr<std::unique_ptr<DirectSession>> DirectSession::create(const GraphSpec& graph,
                                                               const std::vector<std::string>& devices,
                                                               const DirectOptions& options) {
  std::unique_ptr<DirectSession> s(new DirectSession(options));
  TARRY_RETURN_IF_ERROR(s->add_devices(devices));
  TARRY_ASSIGN(s->full_, import_graph(graph));
  TARRY_RETURN_IF_ERROR(lower_functions(*s->full_, {.inlines_calls = options.inlines_calls}));
  return s;
}

Status DirectSession::add_devices(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    TARRY_ASSIGN(const DeviceId id, devices_.set.add(name, "", kIncarnation));
    auto device = std::make_unique<LocalDevice>();
    const std::string& full = devices_.set[id].name;
    device->host = {&env_,
                    TaskId{0u},
                    full,
                    env_.name(full),
                    &device->resources,
                    [](std::string_view) { return TaskId{0u}; },
                    options_.values_up_to,
                    &files_};
    device->host.inputs = &options_.inputs;
    device->host.counters = counters_;
    devices_.devices.push_back(std::move(device));
  }
  if (devices_.devices.empty()) return invalid("a session needs a device");
  client_ = {DeviceId{0u}, devices_.set[DeviceId{0u}].name, kIncarnation};
  shared_.resize(devices_.devices.size());
  return {};
}

Status DirectSession::place_once() {
  if (is_placed_) return {};
  TARRY_RETURN_IF_ERROR(place(*full_, devices_.set, session_rules_2_15(), {.soft_placement = options_.soft_placement}));
  is_placed_ = true;
  return {};
}

StatusOr<const Graph*> DirectSession::placed() {
  TARRY_RETURN_IF_ERROR(place_once());
  return &*full_;
}

StatusOr<std::vector<Partition>> DirectSession::cut(const Signature& signature, Convention convention) {
  TARRY_RETURN_IF_ERROR(place_once());
  TARRY_ASSIGN(Graph g, make_client_graph(*full_, nullptr, signature, client_, convention));
  PartitionOptions options;
  options.new_name = [this](std::string_view prefix) { return fmt::format("{}/_{}", prefix, names_++); };
  options.incarnation = [](std::string_view) { return kIncarnation; };
  return partition(g, devices_.set, options);
}

StatusOr<std::vector<Partition>> DirectSession::partitions(const StepRequest& request) {
  return cut(signature_of(request), Convention::call);
}

StatusOr<DirectSession::Registered*> DirectSession::find_or_register(const Signature& signature,
                                                                     Convention convention) {
  const auto known = registered_.find({signature, convention});
  if (known != registered_.end()) return &known->second;
  TARRY_ASSIGN(const std::vector<Partition> parts, cut(signature, convention));
  Registered item;
  for (const Partition& part : parts) {
    TARRY_ASSIGN(Graph g, import_graph(part.graph, made_by_itself()));
    const DeviceId device = devices_.set.find(part.location);
    TARRY_ASSIGN(ExecGraph exec,
                 make_exec_graph(std::move(g), devices_.devices[device.index()]->host, shared_[device.index()]));
    item.executors.push_back(std::make_unique<Executor>(std::move(exec), env_));
  }
  return &registered_.emplace(std::pair{signature, convention}, std::move(item)).first->second;
}

void DirectSession::start(Registered& item, DirectStep& step) {
  const FlushDenormals as_kernels_do;
  step.context.id = StepId{++steps_};
  step.context.rendezvous = &step.rendezvous;
  step.context.call = &step.call;
  step.executor_step.context = &step.context;
  step.executor_step.on_first_error = [&step](const Status& s) { step.abort(s); };
  if (item.executors.empty()) return void(step.ended = Status());
  step.barrier.emplace(item.executors.size(), std::function<void(const Status&)>(),
                       [&step](Status s) { step.ended = std::move(s); });
  for (const auto& executor : item.executors)
    executor->run(step.executor_step, [&step](Status s) { step.barrier->when_done(std::move(s)); });
}

// Until the step has ended or its time is up. Then what waits is cancelled, and the step still ends before the client
// hears.
Status DirectSession::finish(DirectStep& step, std::int64_t timeout_ms) {
  const FlushDenormals as_kernels_do;
  bool late = false;
  const TimerId timer =
      timeout_ms > 0 ? env_.after(timeout_ms * kMillisecond, [&late] { late = true; }) : TimerId::none();
  env_.run_until([&] { return step.ended.has_value() || late; });
  nodes_run_ += step.context.nodes_run;
  if (step.ended) {
    if (timer.valid()) env_.cancel(timer);
    return *step.ended;
  }
  const Status why =
      late ? error(Code::kDeadlineExceeded, "Timed out waiting for notification")
           : error(Code::kDeadlineExceeded, "the step waits for ever: nothing in this process can end it");
  step.context.cancellation.start();
  step.rendezvous.table.abort(why);
  env_.run_until([&] { return step.ended.has_value(); });
  return why;
}

StatusOr<std::vector<TensorRef>> DirectSession::run(const StepRequest& request) {
  const Signature signature = signature_of(request);
  if (signature.fetches.empty() && signature.targets.empty() && !request.fetches.empty()) return fed_values(request);
  TARRY_ASSIGN(Registered * item, find_or_register(signature, Convention::call));
  auto owned = std::make_unique<DirectStep>();
  DirectStep& step = *owned;
  for (const auto& [name, value] : request.feeds) step.call.arguments.push_back(value);
  step.call.results.resize(signature.fetches.size());
  start(*item, step);
  const Status ended = finish(step, request.timeout_ms);
  if (!step.ended) blocked_.push_back(std::move(owned));
  if (!ended.ok()) return ended;
  for (std::size_t i = 0; i < step.call.results.size(); ++i)
    if (!step.call.results[i]) return invalid("Retval[{}] does not have value", i);
  std::vector<TensorRef> results;
  for (const std::string& fetch : request.fetches) {
    const auto fed = request.feeds.find(fetch);
    const auto at = std::ranges::lower_bound(signature.fetches, fetch) - signature.fetches.begin();
    const TensorRef& got = step.call.results[static_cast<std::size_t>(at)];
    results.push_back(fed != request.feeds.end() ? fed->second : snapshot(got));  // later steps do not change it
  }
  return results;
}

StatusOr<std::string> DirectSession::partial_run_setup(const StepRequest& request) {
  TARRY_ASSIGN(Registered * item, find_or_register(signature_of(request), Convention::rendezvous));
  auto run = std::make_unique<PartialRun>();
  for (const auto& [name, value] : request.feeds) run->feeds[name] = false;
  for (const std::string& fetch : request.fetches) run->fetches[fetch] = false;
  const std::string handle = fmt::format("{};{}", fmt::join(request.fetches, ","), ++steps_);
  start(*item, run->step);
  partial_runs_[handle] = std::move(run);
  return handle;
}

StatusOr<std::vector<TensorRef>> DirectSession::partial_run(const std::string& handle, const StepRequest& call) {
  const auto it = partial_runs_.find(handle);
  if (it == partial_runs_.end()) return invalid("Must run 'setup' before performing partial runs!");
  PartialRun& run = *it->second;
  TARRY_RETURN_IF_ERROR(run.check_call(names_of(call.feeds), call.fetches));
  TARRY_RETURN_IF_ERROR(run.check_fetches(*full_, names_of(call.feeds), call.fetches));
  for (const auto& [name, value] : call.feeds) {
    run.feeds[name] = true;
    TARRY_RETURN_IF_ERROR(run.step.rendezvous.table.send(env_.name(client_key(name, client_)), {value, false}));
  }
  TARRY_ASSIGN(std::vector<TensorRef> results, receive(run, call.fetches));
  if (!run.is_complete()) return results;
  const Status ended = finish(run.step, call.timeout_ms);
  partial_runs_.erase(it);
  if (!ended.ok()) return ended;
  return results;
}

StatusOr<std::vector<TensorRef>> DirectSession::receive(PartialRun& run, const std::vector<std::string>& fetches) {
  std::vector<TensorRef> results;
  for (const std::string& fetch : fetches) {
    const auto got =
        std::make_shared<std::optional<StatusOr<Received>>>();  // may be delivered when nobody waits any more
    run.step.rendezvous.table.receive(env_.name(client_key(fetch, client_)), nullptr,
                                      [got](StatusOr<Received> r) { *got = std::move(r); });
    env_.run_until([&] { return got->has_value(); });
    if (!*got)
      return error(Code::kDeadlineExceeded, "the fetch {} waits for ever: nothing in this process can end it", fetch);
    const StatusOr<Received>& received = **got;
    if (!received.ok()) return received.status();
    if (received->is_dead) return invalid("The tensor returned for {} was not valid.", fetch);
    run.fetches[fetch] = true;
    results.push_back(snapshot(received->tensor));
  }
  return results;
}

}  // namespace tarry
