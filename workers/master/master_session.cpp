#include "workers/master/master_session.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/hash.hpp"
#include "placer/device/merge.hpp"
#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

struct MasterSession::Step {
  StepId id;
  Purpose purpose = Purpose::other;
  std::vector<FedTensor> feeds;
  std::vector<std::string> fetches;
  RunDone done;
  std::vector<TaskId> tasks;
  std::size_t left = 0;
  std::vector<NamedTensor> received;
  std::vector<std::pair<TaskId, Status>> roots;  // errors that are causes, in order of arrival
  Status derived;                                 // the first error that only follows from another
  std::vector<CallRef> calls;                     // by part
  bool cancelled = false;
};

MasterSession::MasterSession(Directory& directory, TaskId master, SessionOptions options)
    : directory_(directory), master_(master), options_(std::move(options)), handle_(fmt::format("{:016x}", directory.env.random().next())) {}

MasterSession::~MasterSession() { *alive_ = false; }

Status MasterSession::place_graph(Graph& g) {
  for (const NodeId n : g.op_nodes()) {
    if (g.node(n).assigned.valid()) g.node(n).assigned = DeviceId::none();
    if (const auto it = stateful_devices_.find(std::string(g.name(n))); it != stateful_devices_.end()) g.node(n).assigned = it->second;
  }
  TARRY_RETURN_IF_ERROR(place(g, devices_, options_.rules, {.soft_placement = options_.soft_placement}));
  for (const NodeId n : g.op_nodes())
    if (g.node(n).op->is_stateful) stateful_devices_[std::string(g.name(n))] = g.node(n).assigned;
  return {};
}

Status MasterSession::build(const GraphSpec& graph, const std::vector<std::vector<DeviceAttributes>>& found) {
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    for (const DeviceAttributes& d : found[t]) {
      TARRY_ASSIGN(const DeviceId id, devices_.add(d.name, d.type, d.incarnation));
      if (tasks_[t] == master_ && &d == found[t].data()) client_ = {id, d.name, d.incarnation};
    }
  TARRY_ASSIGN(full_, import_graph(graph, {.colocations_known = false}));
  return place_graph(full_);
}

Status MasterSession::extend(const GraphSpec& more, std::int64_t expected_version) {
  if (expected_version != version_) return error(Code::kAborted, "Current version is {} but caller expected {}.", version_, expected_version);
  for (const NodeSpec& n : more.nodes)
    if (full_.find(n.name).valid())
      return invalid("GraphDef argument to Extend includes node '{}', which was created by a previous call to Create or Extend in this session.", n.name);
  Graph extended = full_;
  TARRY_RETURN_IF_ERROR(extend_graph(extended, more, {.colocations_known = false}));
  TARRY_RETURN_IF_ERROR(place_graph(extended));
  full_ = std::move(extended);
  ++version_;
  return {};
}

// ---- a signature -----------------------------------------------------------------------------------------------------------------------

Status MasterSession::cut(const Signature& signature, Prepared& prepared) {
  TARRY_ASSIGN(Graph client, make_client_graph(full_, signature, client_));
  PartitionOptions options;
  options.location = [&](NodeId n) { return task_of(devices_[client.node(n).assigned].parsed); };
  options.new_name = [this](std::string_view prefix) { return fmt::format("{}_S{}", prefix, names_++); };
  options.incarnation = [this](std::string_view device) {
    const DeviceId id = devices_.find(device);
    return id.valid() ? devices_[id].incarnation : 0;
  };
  TARRY_ASSIGN(std::vector<Partition> parts, partition(client, devices_, options));
  for (Partition& p : parts) prepared.parts.push_back({directory_.find(p.location), std::make_shared<const GraphSpec>(std::move(p.graph)), ""});
  return {};
}

void MasterSession::prepare(const Signature& signature, StatusCallback done) {
  auto& slot = prepared_[signature];
  if (slot && slot->is_ready) return std::move(done)(slot->status);
  const bool is_first = !slot;
  if (is_first) slot = std::make_unique<Prepared>();
  slot->waiting.push_back(std::move(done));
  if (!is_first) return;
  Prepared& prepared = *slot;
  prepared.status = cut(signature, prepared);
  register_parts(prepared);
}

void MasterSession::register_parts(Prepared& prepared) {
  const auto finish = [&prepared] {
    prepared.is_ready = true;
    for (StatusCallback& w : std::exchange(prepared.waiting, {})) std::move(w)(prepared.status);
  };
  if (!prepared.status.ok() || prepared.parts.empty()) return finish();
  prepared.left = prepared.parts.size();
  for (Part& part : prepared.parts) {
    RegisterGraphRequest request;
    request.session = handle_;
    request.graph = part.graph;
    call(directory_, master_, part.task, std::move(request), [alive = alive_, &part, &prepared, finish](StatusOr<RegisterGraphResponse> handle) {
          if (!*alive) return;
          if (handle.ok())
            part.handle = handle->graph;
          else if (prepared.status.ok())
            prepared.status = handle.status();
          if (--prepared.left == 0) finish();
        });
  }
}

// ---- a step ----------------------------------------------------------------------------------------------------------------------------

void MasterSession::run(const std::vector<FedTensor>& feeds, const std::vector<std::string>& fetches, const std::vector<std::string>& targets, Purpose purpose, RunDone done) {
  if (closed_) return std::move(done)(error(Code::kAborted, "Session {} is not found.", handle_));
  Signature signature{{}, fetches, targets};
  for (const FedTensor& f : feeds) signature.feeds.push_back(f.tensor);
  for (auto* list : {&signature.feeds, &signature.fetches, &signature.targets}) std::ranges::sort(*list);
  auto step = std::make_shared<Step>();
  step->id = StepId{directory_.env.random().next() >> 7};
  step->purpose = purpose;
  step->feeds = feeds;
  step->fetches = fetches;
  step->done = std::move(done);
  directory_.env.note(StepBegan{master_, step->id, purpose});
  prepare(signature, [this, signature, step](Status s) {
    if (s.ok()) return launch(*prepared_[signature], step);
    directory_.env.note(StepEnded{master_, step->id, static_cast<int>(s.code())});
    std::move(step->done)(s);
  });
}

void MasterSession::launch(const Prepared& prepared, std::shared_ptr<Step> step) {
  running_.push_back(step);
  step->left = prepared.parts.size();
  for (const Part& part : prepared.parts) step->tasks.push_back(part.task);
  if (prepared.parts.empty()) return finish(step);
  for (std::size_t i = 0; i < prepared.parts.size(); ++i) {
    const Part& part = prepared.parts[i];
    RunGraphRequest request;
    request.session = handle_;
    request.graph = part.handle;
    request.step = step->id;
    request.errors_in_body = true;
    request.request_id = directory_.request_id(step->id, master_, (std::uint64_t{1} << 32) + i);
    if (part.task == master_) {
      for (const FedTensor& f : step->feeds) request.sends.push_back({directory_.env.name(client_key(f.tensor, client_)), f.value});
      for (const std::string& f : step->fetches)
        if (const NameId key = directory_.env.name(client_key(f, client_)); std::ranges::find(request.receives, key) == request.receives.end()) request.receives.push_back(key);
    }
    step->calls.push_back(call(directory_, master_, part.task, std::move(request), [this, alive = alive_, step, i](StatusOr<RunGraphResponse> response) {
      if (*alive) part_finished(step, i, std::move(response));
    }));
  }
}

void MasterSession::part_finished(const std::shared_ptr<Step>& step, std::size_t part, StatusOr<RunGraphResponse> response) {
  if (response.ok() && response->status.ok()) {
    for (NamedTensor& t : response->received) step->received.push_back(std::move(t));
  } else {
    const Status s = with_prefix(response.ok() ? response->status : response.status(), fmt::format("From {}:\n", task_name(step->tasks[part])));
    if (is_derived(s)) {
      if (step->derived.ok()) step->derived = s;
    } else if (!step->cancelled) {
      step->roots.emplace_back(step->tasks[part], s);
      cancel(step);
    }
  }
  if (--step->left == 0) finish(step);
}

// The first cause cancels the step everywhere: queue ops end at once, receives too.
void MasterSession::cancel(const std::shared_ptr<Step>& step) {
  if (std::exchange(step->cancelled, true)) return;
  const auto calls = step->calls;  // an answer may end the step
  for (const CallRef& c : calls) c->cancel();
}

void MasterSession::finish(const std::shared_ptr<Step>& step) {
  std::erase(running_, step);
  const Status result = !step->roots.empty() ? step->roots.front().second : step->derived;
  directory_.env.note(StepEnded{master_, step->id, static_cast<int>(result.code())});
  for (const TaskId t : step->tasks) {
    CleanupGraphRequest cleanup;
    cleanup.step = step->id;
    call(directory_, master_, t, cleanup, [](StatusOr<Empty>) {});
  }
  if (!result.ok()) return std::move(step->done)(result);
  std::vector<TensorRef> fetched;
  for (const std::string& f : step->fetches) {
    const NameId key = directory_.env.name(client_key(f, client_));
    const auto it = std::ranges::find(step->received, key, &NamedTensor::key);
    if (it == step->received.end()) return std::move(step->done)(error(Code::kInternal, "fetch {} was not returned", f));
    fetched.push_back(it->tensor);
  }
  std::move(step->done)(std::move(fetched));
}

void MasterSession::close(StatusCallback done) {
  closed_ = true;
  const auto running = running_;
  for (const auto& step : running) {
    if (!step->cancelled) step->roots.emplace_back(master_, error(Code::kCancelled, "Step was cancelled by an explicit call to `Session::Close()`."));
    cancel(step);
  }
  auto left = std::make_shared<std::size_t>(tasks_.size());
  auto finished = std::make_shared<StatusCallback>(std::move(done));
  for (const TaskId t : tasks_) {
    DeleteWorkerSessionRequest request;
    request.session = handle_;
    call(directory_, master_, t, request, [left, finished](StatusOr<Empty>) {
      if (--*left == 0) std::move (*finished)(Status());
    });
  }
}

// ---- creation --------------------------------------------------------------------------------------------------------------------------

struct MasterSession::Creation {
  std::unique_ptr<MasterSession> session;
  std::shared_ptr<const GraphSpec> graph;
  Created done;
  std::size_t left = 0;
  std::vector<std::vector<DeviceAttributes>> found;  // by task
  Status status;
};

namespace {

bool is_admitted(const TaskInfo& task, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  return std::ranges::any_of(filters, [&](const std::string& filter) {
    const auto pattern = parse_device_name(filter);
    return pattern && std::ranges::any_of(task.devices, [&](const std::string& d) { return is_specification(*pattern, *parse_device_name(d)); });
  });
}

}  // namespace

void MasterSession::create(Directory& directory, TaskId master, std::shared_ptr<const GraphSpec> graph, SessionOptions options, Created done) {
  auto creation = std::make_shared<Creation>();
  creation->session.reset(new MasterSession(directory, master, std::move(options)));
  creation->graph = std::move(graph);
  creation->done = std::move(done);
  MasterSession& session = *creation->session;
  for (std::size_t i = 0; i < directory.tasks.size(); ++i)
    if (TaskId{i} == master || is_admitted(directory.tasks[i], session.options_.device_filters)) session.tasks_.push_back(TaskId{i});
  session.ask_devices(creation);
}

// GetStatus to every task; then the graph is placed; then a worker session on every task.
void MasterSession::ask_devices(const std::shared_ptr<Creation>& c) {
  c->left = tasks_.size();
  c->found.resize(tasks_.size());
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    call(directory_, master_, tasks_[i], GetStatusRequest{}, [this, c, i](StatusOr<GetStatusResponse> r) {
      if (r.ok()) c->found[i] = std::move(r->devices);
      else if (c->status.ok()) c->status = r.status();
      if (--c->left > 0) return;
      if (c->status.ok()) c->status = build(*c->graph, c->found);
      if (!c->status.ok()) return std::move(c->done)(c->status);
      open_worker_sessions(c);
    });
}

void MasterSession::open_worker_sessions(const std::shared_ptr<Creation>& c) {
  c->left = tasks_.size();
  for (const TaskId t : tasks_) {
    CreateWorkerSessionRequest request;
    request.session = handle_;
    call(directory_, master_, t, std::move(request), [c](StatusOr<Empty> r) {
      if (c->status.ok()) c->status = r.status();
      if (--c->left > 0) return;
      if (!c->status.ok()) return std::move(c->done)(c->status);
      std::move(c->done)(std::move(c->session));
    });
  }
}

}  // namespace tarry
