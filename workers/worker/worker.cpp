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
      task_(task),
      process_(directory.life(task)),
      names_(directory, task),
      own_devices_(directory, task, names_, options.values_up_to),
      devices_(own_devices_.make(names_.own())),
      sessions_(
          directory.env, names_.own(), *devices_, [this](const std::string& name) { return own_devices_.make(name); },
          knowing(options.graphs, directory.known)),
      keys_(directory, names_, *devices_),
      steps_(directory, task),
      log_(directory.env, task, options.forwarded_log_lines),
      runs_(directory, task, keys_, steps_, log_) {}

// ---- for an audit ----

void Worker::note(AuditFact fact) const {
  if (directory_.auditor == nullptr) return;
  fact.task = task_;
  fact.process = process_;
  directory_.auditor->note(fact);
}

void Worker::note_session(AuditFact::What what, const std::string& handle) const {
  if (Auditor* a = directory_.auditor) note({.what = what, .text = a->text(handle)});
}

void Worker::rest(Auditor& auditor, AuditRest r, std::array<std::size_t, 4> n) const {
  r.task = task_, r.process = process_;
  r.a = static_cast<std::int64_t>(n[0]), r.b = static_cast<std::int64_t>(n[1]);
  r.c = static_cast<std::int64_t>(n[2]), r.d = static_cast<std::int64_t>(n[3]);
  auditor.rest(r);
}

void Worker::audit(Auditor& auditor, std::string_view name, const Resource& resource) const {
  if (const auto* found = dynamic_cast<const QueueResource*>(&resource)) {
    const FifoQueue& q = found->queue;
    rest(auditor, {.what = AuditRest::What::queue, .name = auditor.text(name)},
         {q.inside(), q.waiting_dequeues(), q.is_closed() ? 1U : 0U, q.lost()});
  }
  if (const auto* found = dynamic_cast<const AccumulatorResource*>(&resource)) {
    const Accumulator& a = found->accumulator;
    rest(auditor, {.what = AuditRest::What::accumulator, .name = auditor.text(name)},
         {static_cast<std::size_t>(a.count()), static_cast<std::size_t>(a.step()), a.waiting_takes(),
          static_cast<std::size_t>(a.first_requires())});
  }
}

void Worker::audit(Auditor& auditor) const {
  for (const auto& device : devices_->devices)
    device->resources.for_each([&](std::string_view name, const Resource& r) { audit(auditor, name, r); });
  steps_.for_each([&](StepId step, const StepRendezvous& r) {
    rest(auditor, {.what = AuditRest::What::rendezvous, .step = step},
         {r.values(), r.waiting(), r.deferred(), r.is_aborted() ? 1U : 0U});
  });
  sessions_.for_each([&](const std::string& handle, const WorkerSession& s) {
    rest(auditor, {.what = AuditRest::What::session, .name = auditor.text(handle)},
         {directory_.find(s.master_task).value, s.master_incarnation, 0, 0});
  });
}

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
  mark_if(*garbage > 0, directory_.auditor, Mark::older_sessions_dropped);
  if (*garbage > 0)
    log_.add('I',
             fmt::format("When creating WorkerSession for master task {}, found old WorkerSessions created by the same "
                         "master task with a different incarnation. "
                         "These sessions will be garbage collected. Current WorkerSession count: {}",
                         request.master_task, *garbage));
  note_session(AuditFact::What::session_opened, request.session);
  call.answer(Empty{});
}

void Worker::serve(DeleteWorkerSessionRequest request, ServerCall<Empty> call) {
  note_session(AuditFact::What::session_deleted, request.session);
  if (directory_.planted != PlantedClusterBug::sessions_kept) sessions_.remove(request.session);
  call.answer(Empty{});
}

void Worker::serve(RegisterGraphRequest request, ServerCall<RegisterGraphResponse> call) {
  const auto session = sessions_.find(request.session, request.session_was_created);
  mark_if(!session.ok(), directory_.auditor, Mark::graph_for_unknown_session);
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

bool Worker::is_first(std::uint64_t request_id, StepId step) {
  const bool is_new = request_ids_.insert(request_id);
  mark_if(!is_new, directory_.auditor, Mark::request_seen_twice);
  if (!is_new && directory_.planted != PlantedClusterBug::request_id_forgotten) return false;
  if (request_id != 0) note({.what = AuditFact::What::request_taken, .step = step, .number = request_id});
  return true;
}

// The id is remembered before anything else is looked at.
StatusOr<std::shared_ptr<WorkerSession>> Worker::session_of(const RunGraphRequest& request) {
  if (!is_first(request.request_id, request.step))
    return received_twice(request.is_partial ? "PartialRunGraph (Worker)" : "RunGraph (Worker)",
                          text_of(directory_.env, request));
  auto session = sessions_.find(request.session, request.session_was_created);
  mark_if(!session.ok(), directory_.auditor, Mark::run_in_unknown_session);
  if (session.ok()) note_session(AuditFact::What::session_used, request.session);
  return session;
}

void Worker::serve(RunGraphRequest request, ServerCall<RunGraphResponse> call) {
  const auto r = std::make_shared<RunGraphCall>(runs_, std::move(request), std::move(call));
  const auto session = session_of(r->request);
  if (!session.ok()) return r->finish(session.status());
  runs_.start(r, *(*session)->graphs);
}

void Worker::serve(RecvTensorRequest request, ServerCall<RecvTensorResponse> call) {
  if (!is_first(request.request_id, request.step))
    return call.answer(received_twice("RecvTensor (GrpcWorker)", text_of(directory_.env, request)));
  const CheckedKey& checked = keys_.check(request.key.text);
  mark_if(checked.wanted != checked.own, directory_.auditor, Mark::tensor_asked_of_earlier_process);
  if (!checked.served.ok()) return call.answer(checked.served);
  note({.what = AuditFact::What::tensor_asked, .step = request.step, .number = checked.wanted, .other = checked.own});
  TransferKey key = checked.key;
  key.key = request.key;
  call.on_cancel([this, step = request.step] {
    mark(directory_.auditor, Mark::tensor_given_up);
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
  note({.what = AuditFact::What::cleaned_up, .step = request.step, .number = steps_.holds(request.step) ? 1U : 0U});
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
