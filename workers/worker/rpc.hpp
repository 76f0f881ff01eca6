// Calls between tasks, as messages with sizes and latencies.
//
// A call is a request message, work at the server, and a reply message. A task that calls itself is served in its own
// process: no message. When a message breaks, the caller gets UNAVAILABLE. A call to a task without a process fails
// after kRefusalTime, or waits until a process starts there (messages.hpp, Directory::fails_fast). A cancelled call to
// another task ends at once for its caller; the server learns of it by a message.
#pragma once

#include "workers/worker/directory.hpp"

namespace tarry {

template <class Response>
using ReplyDone = absl::AnyInvocable<void(StatusOr<Response>) &&>;

inline constexpr std::uint64_t kMessageOverhead = 64;  // headers and framing of one message, bytes
inline constexpr std::uint64_t kErrorBytes = 100;
inline constexpr Nanos kRefusalTime =
    100'000'000;  // after which a call to a task without a process fails; by then the step's other calls are sent

// The step and the tensor's key of a request that has one.
template <class Request>
StepId step_of(const Request& r) {
  if constexpr (requires { r.step; }) return r.step;
  return {};
}
template <class Request>
NameId key_of(const Request& r) {
  if constexpr (requires { r.key.text; }) return r.key.text;
  return {};
}

template <class Request>
class Call final : public AnswerableCall<typename Request::Response>,
                   public ConnectedCall,
                   public std::enable_shared_from_this<Call<Request>> {
 public:
  using Response = typename Request::Response;
  Call(Directory& directory, TaskId from, TaskId to, ReplyDone<Response>&& done)
      : ConnectedCall(from, to), directory_(directory), server_life_(directory.life(to)), done_(std::move(done)) {
    directory.opened(*this);
  }

  void start(Request&& request) {
    Env& env = directory_.env;
    label_ = {{}, key_of(request), step_of(request)};
    request_ = std::move(request);
    if (directory_.workers[to_.index()] == nullptr && from_ != to_)
      return arrive();  // no process there: no message travels
    if (from_ == to_) return void(env.after(from_, 0, [self = this->shared_from_this()] { self->arrive(); }));
    const std::uint64_t bytes = request_bytes(request_) + kMessageOverhead;
    const Manner manner = waits_for_connection() ? Manner::waits : Manner::usual;
    env.send(from_, to_, label(kind().request, manner), bytes, [self = this->shared_from_this()](Status s) {
      if (!s.ok()) return self->fail(std::move(s));
      self->arrive();
    });
  }

  void answer(StatusOr<Response> r) override {
    if (std::exchange(this->answered_, true)) return passed(this->ended_ ? Mark::answer_unheard : Mark::answered_twice);
    this->on_cancel_ = nullptr;
    if (this->ended_) return passed(Mark::answer_unheard);
    if (from_ == to_) return end(std::move(r));
    const std::uint64_t bytes = r.ok() ? response_bytes(*r) : kErrorBytes;
    // A task treats every CANCELLED that arrives over the network as a derived error (seen in 2.15.1).
    if (r.status().code() == Code::kCancelled && from_.valid()) r = as_derived(r.status());
    reply_ = std::move(r);
    directory_.env.send(to_, from_, label(kind().reply), bytes + kMessageOverhead,
                        [self = this->shared_from_this()](const Status& s) {
                          if (self->ended_) self->passed(Mark::answer_too_late);
                          self->end(s.ok() ? std::move(self->reply_) : StatusOr<Response>(s));
                        });
  }

  [[nodiscard]] bool is_over() const override { return this->ended_; }
  std::shared_ptr<ConnectedCall> hold() override { return this->shared_from_this(); }
  void break_off() override {
    passed(Mark::call_broken);
    fail(error(Code::kUnavailable, "Socket closed"));
  }

  void abandon() override {
    this->ended_ = true;
    const ReplyDone<Response> unheard = std::move(done_);
  }

  void forget() override {
    abandon();
    const Callback unheard = std::move(this->on_cancel_);
  }

  void tell_server() override {
    this->told_ = true;
    if (this->answered_ && arrived_) passed(Mark::cancel_after_answer);
    if (this->answered_ || !arrived_ || !this->on_cancel_ || has_lost_server()) return;
    Callback f = std::move(this->on_cancel_);
    std::move(f)();
  }

  void send_again() override {
    passed(Mark::call_sent_again);
    auto again = std::make_shared<Call>(directory_, from_, to_, std::move(done_));
    again->timeout_ = this->timeout_;
    this->again_ = again;
    this->ended_ = true;
    tell_server();
    again->start(std::move(request_));
  }

  void fail(Status s) override {
    this->answered_ = true;
    end(std::move(s));
  }

  void give_up(Status why) override {
    if (this->ended_) return;
    const auto tell = [self = this->shared_from_this()](const Status&) { self->tell_server(); };
    if (from_ == to_) return void(directory_.env.after(from_, 0, [tell] { tell(Status()); }));
    directory_.env.send(from_, to_, label(kind().request, Manner::in_order), kMessageOverhead, tell);
    end(std::move(why));
  }

 private:
  void passed(Mark m) const { mark(directory_.auditor, m); }
  // The process that the call went to has ended: nothing there answers, or can be told, any more.
  [[nodiscard]] bool has_lost_server() const { return directory_.life(to_) != server_life_; }
  [[nodiscard]] RpcKind kind() const { return directory_.kind(Request::kMethod); }
  [[nodiscard]] MessageLabel label(NameId kind, Manner manner = Manner::usual) const {
    return {kind, label_.key, label_.step, manner};
  }
  [[nodiscard]] bool waits_for_connection() const {
    return Request::kWhenAbsent == WhenAbsent::waits || !directory_.fails_fast;
  }

  void arrive() {
    if (has_lost_server()) return passed(Mark::call_to_dead_process);
    if (this->ended_) return passed(Mark::call_cancelled_on_its_way);
    if (WorkerService* service = directory_.workers[to_.index()].get()) {
      arrived_ = true;
      if (!service->takes_calls()) return;
      return service->serve(directory_.may_resend ? Request(request_) : std::move(request_),
                            ServerCall<Response>(this->shared_from_this()));
    }
    passed(waits_for_connection() ? Mark::call_waits_for_process : Mark::call_refused);
    if (waits_for_connection())
      directory_.when_present(to_, [self = this->shared_from_this()] {
        self->server_life_ = self->directory_.life(self->to_);
        self->arrive();
      });
    else
      directory_.env.after(from_, kRefusalTime, [self = this->shared_from_this()] {
        self->fail(error(Code::kUnavailable, "failed to connect to all addresses"));
      });
  }

  void end(StatusOr<Response>&& r) {
    if (std::exchange(this->ended_, true)) return;
    ReplyDone<Response> done = std::move(done_);
    std::move(done)(std::move(r));
  }

  Directory& directory_;
  std::uint32_t server_life_;  // Directory::life of the process that the call goes to
  bool arrived_ = false;
  MessageLabel label_;  // without a kind
  ReplyDone<Response> done_;
  // Request and reply are kept here: a message in flight only holds a pointer to its call.
  Request request_;
  StatusOr<Response> reply_ = Response();
};

// Starts a call. `done` runs once, later; when the caller cancels, from inside cancel.
template <class Request>
CallRef call(Directory& directory, TaskId from, TaskId to, Request request,
             ReplyDone<typename Request::Response>&& done) {
  auto c = std::make_shared<Call<Request>>(directory, from, to, std::move(done));
  c->start(std::move(request));
  return c;
}

}  // namespace tarry
