// A receive from another task, and all that may end before its answer comes.

#include "workers/worker/step_rendezvous.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/worker/silent_worker.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TaskId kSender{0u}, kReceiver{1u};

// Sends a tensor that many nanoseconds after it was asked for.
class SendingWorker final : public SilentWorker {
 public:
  SendingWorker(FakeEnv& env, Nanos after) : env_(env), after_(after) {}
  using SilentWorker::serve;
  void serve(RecvTensorRequest, ServerCall<RecvTensorResponse> call) override {
    env_.after(after_, [call] { call.answer(RecvTensorResponse{{make_scalar(1.0F), false}}); });
  }

 private:
  FakeEnv& env_;
  Nanos after_;
};

// A step of a worker that receives what a ps sends 100 ns after the request, each message taking 10.
struct Receiving {
  FakeEnv env;
  Directory directory{env, {{"/job:ps/replica:0/task:0", {}, 1}, {"/job:worker/replica:0/task:0", {}, 2}}};
  std::unique_ptr<CancellationManager> step = std::make_unique<CancellationManager>();
  std::unique_ptr<StepRendezvous> rendezvous = std::make_unique<StepRendezvous>(directory, kReceiver, StepId{7});
  std::vector<std::string> got;

  Receiving() {
    env.latency = [](TaskId, TaskId) { return Nanos{10}; };
    directory.start(kSender, std::make_unique<SendingWorker>(env, 100));
    directory.start(kReceiver, std::make_unique<SilentWorker>());
    rendezvous->initialize();
  }
  void receive(const char* key) {
    rendezvous->receive({.key = env.name(key), .source = kSender}, *step, [this](const StatusOr<Received>& r) {
      got.push_back(fmt::format("{} at {}", r.ok() ? "a tensor" : std::string(text_of(r.status())), env.now()));
    });
  }
  void at(Nanos t, Callback f) { env.after(t, std::move(f)); }
};

TEST(StepRendezvous, a_receive_gets_what_the_other_task_sends) {
  Receiving r;
  r.receive("a");
  r.env.run();
  r.step->start();
  r.rendezvous->abort(error(Code::kAborted, "too late"));
  EXPECT_THAT(r.got, ElementsAre("a tensor at 120"));
}

TEST(StepRendezvous, receives_end_in_their_order_when_the_step_is_cancelled_and_late_answers_are_dropped) {
  Receiving r;
  r.receive("a");
  r.receive("b");
  r.at(50, [&] { r.step->start(); });
  r.env.run();
  EXPECT_THAT(r.got, ElementsAre("RecvFromRemoteAsync is cancelled. at 50", "RecvFromRemoteAsync is cancelled. at 50"));
}

TEST(StepRendezvous, a_cancelled_step_receives_nothing) {
  Receiving r;
  r.step->start();
  r.receive("a");
  r.env.run();
  EXPECT_THAT(r.got, ElementsAre("RecvFromRemoteAsync is cancelled. at 0"));
  EXPECT_THAT(r.env.events, IsEmpty());  // no message
}

TEST(StepRendezvous, aborting_ends_its_receives_and_cancelling_afterwards_nothing) {
  Receiving r;
  r.receive("a");
  r.at(50, [&] {
    r.rendezvous->abort(error(Code::kInternal, "it broke"));
    r.step->start();
  });
  r.env.run();
  EXPECT_THAT(r.got, ElementsAre("it broke at 50"));
}

// Recorded of 2.15.1: a run whose Recv was aborted aborts in turn, before the abort is over.
TEST(StepRendezvous, keeps_the_first_error_and_that_of_a_waiter_that_aborts_in_turn_is_first) {
  Receiving r;
  const Status first = error(Code::kInternal, "the cause"), second = error(Code::kInternal, "of a node");
  const TransferKey own{.key = r.env.name("own"), .source = kReceiver};
  r.rendezvous->receive(own, *r.step, [&](const StatusOr<Received>& got) {
    EXPECT_EQ(got.status(), first);
    r.rendezvous->abort(second);
  });
  r.receive("a");
  r.rendezvous->abort(first);
  r.rendezvous->abort(error(Code::kInternal, "a third"));
  EXPECT_EQ(r.rendezvous->send(own, {make_scalar(1.0F), false}), second);
  EXPECT_THAT(r.got, ElementsAre("of a node at 0"));
}

TEST(StepRendezvous, nobody_hears_of_a_receive_when_the_rendezvous_ends_before_its_step) {
  Receiving r;
  r.receive("a");
  r.at(50, [&] {
    r.rendezvous.reset();
    r.step->start();
  });
  r.env.run();
  EXPECT_THAT(r.got, IsEmpty());
}

TEST(StepRendezvous, a_receive_may_outlive_what_could_have_cancelled_it) {
  Receiving r;
  r.receive("a");
  r.at(50, [&] { r.step.reset(); });
  r.env.run();
  EXPECT_THAT(r.got, ElementsAre("a tensor at 120"));
}

// The calls of a process that ends are heard by nobody; its step is there until somebody cancels it.
TEST(StepRendezvous, cancelling_ends_a_receive_whose_call_was_abandoned) {
  Receiving r;
  r.receive("a");
  r.at(50, [&] { r.directory.end(kReceiver); });
  r.at(60, [&] { r.step->start(); });
  r.env.run();
  EXPECT_THAT(r.got, ElementsAre("RecvFromRemoteAsync is cancelled. at 60"));
}

}  // namespace
}  // namespace tarry
