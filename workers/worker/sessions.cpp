#include "workers/worker/sessions.hpp"

#include <algorithm>

namespace tarry {

Status possibly_restarted(Status s) {
  s.SetPayload("type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted", absl::Cord());
  return s;
}

WorkerSessions::WorkerSessions(Env& env, std::string worker, LocalDevices& shared, MakeDevices make_devices,
                               GraphManagerOptions options)
    : env_(env),
      worker_(std::move(worker)),
      shared_(shared),
      make_devices_(std::move(make_devices)),
      options_(options) {
  legacy_->graphs = std::make_unique<GraphManager>(env_, shared_, options_);
}

bool WorkerSessions::drop_older(const CreateWorkerSessionRequest& request) {
  if (request.master_task.empty()) return false;
  std::vector<std::string>& handles = of_master_[request.master_task];
  const auto is_older = [&](const std::string& handle) {
    const auto it = sessions_.find(handle);
    return it != sessions_.end() && it->second->master_incarnation != request.master_incarnation;
  };
  const bool drops = std::ranges::any_of(handles, is_older);
  for (const std::string& handle : handles)
    if (is_older(handle)) sessions_.erase(handle);
  std::erase_if(handles, [&](const std::string& handle) { return !sessions_.contains(handle); });
  return drops;
}

StatusOr<std::size_t> WorkerSessions::create(const CreateWorkerSessionRequest& request) {
  if (request.session.empty()) return invalid("Session must be non-empty.");
  const std::size_t before = sessions_.size();
  const bool dropped = drop_older(request);
  auto& session = sessions_[request.session];
  if (session) return 0;
  session = std::make_shared<WorkerSession>();
  session->master_task = request.master_task;
  session->master_incarnation = request.master_incarnation;
  of_master_[request.master_task].push_back(request.session);
  const ServerDef& server = request.server;
  if (request.isolate_state)
    session->own_devices =
        make_devices_(server.cluster ? fmt::format("/job:{}/replica:0/task:{}", server.job, server.task) : worker_);
  session->graphs =
      std::make_unique<GraphManager>(env_, session->own_devices ? *session->own_devices : shared_, options_);
  return dropped ? before : 0;
}

StatusOr<std::shared_ptr<WorkerSession>> WorkerSessions::find(const std::string& handle, bool was_created) const {
  if (!was_created || handle.empty()) return legacy_;
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) return it->second;
  return possibly_restarted(error(Code::kAborted,
                                  "Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.",
                                  handle, worker_));
}

}  // namespace tarry
