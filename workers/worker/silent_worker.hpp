// A worker service that accepts calls and never answers. A fake worker derives from it and overrides the calls that it
// needs.
#pragma once

#include "workers/worker/service.hpp"

namespace tarry {

class SilentWorker : public WorkerService {
 public:
  void serve(GetStatusRequest, ServerCall<GetStatusResponse>) override {}
  void serve(CreateWorkerSessionRequest, ServerCall<Empty>) override {}
  void serve(DeleteWorkerSessionRequest, ServerCall<Empty>) override {}
  void serve(RegisterGraphRequest, ServerCall<RegisterGraphResponse>) override {}
  void serve(DeregisterGraphRequest, ServerCall<Empty>) override {}
  void serve(RunGraphRequest, ServerCall<RunGraphResponse>) override {}
  void serve(CleanupGraphRequest, ServerCall<Empty>) override {}
  void serve(CleanupAllRequest, ServerCall<Empty>) override {}
  void serve(RecvTensorRequest, ServerCall<RecvTensorResponse>) override {}
  void serve(LoggingRequest, ServerCall<LoggingResponse>) override {}
  void serve(TracingRequest, ServerCall<Empty>) override {}
  void serve(MarkRecvFinishedRequest, ServerCall<Empty>) override {}
};

}  // namespace tarry
