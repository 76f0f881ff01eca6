// A master as its clients see it: the real one, or one that a recorder plays; and how a client calls it.
//
// A client's call is an event each way and takes no simulated time. When its deadline passes or it is cancelled, it
// ends for the client at once, and the master learns of it.
#pragma once

#include <memory>
#include <utility>

#include "workers/master/messages.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

class MasterService {
 public:
  virtual ~MasterService() = default;
  virtual void serve(CreateSessionRequest, ServerCall<CreateSessionResponse>) = 0;
  virtual void serve(ExtendSessionRequest, ServerCall<ExtendSessionResponse>) = 0;
  virtual void serve(PartialRunSetupRequest, ServerCall<PartialRunSetupResponse>) = 0;
  virtual void serve(RunStepRequest, ServerCall<RunStepResponse>) = 0;
  virtual void serve(CloseSessionRequest, ServerCall<Empty>) = 0;
  virtual void serve(ListDevicesRequest, ServerCall<ListDevicesResponse>) = 0;
  virtual void serve(ResetRequest, ServerCall<Empty>) = 0;
  virtual void serve(MakeCallableRequest, ServerCall<MakeCallableResponse>) = 0;
  virtual void serve(RunCallableRequest, ServerCall<RunCallableResponse>) = 0;
  virtual void serve(ReleaseCallableRequest, ServerCall<Empty>) = 0;
};

template <class Response>
class ClientCall final : public AnswerableCall<Response>, public std::enable_shared_from_this<ClientCall<Response>> {
 public:
  ClientCall(Env& env, ReplyDone<Response> done, Nanos timeout) : env_(env), done_(std::move(done)) {
    this->timeout_ = timeout;
  }

  void start_clock() {
    if (this->timeout_ > 0) timer_ = env_.after(this->timeout_, [self = this->shared_from_this()] { self->expire(); });
  }

  void answer(StatusOr<Response> r) override {
    this->answered_ = true;
    this->on_cancel_ = nullptr;
    env_.after(0, [self = this->shared_from_this(), r = std::move(r)]() mutable { self->end(std::move(r)); });
  }
  void fail(Status s) override { end(std::move(s)); }
  void give_up(Status why) override {
    if (this->ended_) return;
    env_.after(0, [self = this->shared_from_this()] { self->tell_server(); });
    end(std::move(why));
  }

 private:
  void tell_server() {
    this->told_ = true;
    if (Callback f = std::move(this->on_cancel_); f && !this->answered_) std::move(f)();
  }
  void end(StatusOr<Response> r) {
    if (std::exchange(this->ended_, true)) return;
    if (timer_.valid()) env_.cancel(timer_);
    std::move(done_)(std::move(r));
  }

  Env& env_;
  ReplyDone<Response> done_;
  TimerId timer_;
};

// REQUIRES: `master` lives until the request has reached it. `timeout` 0 = no deadline.
template <class Request>
CallRef call_master(MasterService& master, Env& env, Request request, ReplyDone<typename Request::Response> done,
                    Nanos timeout = 0) {
  auto c = std::make_shared<ClientCall<typename Request::Response>>(env, std::move(done), timeout);
  c->start_clock();
  env.after(0, [&master, c, r = std::move(request)]() mutable {
    master.serve(std::move(r), ServerCall<typename Request::Response>(c));
  });
  return c;
}

}  // namespace tarry
