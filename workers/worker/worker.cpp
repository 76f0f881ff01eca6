#include "workers/worker/worker.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "placer/core/hash.hpp"

namespace tarry {

std::uint64_t wire_bytes(const GraphSpec& graph) {
  return std::accumulate(graph.nodes.begin(), graph.nodes.end(), std::uint64_t{16}, [](std::uint64_t sum, const NodeSpec& n) {
    for (const std::string& input : n.inputs) sum += input.size() + 2;
    for (const auto& [name, value] : n.attrs) sum += name.size() + 16;
    return sum + n.name.size() + n.op.size() + n.device.size() + 12;
  });
}

// One RunGraph in progress: its executors, then its outputs, then its reply.
struct Worker::RunningStep {
  RunGraphRequest request;
  Responder<StatusOr<RunGraphResponse>> respond;
  StepContext context;
  ExecutorStep executor_step;
  Status status;  // the first error of any executor
  std::size_t executors_left = 0, outputs_left = 0;
  RunGraphResponse response;

  void reply() {
    if (!status.ok()) return std::move(respond)(status, 100);
    std::uint64_t bytes = 32;
    for (const NamedTensor& t : response.received) bytes += t.tensor->bytes() + 100;
    std::move(respond)(std::move(response), bytes);
  }
};

Worker::Worker(Directory& directory, TaskId task, std::int64_t values_up_to) : directory_(directory), task_(task), values_up_to_(values_up_to) {
  for (const std::string& name : directory.tasks[task.index()].devices) add_device(name);
}

void Worker::add_device(const std::string& name) {
  // A device's incarnation is chosen when its process starts: another one after a restart (runtime.md, vocabulary).
  const std::uint64_t incarnation = hash64(name, directory_.tasks[task_.index()].incarnation) | 1;
  const auto id = devices_.set.add(name, "", incarnation);
  check(id.ok(), "a task has a device with a malformed name");
  auto device = std::make_unique<LocalDevice>();
  device->resources.default_container = *devices_.set[*id].parsed.job;
  device->host = {&directory_.env, task_, name, directory_.env.name(name), &device->resources,
                  [this](std::string_view d) { return directory_.task_of_device(d); }, values_up_to_};
  devices_.devices.push_back(std::move(device));
}

void Worker::create_session(const std::string& handle, Responder<Status> respond) {
  if (handle.empty()) return std::move(respond)(invalid("Session must be non-empty."), 0);
  auto& session = sessions_[handle];
  if (!session) session = std::make_unique<GraphManager>(directory_.env, devices_);
  std::move(respond)(Status(), 0);
}

void Worker::delete_session(const std::string& handle, Responder<Status> respond) {
  sessions_.erase(handle);
  std::move(respond)(Status(), 0);
}

StatusOr<GraphManager*> Worker::find_session(const std::string& handle) {
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) return it->second.get();
  return error(Code::kAborted, "Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.", handle, directory_.tasks[task_.index()].name);
}

void Worker::register_graph(const RegisterGraphRequest& request, Responder<StatusOr<std::string>> respond) {
  const auto session = find_session(request.session);
  if (!session.ok()) return std::move(respond)(session.status(), 100);
  std::move(respond)((*session)->register_graph(*request.graph), 32);
}

StepRendezvous& Worker::rendezvous(StepId step) {
  auto& r = rendezvous_[step];
  if (!r) r = std::make_unique<StepRendezvous>(directory_, task_, step);
  return *r;
}

void Worker::run_graph(RunGraphRequest request, Responder<StatusOr<RunGraphResponse>> respond) {
  const auto session = find_session(request.session);
  if (!session.ok()) return std::move(respond)(session.status(), 100);
  GraphItem* item = (*session)->find(request.graph);
  if (item == nullptr) return std::move(respond)(error(Code::kAborted, "Graph handle is not found: {}", request.graph), 100);
  auto step = std::make_shared<RunningStep>();
  step->request = std::move(request);
  step->respond = std::move(respond);
  StepRendezvous& table = rendezvous(step->request.step);
  step->context.id = step->request.step;
  step->context.rendezvous = &table;
  step->executor_step.context = &step->context;
  step->executor_step.on_first_error = [&table, context = &step->context](const Status& s) {
    table.abort(s);
    context->cancellation.start();
  };
  running_[step->request.step].push_back(step);
  for (NamedTensor& fed : step->request.sends) (void)table.table.send(fed.key, {fed.tensor, false});
  step->executors_left = item->executors.size();
  if (item->executors.empty()) return finish_executors(step);
  for (const auto& executor : item->executors)
    executor->run(step->executor_step, [this, step](Status s) {
      if (step->status.ok()) step->status = std::move(s);
      if (--step->executors_left == 0) finish_executors(step);
    });
}

void Worker::finish_executors(const std::shared_ptr<RunningStep>& step) {
  nodes_run_ += step->context.nodes_run;
  auto& running = running_[step->request.step];
  std::erase(running, step);
  if (running.empty()) running_.erase(step->request.step);
  if (!step->status.ok() || step->request.receives.empty()) return step->reply();
  fetch_outputs(step);
}

void Worker::fetch_outputs(const std::shared_ptr<RunningStep>& step) {
  StepRendezvous& table = rendezvous(step->request.step);
  step->outputs_left = step->request.receives.size();
  step->response.received.resize(step->request.receives.size());
  for (std::size_t i = 0; i < step->request.receives.size(); ++i) {
    table.table.receive(step->request.receives[i], nullptr, [step, i](StatusOr<Received> value) {
      if (value.ok() && !value->is_dead)
        step->response.received[i] = {step->request.receives[i], snapshot(value->tensor)};
      else if (step->status.ok())
        step->status = error(Code::kInternal, "Failed to fetch outputs for step {}. (Original error message: {})", step->request.step.value,
                             value.ok() ? "The tensor returned was not valid." : text_of(value.status()));
      if (--step->outputs_left == 0) step->reply();
    });
  }
}

void Worker::recv_tensor(const RecvTensorRequest& request, Responder<StatusOr<Received>> respond) {
  rendezvous(request.step).table.receive(request.key, nullptr, [respond = std::move(respond)](StatusOr<Received> value) mutable {
    const std::uint64_t bytes = value.ok() && value->tensor ? value->tensor->bytes() : 0;
    if (value.ok()) value->tensor = snapshot(value->tensor);
    std::move(respond)(std::move(value), bytes);
  });
}

void Worker::cleanup_graph(StepId step, Responder<Status> respond) {
  if (auto found = rendezvous_.extract(step); !found.empty()) found.mapped()->abort(error(Code::kAborted, "Cleanup {}", step.value));
  std::move(respond)(Status(), 0);
}

void Worker::cancel_step(StepId step) {
  const auto it = running_.find(step);
  if (it == running_.end()) return;
  const auto steps = it->second;
  for (const auto& s : steps) s->context.cancellation.start();
}

}  // namespace tarry
