#include "workers/master/master.hpp"

#include <algorithm>
#include <utility>

#include "workers/worker/request_text.hpp"

namespace tarry {
namespace {

const char* kRestarted = " Possibly, this master has restarted.";

Status not_found(Code code, const std::string& session, const char* more = "") {
  return error(code, "Session {} is not found.{}", session, more);
}

template <class Response>
OnCancel on_cancel_of(const ServerCall<Response>& call) {
  return [call](Callback f) { call.on_cancel(std::move(f)); };
}

void answer(const ServerCall<Empty>& call, const Status& s) { call.answer(s.ok() ? StatusOr<Empty>(Empty{}) : s); }

// As protobuf prints it, a line a field.
std::string debug_string(const ClusterDef& cluster) {
  std::string out;
  for (const auto& [job, tasks] : cluster.jobs) {
    out += fmt::format("job {{\n  name: \"{}\"\n", job);
    for (const auto& [task, address] : tasks)
      out += fmt::format("  tasks {{\n    key: {}\n    value: \"{}\"\n  }}\n", task, address);
    out += "}\n";
  }
  return out;
}

// On one line: a line's end and the indent behind it become a blank.
std::string short_debug_string(const ClusterDef& cluster) {
  std::string out;
  bool is_between = false;
  for (const char c : debug_string(cluster)) {
    if (c == '\n' || (is_between && c == ' ')) {
      is_between = true;
      continue;
    }
    if (std::exchange(is_between, false)) out += ' ';
    out += c;
  }
  return out;
}

struct JobTask {
  std::string job;
  int task = 0;
};

std::vector<JobTask> tasks_at(const ClusterDef& cluster, std::string_view address) {
  std::vector<JobTask> found;
  for (const auto& [job, tasks] : cluster.jobs)
    for (const auto& [task, at] : tasks)
      if (at == address) found.push_back({job, task});
  return found;
}

// The client's config over the server's.
SessionConfig merged(const SessionConfig& server, SessionConfig client) {
  client.device_count.insert(server.device_count.begin(), server.device_count.end());
  client.disable_optimize_for_static_graph = true;  // a session may be extended
  return client;
}

}  // namespace

StatusOr<MasterSession*> Master::find(const std::string& session) {
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return not_found(Code::kAborted, session);
  return it->second.get();
}

template <class Request>
StatusOr<MasterSession*> Master::admit(const Request& request, const char* method) {
  if (!request_ids_.insert(request.request_id)) return received_twice(method, text_of(request));
  return find(request.session);
}

bool Master::is_wedged() const {
  const auto wedged = [](const std::unique_ptr<MasterSession>& s) { return s->is_wedged(); };
  return std::ranges::any_of(sessions_, [&](const auto& entry) { return wedged(entry.second); }) ||
         std::ranges::any_of(closed_, wedged);
}

// ---- creating, extending, closing ----

StatusOr<SessionOptions> Master::session_options(const CreateSessionRequest& request) const {
  SessionOptions o;
  o.device_filters = request.config.device_filters;
  o.soft_placement = request.config.allow_soft_placement;
  o.config = std::make_shared<const SessionConfig>(merged(options_.default_config, request.config));
  if (!request.config.cluster.jobs.empty()) TARRY_RETURN_IF_ERROR(use_cluster(o, request));
  return o;
}

// The client names the tasks; which of them the master is, the address tells that the client called.
Status Master::use_cluster(SessionOptions& o, const CreateSessionRequest& request) const {
  const ClusterDef& cluster = request.config.cluster;
  std::string_view address = request.target;
  if (address.starts_with("grpc://")) address.remove_prefix(7);
  const DeviceName own = *parse_device_name(directory_.tasks[task_.index()].name);
  const std::vector<JobTask> matching = tasks_at(cluster, address);
  if (matching.empty())
    return invalid("The master (current machine) is not included in the provided cluster_def. {}",
                   debug_string(cluster));
  if (matching[0].job == *own.job && matching[0].task == *own.task)
    return invalid(
        "The ClusterSpec names the job and task index to be the same names that were provided when the server booted. "
        "This is currently not allowed. "
        "Job: {}, task index: {}",
        matching[0].job, matching[0].task);
  if (matching.size() > 1)
    return invalid(
        "Found multiple matching tasks that correspond to to the master. Master target: '{}'. ClusterDef: {}",
        request.target, short_debug_string(cluster));
  for (const auto& [job, tasks] : cluster.jobs)
    for (const auto& [task, at] : tasks)
      if (const TaskId id = directory_.at_address(at); id.valid())
        o.cluster.push_back({fmt::format("/job:{}/replica:0/task:{}", job, task), id});
  return {};
}

void Master::serve(CreateSessionRequest request, ServerCall<CreateSessionResponse> call) {
  if (is_wedged()) return;
  auto options = session_options(request);
  if (!options.ok()) return call.answer(options.status());
  MasterSession::create(directory_, task_, {request.graph}, *std::move(options),
                        [this, call](StatusOr<std::unique_ptr<MasterSession>> created) {
                          if (!created.ok()) return call.answer(created.status());
                          const std::string handle = (*created)->handle();
                          sessions_[handle] = *std::move(created);
                          call.answer(CreateSessionResponse{handle});
                        });
}

void Master::serve(ExtendSessionRequest request, ServerCall<ExtendSessionResponse> call) {
  if (is_wedged()) return;
  const auto session = find(request.session);
  if (!session.ok()) return call.answer(session.status());
  const StatusOr<std::int64_t> version = (*session)->extend(*request.graph, request.current_version);
  call.answer(version.ok() ? StatusOr<ExtendSessionResponse>(ExtendSessionResponse{*version}) : version.status());
}

void Master::close(std::unique_ptr<MasterSession> session, StatusCallback done) {
  closed_.push_back(std::move(session));
  closed_.back()->close(std::move(done));
}

void Master::serve(CloseSessionRequest request, ServerCall<Empty> call) {
  if (is_wedged()) return;
  auto found = sessions_.extract(request.session);
  if (found.empty()) return call.answer(not_found(Code::kAborted, request.session, kRestarted));
  close(std::move(found.mapped()), [call](const Status& s) { answer(call, s); });
}

// ---- steps ----

void Master::run_step(MasterSession& session, RunStepRequest request, const OnCancel& on_cancel, StepDone done) {
  StepInput input{std::move(request.feeds), std::move(request.fetches), std::move(request.targets),
                  request.options.value_or(StepOptions()), Purpose::other};
  if (request.partial_run.empty())
    session.run_step(std::move(input), on_cancel, std::move(done));
  else
    session.run_partially(request.partial_run, std::move(input), on_cancel, std::move(done));
}

void Master::serve(RunStepRequest request, ServerCall<RunStepResponse> call) {
  if (is_wedged()) return;
  auto answer = [call, in_body = request.errors_in_body](StepResult r) {
    if (!r.status.ok() && !in_body) return call.answer(std::move(r.status));
    call.answer(RunStepResponse{std::move(r.fetched), std::move(r.metadata), std::move(r.status)});
  };
  const auto session = admit(request, "RunStep (Master)");
  if (!session.ok()) return answer({session.status()});
  run_step(**session, std::move(request), on_cancel_of(call), std::move(answer));
}

void Master::serve(PartialRunSetupRequest request, ServerCall<PartialRunSetupResponse> call) {
  if (is_wedged()) return;
  const auto session = admit(request, "PartialRunSetup (Master)");
  if (!session.ok()) return call.answer(session.status());
  (*session)->set_up_partial_run(
      {std::move(request.feeds), std::move(request.fetches), std::move(request.targets)},
      [call](StatusOr<std::string> handle) {
        call.answer(handle.ok() ? StatusOr<PartialRunSetupResponse>(PartialRunSetupResponse{*std::move(handle)})
                                : handle.status());
      });
}

void Master::serve(MakeCallableRequest request, ServerCall<MakeCallableResponse> call) {
  if (is_wedged()) return;
  const auto session = admit(request, "MakeCallable (Master)");
  if (!session.ok()) return call.answer(session.status());
  (*session)->make_callable(std::move(request.options), [call](StatusOr<std::int64_t> handle) {
    call.answer(handle.ok() ? StatusOr<MakeCallableResponse>(MakeCallableResponse{*handle}) : handle.status());
  });
}

void Master::serve(RunCallableRequest request, ServerCall<RunCallableResponse> call) {
  if (is_wedged()) return;
  const auto session = admit(request, "RunCallable (Master)");
  if (!session.ok()) return call.answer(session.status());
  (*session)->run_callable(request.handle, std::move(request.feeds), on_cancel_of(call), [call](StepResult r) {
    if (!r.status.ok()) return call.answer(std::move(r.status));
    RunCallableResponse response{{}, std::move(r.metadata)};
    for (FedTensor& f : r.fetched) response.fetched.push_back(std::move(f.value));
    call.answer(std::move(response));
  });
}

void Master::serve(ReleaseCallableRequest request, ServerCall<Empty> call) {
  if (is_wedged()) return;
  const auto session = find(request.session);
  if (session.ok()) (*session)->release_callable(request.handle);
  answer(call, session.status());
}

// ---- the cluster ----

void Master::serve(ListDevicesRequest request, ServerCall<ListDevicesResponse> call) {
  if (is_wedged()) return;
  if (request.session.empty()) return list_cluster(call);
  const auto session = find(request.session);
  if (!session.ok()) return call.answer(not_found(Code::kInvalidArgument, request.session, kRestarted));
  call.answer((*session)->list_devices());
}

void Master::list_cluster(const ServerCall<ListDevicesResponse>& call) {
  const std::vector<NamedTask> tasks = admitted_tasks(directory_, task_, {});
  find_devices(directory_, task_, tasks,
               [this, tasks, call](StatusOr<std::vector<std::vector<DeviceAttributes>>> found) {
                 if (!found.ok()) return call.answer(found.status());
                 ListDevicesResponse r;
                 for (std::size_t i = 0; i < tasks.size(); ++i) {
                   auto& list = tasks[i].task == task_ ? r.local : r.remote;
                   list.insert(list.end(), (*found)[i].begin(), (*found)[i].end());
                 }
                 call.answer(std::move(r));
               });
}

// The sessions are gone at once; they are closed when the workers have let go of their containers.
void Master::serve(ResetRequest request, ServerCall<Empty> call) {
  if (is_wedged()) return;
  const StatusOr<DeviceFilters> filters = DeviceFilters::parse(request.device_filters);
  if (!filters.ok()) return call.answer(filters.status());
  auto sessions = std::make_shared<std::map<std::string, std::unique_ptr<MasterSession>>>(std::exchange(sessions_, {}));
  clean_up_workers(request, *filters, [this, sessions, call](const Status&) {
    for (auto& [handle, session] : *sessions) closing_.push_back(std::move(session));
    close_all([call](const Status& s) { answer(call, s); });
  });
}

void Master::clean_up_workers(const ResetRequest& request, const DeviceFilters& filters, StatusCallback done) {
  const std::vector<NamedTask> tasks = admitted_tasks(directory_, task_, filters);
  auto left = std::make_shared<std::size_t>(tasks.size());
  auto all = std::make_shared<StatusCallback>(std::move(done));
  CleanupAllRequest cleanup;
  cleanup.containers = request.containers;
  for (const NamedTask& t : tasks)
    tarry::call(directory_, task_, t.task, cleanup, [this, left, all](const StatusOr<Empty>& r) {
      if (!r.ok())
        directory_.log(
            task_, 'E',
            fmt::format("Worker CleanupAll failed: {}: {}", code_name(r.status().code()), text_of(r.status())));
      if (--*left == 0) std::move (*all)(Status());
    });
}

// One after the other.
void Master::close_all(StatusCallback done) {
  if (closing_.empty()) return std::move(done)(Status());
  auto session = std::move(closing_.back());
  closing_.pop_back();
  close(std::move(session), [this, done = std::move(done)](const Status&) mutable { close_all(std::move(done)); });
}

}  // namespace tarry
