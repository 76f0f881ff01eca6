#include "workers/master/task_sessions.hpp"

#include <memory>
#include <utility>

#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

constexpr Nanos kDeletionTime = 10'000'000'000;  // that a worker has to delete a session

// Calls to all tasks: the first error, when all have answered.
struct Answers {
  std::size_t left;
  StatusCallback done;
  Status status = {};

  void add(const Status& s) {
    if (status.ok()) status = s;
    if (--left == 0) std::move(done)(status);
  }
};

}  // namespace

void TaskSessions::open(std::vector<NamedTask> tasks, const ListDevicesResponse& devices, StatusCallback done) {
  tasks_ = std::move(tasks);
  const auto answers = std::make_shared<Answers>(Answers{tasks_.size(), std::move(done)});
  for (const NamedTask& t : tasks_)
    call(site_.directory, site_.master, t.task, request_for(t, devices),
         [answers](const StatusOr<Empty>& r) { answers->add(r.status()); });
}

CreateWorkerSessionRequest TaskSessions::request_for(const NamedTask& task, const ListDevicesResponse& devices) const {
  const DeviceName name = *parse_device_name(task.name), client = *parse_device_name(site_.client.name);
  const bool is_renamed = !site_.renamed.empty();
  CreateWorkerSessionRequest r;
  r.session = site_.handle;
  r.server = {*name.job, *name.task, nullptr, task_of(client)};
  r.master_task = task_of(client);
  r.master_incarnation = site_.client.incarnation;
  r.isolate_state = is_renamed || (site_.config && site_.config->isolate_session_state);
  if (is_renamed) r.server.cluster = std::make_shared<const ClusterDef>(site_.config->cluster);
  if (site_.config && site_.config->share_cluster_devices) add_cluster_devices(r, devices);
  return r;
}

void TaskSessions::add_cluster_devices(CreateWorkerSessionRequest& r, const ListDevicesResponse& devices) const {
  r.cluster_devices = devices.remote;
  r.cluster_devices.insert(r.cluster_devices.end(), devices.local.begin(), devices.local.end());
  if (site_.config->share_is_experimental)
    site_.directory.log(
        site_.master, 'W',
        "ConfigProto.Experimental.share_cluster_devices_in_session has been promoted to a non-experimental API. Please "
        "use "
        "ConfigProto.share_cluster_devices_in_session instead. The experimental option will be removed in the future.");
}

void TaskSessions::close(StatusCallback done) {
  const auto answers = std::make_shared<Answers>(
      Answers{tasks_.size(), [this, alive = site_.alive, done = std::move(done)](const Status& s) mutable {
                if (*alive && !s.ok())
                  site_.directory.log(site_.master, 'W', fmt::format("{}: {}", code_name(s.code()), text_of(s)));
                std::move(done)(Status());
              }});
  for (const NamedTask& t : tasks_) close_one(t.task, [answers](const Status& s) { answers->add(s); });
}

void TaskSessions::close_one(TaskId task, StatusCallback done) {
  Env& env = site_.directory.env;
  DeleteWorkerSessionRequest request;
  request.session = site_.handle;
  auto timer = std::make_shared<TimerId>();
  const CallRef deletion = call(site_.directory, site_.master, task, request,
                                [&env, timer, done = std::move(done)](StatusOr<Empty> r) mutable {
                                  env.cancel(*timer);
                                  std::move(done)(r.status());
                                });
  *timer = env.after(site_.master, kDeletionTime, [deletion, a = site_.directory.auditor] {
    mark(a, Mark::deletion_given_up);
    deletion->expire();
  });
}

}  // namespace tarry
