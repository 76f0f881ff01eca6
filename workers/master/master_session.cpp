#include "workers/master/master_session.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/hash.hpp"
#include "placer/device/merge.hpp"
#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"

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

Status MasterSession::build(const GraphSpec& graph) {
  for (const TaskId t : tasks_) {
    const DeviceSet& local = directory_.workers[t.index()]->devices().set;
    for (std::size_t i = 0; i < local.size(); ++i) {
      const Device& d = local[DeviceId{i}];
      TARRY_ASSIGN(const DeviceId id, devices_.add(d.name, d.type, d.incarnation));
      if (t == master_ && i == 0) client_ = {id, d.name, d.incarnation};
    }
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
  options.new_name = [this](std::string_view prefix) { return fmt::format("{}_S{}", prefix, ++names_); };
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
    call<StatusOr<std::string>>(
        directory_.env, master_, part.task, directory_.rpc.register_graph, wire_bytes(*part.graph),
        [this, &part](Responder<StatusOr<std::string>> respond) { directory_.workers[part.task.index()]->register_graph({handle_, part.graph}, std::move(respond)); },
        [alive = alive_, &part, &prepared, finish](StatusOr<std::string> handle) {
          if (!*alive) return;
          if (handle.ok())
            part.handle = *handle;
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
    RunGraphRequest request{handle_, part.handle, step->id, {}, {}};
    if (part.task == master_) {
      for (const FedTensor& f : step->feeds) request.sends.push_back({directory_.env.name(client_key(f.tensor, client_)), f.value});
      for (const std::string& f : step->fetches)
        if (const NameId key = directory_.env.name(client_key(f, client_)); std::ranges::find(request.receives, key) == request.receives.end()) request.receives.push_back(key);
    }
    call<StatusOr<RunGraphResponse>>(
        directory_.env, master_, part.task, directory_.rpc.run_graph, 200,
        [this, task = part.task, request = std::move(request)](Responder<StatusOr<RunGraphResponse>> respond) mutable {
          directory_.workers[task.index()]->run_graph(std::move(request), std::move(respond));
        },
        [this, alive = alive_, step, i](StatusOr<RunGraphResponse> response) {
          if (*alive) part_finished(step, i, std::move(response));
        });
  }
}

void MasterSession::part_finished(const std::shared_ptr<Step>& step, std::size_t part, StatusOr<RunGraphResponse> response) {
  if (response.ok()) {
    for (NamedTensor& t : response->received) step->received.push_back(std::move(t));
  } else {
    const Status s = with_prefix(response.status(), fmt::format("From {}:\n", task_name(step->tasks[part])));
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
  for (const TaskId t : step->tasks)
    directory_.env.send(master_, t, directory_.rpc.run_graph.request, kMessageOverhead, [this, t, id = step->id](Status s) {
      if (s.ok() && directory_.workers[t.index()]) directory_.workers[t.index()]->cancel_step(id);
    });
}

void MasterSession::finish(const std::shared_ptr<Step>& step) {
  std::erase(running_, step);
  const Status result = !step->roots.empty() ? step->roots.front().second : step->derived;
  directory_.env.note(StepEnded{master_, step->id, static_cast<int>(result.code())});
  for (const TaskId t : step->tasks)
    call<Status>(
        directory_.env, master_, t, directory_.rpc.cleanup_graph, 16,
        [this, t, id = step->id](Responder<Status> respond) { directory_.workers[t.index()]->cleanup_graph(id, std::move(respond)); }, [](Status) {});
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
  for (const TaskId t : tasks_)
    call<Status>(
        directory_.env, master_, t, directory_.rpc.delete_worker_session, 32,
        [this, t](Responder<Status> respond) { directory_.workers[t.index()]->delete_session(handle_, std::move(respond)); },
        [left, finished](Status) {
          if (--*left == 0) std::move (*finished)(Status());
        });
}

// ---- creation --------------------------------------------------------------------------------------------------------------------------

struct MasterSession::Creation {
  std::unique_ptr<MasterSession> session;
  std::shared_ptr<const GraphSpec> graph;
  Created done;
  std::size_t left = 0;
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

// Calls every task; `each` answers; when all have, `then`.
template <class Serve>
void call_all(Directory& directory, TaskId from, const std::vector<TaskId>& tasks, RpcKind kind, std::uint64_t reply_bytes, Serve serve, StatusCallback then) {
  struct Joint {
    std::size_t left;
    Status status;
    StatusCallback then;
  };
  auto joint = std::make_shared<Joint>(Joint{tasks.size(), {}, std::move(then)});
  for (const TaskId t : tasks)
    call<Status>(
        directory.env, from, t, kind, 64,
        [serve, t, reply_bytes](Responder<Status> respond) { serve(t, [respond = std::move(respond), reply_bytes](Status s, std::uint64_t) mutable { std::move(respond)(s, reply_bytes); }); },
        [joint](Status s) {
          if (joint->status.ok()) joint->status = std::move(s);
          if (--joint->left == 0) std::move(joint->then)(joint->status);
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
  const auto fail = [creation](Status s) { std::move(creation->done)(std::move(s)); };
  const auto open = [&directory, creation, fail](Status s) {
    MasterSession& session = *creation->session;
    if (s.ok()) s = session.build(*creation->graph);
    if (!s.ok()) return fail(s);
    call_all(
        directory, session.master_, session.tasks_, directory.rpc.create_worker_session, 0,
        [&directory, handle = session.handle_](TaskId t, Responder<Status> respond) { directory.workers[t.index()]->create_session(handle, std::move(respond)); },
        [creation, fail](Status opened) {
          if (!opened.ok()) return fail(opened);
          std::move(creation->done)(std::move(creation->session));
        });
  };
  const std::uint64_t attributes_bytes = 200;  // of a task's devices
  call_all(directory, master, session.tasks_, directory.rpc.get_status, attributes_bytes, [](TaskId, Responder<Status> respond) { std::move(respond)(Status(), 0); }, open);
}

}  // namespace tarry
