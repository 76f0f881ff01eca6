// The master service of one task: sessions by handle, request ids, and calls without a session
// (docs/rules/runtime.md#E).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "workers/master/master_session.hpp"
#include "workers/master/service.hpp"
#include "workers/worker/recent_request_ids.hpp"

namespace tarry {

struct MasterOptions {
  SessionConfig default_config = {};  // the server's; used where a client's config sets nothing
};

// REQUIRES: a worker runs at the same task; both outlive the calls in progress.
class Master final : public MasterService {
 public:
  Master(Directory& directory, TaskId task, MasterOptions options)
      : directory_(directory), task_(task), options_(std::move(options)) {}

  void serve(CreateSessionRequest, ServerCall<CreateSessionResponse>) override;
  void serve(ExtendSessionRequest, ServerCall<ExtendSessionResponse>) override;
  void serve(PartialRunSetupRequest, ServerCall<PartialRunSetupResponse>) override;
  void serve(RunStepRequest, ServerCall<RunStepResponse>) override;
  void serve(CloseSessionRequest, ServerCall<Empty>) override;
  void serve(ListDevicesRequest, ServerCall<ListDevicesResponse>) override;
  void serve(ResetRequest, ServerCall<Empty>) override;
  void serve(MakeCallableRequest, ServerCall<MakeCallableResponse>) override;
  void serve(RunCallableRequest, ServerCall<RunCallableResponse>) override;
  void serve(ReleaseCallableRequest, ServerCall<Empty>) override;

 private:
  [[nodiscard]] StatusOr<MasterSession*> find(const std::string& session);
  // The request's session. Fails for an unknown session, and when a request with the same id came before.
  template <class Request>
  [[nodiscard]] StatusOr<MasterSession*> admit(const Request& request, const char* method);
  [[nodiscard]] StatusOr<SessionOptions> session_options(const CreateSessionRequest& request) const;
  [[nodiscard]] Status use_cluster(SessionOptions& options, const CreateSessionRequest& request) const;
  void run_step(MasterSession& session, RunStepRequest request, const OnCancel& on_cancel, StepDone done);
  void list_cluster(const ServerCall<ListDevicesResponse>& call);
  void clean_up_workers(const ResetRequest& request, const DeviceFilters& filters, StatusCallback done);
  void close_all(StatusCallback done);
  void close(std::unique_ptr<MasterSession> session, StatusCallback done);
  [[nodiscard]] bool is_wedged() const;

  Directory& directory_;
  TaskId task_;
  MasterOptions options_;
  RecentRequestIds request_ids_{kMasterRequestIds};
  std::map<std::string, std::unique_ptr<MasterSession>> sessions_;
  std::vector<std::unique_ptr<MasterSession>> closing_;  // by Reset, one after the other
  std::vector<std::unique_ptr<MasterSession>> closed_;   // kept, since late answers may still refer to them
};

}  // namespace tarry
