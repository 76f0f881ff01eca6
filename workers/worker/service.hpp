// A worker as those who call it see it: the real one, or one that a recorder plays.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <utility>

#include "workers/worker/messages.hpp"

namespace tarry {

// One call in progress, shared by its two ends.
class CallState {
 public:
  virtual ~CallState() = default;
  virtual void fail(Status s) = 0;  // the caller's end: it has an answer now
  // The caller gives up: it gets `why` now, whatever the server does; the server hears of it later. An ended call
  // ignores it. A call within the process has no wire to cut: the server hears of it, and the caller waits for its
  // answer (seen in 2.15.1).
  virtual void give_up(Status why) = 0;
  void cancel() {
    if (again_) return again_->cancel();
    if (!ended_) give_up(as_derived(error(Code::kCancelled, "Cancelled")));
  }
  void expire() {  // its deadline has passed
    if (again_) return again_->expire();
    give_up(error(Code::kDeadlineExceeded, "Deadline Exceeded"));
  }
  [[nodiscard]] bool has_ended() const { return again_ ? again_->has_ended() : ended_; }

 protected:
  friend class ServerCallBase;
  bool ended_ = false;
  bool answered_ = false;  // by the server
  bool told_ = false;      // the server knows that the caller gave up
  Nanos timeout_ = 0;      // after which the caller gives up; 0 = never
  Callback on_cancel_;
  std::shared_ptr<CallState> again_;  // its request was sent again: the call that goes on for the caller
};
using CallRef = std::shared_ptr<CallState>;

class ServerCallBase {
 public:
  explicit ServerCallBase(CallRef state) : state_(std::move(state)) {}
  // Runs once when the caller gives up before the answer.
  void on_cancel(Callback f) const { state_->on_cancel_ = std::move(f); }
  [[nodiscard]] bool is_cancelled() const { return state_->told_; }
  [[nodiscard]] Nanos timeout() const { return state_->timeout_; }

 protected:
  CallRef state_;
};

template <class Response>
class AnswerableCall : public CallState {
 public:
  virtual void answer(StatusOr<Response> r) = 0;
};

// The server's end. Answer exactly once; copies are the same call.
template <class Response>
class ServerCall : public ServerCallBase {
 public:
  explicit ServerCall(std::shared_ptr<AnswerableCall<Response>> state) : ServerCallBase(std::move(state)) {}
  void answer(StatusOr<Response> r) const { static_cast<AnswerableCall<Response>&>(*state_).answer(std::move(r)); }
};

// A call over a connection, which may break. The directory knows all that are open (directory.hpp).
class ConnectedCall
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  ConnectedCall(TaskId caller, TaskId server) : from_(caller), to_(server) {}
  virtual ~ConnectedCall() = default;
  [[nodiscard]] TaskId caller() const { return from_; }
  [[nodiscard]] TaskId server() const { return to_; }
  [[nodiscard]] virtual bool is_over() const = 0;  // for the caller
  [[nodiscard]] virtual std::shared_ptr<ConnectedCall> hold() = 0;
  // The caller's process is gone: nobody waits for the answer any more.
  virtual void abandon() = 0;
  // The caller's end: UNAVAILABLE `Socket closed`.
  virtual void break_off() = 0;
  // The server's end: the caller has given up, or its connection is broken.
  virtual void tell_server() = 0;
  // Both: the server is told, and the request goes there once more, as another call.
  virtual void send_again() = 0;
  // The run is over: nobody will be told anything, and what waits to be told is dropped.
  virtual void forget() = 0;

 protected:
  TaskId from_, to_;
};

class WorkerService {
 public:
  virtual ~WorkerService() = default;
  // False once the service hangs: what arrives is not served, and never answered.
  [[nodiscard]] virtual bool takes_calls() const { return true; }
  virtual void serve(GetStatusRequest, ServerCall<GetStatusResponse>) = 0;
  virtual void serve(CreateWorkerSessionRequest, ServerCall<Empty>) = 0;
  virtual void serve(DeleteWorkerSessionRequest, ServerCall<Empty>) = 0;
  virtual void serve(RegisterGraphRequest, ServerCall<RegisterGraphResponse>) = 0;
  virtual void serve(DeregisterGraphRequest, ServerCall<Empty>) = 0;
  virtual void serve(RunGraphRequest, ServerCall<RunGraphResponse>) = 0;
  virtual void serve(CleanupGraphRequest, ServerCall<Empty>) = 0;
  virtual void serve(CleanupAllRequest, ServerCall<Empty>) = 0;
  virtual void serve(RecvTensorRequest, ServerCall<RecvTensorResponse>) = 0;
  virtual void serve(LoggingRequest, ServerCall<LoggingResponse>) = 0;
  virtual void serve(TracingRequest, ServerCall<Empty>) = 0;
  virtual void serve(MarkRecvFinishedRequest, ServerCall<Empty>) = 0;
};

}  // namespace tarry
