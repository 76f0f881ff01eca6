#include "workers/worker/worker.hpp"

#include <utility>

#include "workers/worker/request_text.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kCpuMemory = 256 << 20;  // what a CPU device says it has

GraphManagerOptions knowing(GraphManagerOptions options, KnownJob* known) {
  options.known = known;
  return options;
}

}  // namespace

Worker::Worker(Directory& directory, TaskId task, const WorkerOptions& options)
    : directory_(directory),
      names_(directory, task),
      own_devices_(directory, task, names_, options.values_up_to),
      devices_(own_devices_.make(names_.own())),
      sessions_(
          directory.env, names_.own(), *devices_, [this](const std::string& name) { return own_devices_.make(name); },
          knowing(options.graphs, directory.known)),
      keys_(directory, names_, *devices_),
      steps_(directory, task),
      log_(directory.env, task, options.forwarded_log_lines),
      runs_(directory, keys_, steps_, log_) {}

void Worker::serve(GetStatusRequest, ServerCall<GetStatusResponse> call) {
  GetStatusResponse r;
  for (std::size_t i = 0; i < devices_->set.size(); ++i) {
    const Device& d = devices_->set[DeviceId{i}];
    r.devices.push_back({d.name, d.type, kCpuMemory, d.incarnation, d.type == "CPU" ? -1 : 0});
  }
  call.answer(std::move(r));
}

void Worker::serve(CreateWorkerSessionRequest request, ServerCall<Empty> call) {
  if (request.server.cluster) names_.learn(request.server);
  const auto garbage = sessions_.create(request);
  if (!garbage.ok()) return call.answer(garbage.status());
  if (*garbage > 0)
    log_.add('I',
             fmt::format("When creating WorkerSession for master task {}, found old WorkerSessions created by the same "
                         "master task with a different incarnation. "
                         "These sessions will be garbage collected. Current WorkerSession count: {}",
                         request.master_task, *garbage));
  call.answer(Empty{});
}

void Worker::serve(DeleteWorkerSessionRequest request, ServerCall<Empty> call) {
  sessions_.remove(request.session);
  call.answer(Empty{});
}

void Worker::serve(RegisterGraphRequest request, ServerCall<RegisterGraphResponse> call) {
  const auto session = sessions_.find(request.session, request.session_was_created);
  if (!session.ok()) return call.answer(session.status());
  auto handle = (*session)->graphs->register_graph(request.graph, request.options);
  if (!handle.ok()) return call.answer(handle.status());
  call.answer(RegisterGraphResponse{*std::move(handle)});
}

void Worker::serve(DeregisterGraphRequest request, ServerCall<Empty> call) {
  const auto session = sessions_.find(request.session, request.session_was_created);
  const Status s = session.ok() ? (*session)->graphs->deregister(request.graph) : session.status();
  call.answer(s.ok() ? StatusOr<Empty>(Empty{}) : s);
}

// The id is remembered before anything else is looked at.
StatusOr<std::shared_ptr<WorkerSession>> Worker::session_of(const RunGraphRequest& request) {
  if (!request_ids_.insert(request.request_id))
    return received_twice(request.is_partial ? "PartialRunGraph (Worker)" : "RunGraph (Worker)",
                          text_of(directory_.env, request));
  return sessions_.find(request.session, request.session_was_created);
}

void Worker::serve(RunGraphRequest request, ServerCall<RunGraphResponse> call) {
  const auto r = std::make_shared<RunGraphCall>(runs_, std::move(request), std::move(call));
  const auto session = session_of(r->request);
  if (!session.ok()) return r->finish(session.status());
  runs_.start(r, *(*session)->graphs);
}

void Worker::serve(RecvTensorRequest request, ServerCall<RecvTensorResponse> call) {
  if (!request_ids_.insert(request.request_id))
    return call.answer(received_twice("RecvTensor (GrpcWorker)", text_of(directory_.env, request)));
  const CheckedKey& checked = keys_.check(request.key.text);
  if (!checked.served.ok()) return call.answer(checked.served);
  TransferKey key = checked.key;
  key.key = request.key;
  call.on_cancel([this, step = request.step] {
    log_.add('W', fmt::format("RecvTensor cancelled for {}", step.value));
    steps_.abort_later(step);
  });
  const auto r = steps_.of(request.step);
  r->receive_for_peer(key, [call](StatusOr<Received> value) {
    if (!value.ok()) return call.answer(value.status());
    value->tensor = snapshot(value->tensor);
    call.answer(RecvTensorResponse{*std::move(value)});
  });
  steps_.release_if_idle(request.step, r);
}

void Worker::serve(CleanupGraphRequest request, ServerCall<Empty> call) {
  steps_.clean_up(request.step);
  call.answer(Empty{});
}

void Worker::serve(CleanupAllRequest request, ServerCall<Empty> call) {
  if (request.containers.empty()) request.containers.emplace_back();
  for (const auto& device : devices_->devices)
    for (const std::string& container : request.containers) device->resources.clear(container);
  call.answer(Empty{});
}

void Worker::serve(LoggingRequest request, ServerCall<LoggingResponse> call) {
  steps_.transfers().apply(request);
  call.answer(steps_.transfers().take(request.fetch));
}

void Worker::serve(TracingRequest, ServerCall<Empty> call) { call.answer(error(Code::kUnimplemented, "Tracing")); }

void Worker::serve(MarkRecvFinishedRequest, ServerCall<Empty> call) { call.answer(Empty{}); }

}  // namespace tarry
