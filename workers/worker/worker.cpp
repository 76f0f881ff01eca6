#include "workers/worker/worker.hpp"

#include <utility>

#include "placer/core/hash.hpp"
#include "placer/core/text.hpp"
#include "workers/kernels/logged_error.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/request_text.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kCpuMemory = 256 << 20;  // what a CPU device says it has
constexpr Nanos kAbortDelay = 1'000'000'000;    // so that the cause travels first (docs/rules/runtime.md#D.4)

GraphManagerOptions knowing(GraphManagerOptions options, KnownJob* known) {
  options.known = known;
  return options;
}

}  // namespace

Worker::Worker(Directory& directory, TaskId task, WorkerOptions options)
    : directory_(directory),
      task_(task),
      options_(options),
      devices_(make_devices(name())),
      sessions_(
          directory.env, name(), *devices_, [this](const std::string& t) { return make_devices(t); },
          knowing(options.graphs, directory.known)) {}

Worker::~Worker() {
  while (!running_.empty()) {
    const auto run = running_.front().shared_from_this();
    running_.pop_front();
    run->let_go();
  }
}

std::unique_ptr<LocalDevices> Worker::make_devices(const std::string& task) {
  auto devices = std::make_unique<LocalDevices>();
  for (const std::string& device : directory_.tasks[task_.index()].devices)
    add_device(*devices, device, task + device.substr(name().size()));
  return devices;
}

void Worker::add_device(LocalDevices& devices, const std::string& own_name, const std::string& name) {
  // A device's incarnation is chosen when its process starts: another one after a restart
  // (docs/rules/runtime.md#vocabulary).
  const std::uint64_t incarnation = hash64(own_name, directory_.tasks[task_.index()].incarnation) | 1;
  const auto id = devices.set.add(name, "", incarnation);
  check(id.ok(), "a task has a device with a malformed name");
  auto device = std::make_unique<LocalDevice>();
  device->resources.default_container = *devices.set[*id].parsed.job;
  device->host = {&directory_.env,
                  task_,
                  name,
                  directory_.env.name(name),
                  &device->resources,
                  [this](std::string_view d) { return task_of(d); },
                  options_.values_up_to,
                  &directory_.files};
  device->host.private_names = private_names_;
  device->host.memory = directory_.env.memory_of(task_, own_name);
  devices.devices.push_back(std::move(device));
}

void Worker::log(char level, std::string_view text) {
  directory_.env.note(LogLine{task_, level, directory_.env.name(text)});
  if (level == 'I' || options_.forwarded_log_lines == 0) return;
  recent_warnings_.emplace_back(text);
  if (recent_warnings_.size() > options_.forwarded_log_lines) recent_warnings_.pop_front();
}

Status Worker::with_recent_warnings(Status s) {
  if (const std::string line = take_log_line(s); !line.empty()) log('W', line);
  if (s.ok() || recent_warnings_.empty()) return s;
  return with_suffix(s, "\nRecent warning and error logs:\n  " +
                            join(std::vector<std::string>(recent_warnings_.begin(), recent_warnings_.end()), "\n  "));
}

// A session may bring its own names of the tasks, by their addresses.
void Worker::learn_names(const ServerDef& server) {
  for (const auto& [job, tasks] : server.cluster->jobs)
    for (const auto& [task, address] : tasks)
      if (const TaskId id = directory_.at_address(address); id.valid())
        renamed_[fmt::format("/job:{}/replica:0/task:{}", job, task)] = id;
}

TaskId Worker::task_of(std::string_view device) const {
  if (renamed_.empty()) return directory_.task_of_device(device);
  const auto name = parse_device_name(device);
  const auto it =
      name && name->job && name->replica && name->task ? renamed_.find(tarry::task_of(*name)) : renamed_.end();
  return it == renamed_.end() ? directory_.task_of_device(device) : it->second;
}

bool Worker::is_own(std::string_view device) const {
  return device.starts_with(name()) || (!renamed_.empty() && task_of(device) == task_);
}

// ---- sessions and graphs ----

void Worker::serve(GetStatusRequest, ServerCall<GetStatusResponse> call) {
  if (is_wedged_) return;
  GetStatusResponse r;
  for (std::size_t i = 0; i < devices_->set.size(); ++i) {
    const Device& d = devices_->set[DeviceId{i}];
    r.devices.push_back({d.name, d.type, kCpuMemory, d.incarnation, d.type == "CPU" ? -1 : 0});
  }
  call.answer(std::move(r));
}

void Worker::serve(CreateWorkerSessionRequest request, ServerCall<Empty> call) {
  if (is_wedged_) return;
  if (request.server.cluster) learn_names(request.server);
  const auto garbage = sessions_.create(request);
  if (!garbage.ok()) return call.answer(garbage.status());
  if (*garbage > 0)
    log('I', fmt::format("When creating WorkerSession for master task {}, found old WorkerSessions created by the same "
                         "master task with a different incarnation. "
                         "These sessions will be garbage collected. Current WorkerSession count: {}",
                         request.master_task, *garbage));
  call.answer(Empty{});
}

void Worker::serve(DeleteWorkerSessionRequest request, ServerCall<Empty> call) {
  if (is_wedged_) return;
  sessions_.remove(request.session);
  call.answer(Empty{});
}

void Worker::serve(RegisterGraphRequest request, ServerCall<RegisterGraphResponse> call) {
  if (is_wedged_) return;
  const auto session = sessions_.find(request.session, request.session_was_created);
  if (!session.ok()) return call.answer(session.status());
  auto handle = (*session)->graphs->register_graph(request.graph, request.options);
  if (!handle.ok()) return call.answer(handle.status());
  call.answer(RegisterGraphResponse{*std::move(handle)});
}

void Worker::serve(DeregisterGraphRequest request, ServerCall<Empty> call) {
  if (is_wedged_) return;
  const auto session = sessions_.find(request.session, request.session_was_created);
  const Status s = session.ok() ? (*session)->graphs->deregister(request.graph) : session.status();
  call.answer(s.ok() ? StatusOr<Empty>(Empty{}) : s);
}

// ---- rendezvous ----

std::shared_ptr<StepRendezvous> Worker::rendezvous(StepId step) {
  auto& r = rendezvous_[step];
  if (!r) r = std::make_shared<StepRendezvous>(directory_, task_, step, &transfers_);
  return r;
}

void Worker::release_if_idle(StepId step, const std::shared_ptr<StepRendezvous>& r) {
  if (!r->is_idle()) return;
  const auto it = rendezvous_.find(step);
  if (it != rendezvous_.end() && it->second == r) rendezvous_.erase(it);
}

void Worker::abort_step_later(StepId step) {
  directory_.env.after(task_, kAbortDelay, [r = rendezvous(step), step] {
    r->abort(error(Code::kAborted, "Step {} cancelled.  Cancelling rendezvous.", step.value));
  });
}

// A sender is found by type and number alone, whatever task its name says (seen in 2.15.1).
Status Worker::check_sender(const ParsedKey& key) const {
  const auto sender = parse_device_name(key.send_device);
  for (std::size_t i = 0; i < devices_->set.size(); ++i) {
    const Device& d = devices_->set[DeviceId{i}];
    if (d.parsed.type != sender->type || d.parsed.id != sender->id) continue;
    if (d.incarnation == key.incarnation) return {};
    return possibly_restarted(error(Code::kAborted,
                                    "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job "
                                    "(\"{}\") was probably restarted. Check your "
                                    "worker job for the reason why it was restarted.",
                                    key.incarnation, d.incarnation, name()));
  }
  return invalid("/device:{}:{} unknown device.", sender->type.value_or("*"),
                 sender->id ? fmt::format("{}", *sender->id) : "*");
}

Worker::CheckedKey Worker::parse(NameId text) const {
  CheckedKey c;
  c.key.key.text = text;
  const auto parsed = parse_key(directory_.env.text(text));
  c.parsed = c.served = parsed.status();
  if (!parsed.ok()) return c;
  c.served = check_sender(*parsed);
  c.key.source = task_of(parsed->send_device);
  c.key.is_own = is_own(parsed->send_device);
  c.receives_here = is_own(parsed->recv_device);
  return c;
}

const Worker::CheckedKey& Worker::check_key(NameId text) {
  const auto [it, is_new] = keys_.try_emplace(text);
  if (is_new) it->second = parse(text);
  return it->second;
}

void Worker::serve(RecvTensorRequest request, ServerCall<RecvTensorResponse> call) {
  if (is_wedged_) return;
  if (!request_ids_.insert(request.request_id))
    return call.answer(received_twice("RecvTensor (GrpcWorker)", text_of(directory_.env, request)));
  const CheckedKey& checked = check_key(request.key.text);
  if (!checked.served.ok()) return call.answer(checked.served);
  TransferKey key = checked.key;
  key.key = request.key;
  call.on_cancel([this, step = request.step] {
    log('W', fmt::format("RecvTensor cancelled for {}", step.value));
    abort_step_later(step);
  });
  const auto r = rendezvous(request.step);
  r->receive_for_peer(key, [call](StatusOr<Received> value) {
    if (!value.ok()) return call.answer(value.status());
    value->tensor = snapshot(value->tensor);
    call.answer(RecvTensorResponse{*std::move(value)});
  });
  release_if_idle(request.step, r);
}

void Worker::serve(CleanupGraphRequest request, ServerCall<Empty> call) {
  if (is_wedged_) return;
  if (auto found = rendezvous_.extract(request.step); !found.empty())
    found.mapped()->abort(error(Code::kAborted, "Cleanup {}", request.step.value));
  call.answer(Empty{});
}

void Worker::serve(CleanupAllRequest request, ServerCall<Empty> call) {
  if (is_wedged_) return;
  if (request.containers.empty()) request.containers.emplace_back();
  for (const auto& device : devices_->devices)
    for (const std::string& container : request.containers) device->resources.clear(container);
  call.answer(Empty{});
}

void Worker::serve(LoggingRequest request, ServerCall<LoggingResponse> call) {
  if (is_wedged_) return;
  transfers_.apply(request);
  call.answer(transfers_.take(request.fetch));
}

void Worker::serve(TracingRequest, ServerCall<Empty> call) {
  if (!is_wedged_) call.answer(error(Code::kUnimplemented, "Tracing"));
}

void Worker::serve(MarkRecvFinishedRequest, ServerCall<Empty> call) {
  if (!is_wedged_) call.answer(Empty{});
}

}  // namespace tarry
