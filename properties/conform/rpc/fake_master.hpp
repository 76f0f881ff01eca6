// The fake master that the recorder showed to a real client: its session always has the same handle, its values come
// from a table, and rules change its answers.
#pragma once

#include "properties/conform/rpc/json_master.hpp"
#include "workers/master/service.hpp"

namespace tarry::rpc {

struct MasterCall {
  std::string method;
  Json request, reply;    // `reply` is null until it is answered
  double deadline_s = 0;  // 0 = none
  bool cancelled = false;
};

class FakeMaster final : public MasterService {
 public:
  FakeMaster(Env& env, const Json& setup) : env_(env), setup_(setup) {}

  void serve(CreateSessionRequest r, ServerCall<CreateSessionResponse> c) override;
  void serve(ExtendSessionRequest r, ServerCall<ExtendSessionResponse> c) override;
  void serve(RunStepRequest r, ServerCall<RunStepResponse> c) override;
  void serve(CloseSessionRequest r, ServerCall<Empty> c) override;
  void serve(ResetRequest r, ServerCall<Empty> c) override;
  // Python clients do not make these calls.
  void serve(PartialRunSetupRequest, ServerCall<PartialRunSetupResponse>) override {}
  void serve(ListDevicesRequest, ServerCall<ListDevicesResponse>) override {}
  void serve(MakeCallableRequest, ServerCall<MakeCallableResponse>) override {}
  void serve(RunCallableRequest, ServerCall<RunCallableResponse>) override {}
  void serve(ReleaseCallableRequest, ServerCall<Empty>) override {}

  std::vector<std::shared_ptr<MasterCall>> calls;

 private:
  template <class Response>
  Json take(const std::string& method, Json request, const ServerCall<Response>& call, Response response);
  [[nodiscard]] Json rule_for(const std::string& method);
  [[nodiscard]] RunStepResponse answer(const RunStepRequest& r) const;

  Env& env_;
  const Json& setup_;
  std::int64_t version_ = 0;
  std::map<std::string, int> count_;
};

}  // namespace tarry::rpc
