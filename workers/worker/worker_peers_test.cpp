// A worker and a peer: tensors that are asked for, and what ends the waiting.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"
#include "workers/worker/silent_worker.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TaskId kHere{0u}, kThere{1u};
const std::string kHereCpu = "/job:worker/replica:0/task:0/device:CPU:0",
                  kThereCpu = "/job:ps/replica:0/task:0/device:CPU:0";

NodeSpec moved(const std::string& op, const std::vector<std::string>& inputs, const std::string& from,
               const std::string& to) {
  return {op,
          op,
          kHereCpu,
          inputs,
          {{op == "_Send" ? "T" : "tensor_type", DataType::kFloat},
           {"tensor_name", std::string("t")},
           {"send_device", from},
           {"recv_device", to},
           {"send_device_incarnation", std::int64_t{1}}}};
}
// A number that is sent to the peer.
std::vector<NodeSpec> sending() {
  const TensorSpec number{DataType::kFloat, Shape(), {}, {}};
  return {{"c",
           "Const",
           kHereCpu,
           {},
           {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(number)}}},
          moved("_Send", {"c"}, kHereCpu, kThereCpu)};
}

// The peer: answers what it is asked for with 1, or with an error.
struct Peer final : SilentWorker {
  Peer(std::vector<RecvTensorRequest>& a, Status s) : asked(a), ends(std::move(s)) {}
  using SilentWorker::serve;
  void serve(RecvTensorRequest r, ServerCall<RecvTensorResponse> call) override {
    asked.push_back(r);
    call.answer(ends.ok() ? StatusOr<RecvTensorResponse>(RecvTensorResponse{{make_scalar(1.0F), false}}) : ends);
  }
  std::vector<RecvTensorRequest>& asked;
  Status ends;
};

struct TwoTasks {
  explicit TwoTasks(Status peer_ends = Status()) {
    directory.auditor = &auditor;
    directory.is_exact = true;  // requests have ids
    directory.start(kHere, std::make_unique<Worker>(directory, kHere, WorkerOptions{}));
    directory.start(kThere, std::make_unique<Peer>(asked, std::move(peer_ends)));
  }
  template <class Request>
  void ask(TaskId from, Request request) {
    calls.push_back(
        call(directory, from, kHere, std::move(request), ReplyDone<typename Request::Response>([this](const auto& r) {
               heard.push_back(r.ok() ? "ok" : std::string(text_of(r.status())));
               if constexpr (std::is_same_v<typename Request::Response, RegisterGraphResponse>) graph = r->graph;
               if constexpr (std::is_same_v<typename Request::Response, LoggingResponse>) transfers = *r;
             })));
  }
  void run(std::vector<NodeSpec> nodes) {
    RegisterGraphRequest r;
    r.session_was_created = false;
    r.graph = SentGraph(std::make_shared<const GraphSpec>(GraphSpec{std::move(nodes)}));
    ask(kHere, r);
    env.run();
    RunGraphRequest run;
    run.session_was_created = false;
    run.graph = graph;
    run.step = StepId{5};
    ask(kHere, run);
  }
  void receive() {
    RecvTensorRequest r;
    r.step = StepId{5};
    const Worker& here = dynamic_cast<Worker&>(*directory.workers[0]);
    r.key.text = env.name(make_key(kHereCpu, here.devices().set[DeviceId{0u}].incarnation, kThereCpu, "t"));
    ask(kThere, r);
  }
  void clean_up() {
    CleanupGraphRequest r;
    r.step = StepId{5};
    ask(kHere, r);
  }
  void log(bool enable) {
    LoggingRequest r;
    r.enable = enable;
    r.fetch = {StepId{5}};
    ask(kHere, r);
  }
  [[nodiscard]] bool has(Mark m) { return auditor.audit().marks.test(static_cast<std::size_t>(m)); }
  // Rendezvous that stand at the end.
  std::size_t rests() {
    dynamic_cast<Worker&>(*directory.workers[0]).audit(auditor);
    return static_cast<std::size_t>(
        std::ranges::count(auditor.audit().rests, AuditRest::What::rendezvous, &AuditRest::what));
  }

  FakeEnv env;
  Auditor auditor{env};
  Directory directory{env,
                      {{"/job:worker/replica:0/task:0", {kHereCpu}, 7}, {"/job:ps/replica:0/task:0", {kThereCpu}, 9}}};
  std::vector<RecvTensorRequest> asked;
  std::vector<std::string> heard;
  std::vector<CallRef> calls;
  std::string graph;
  LoggingResponse transfers;
};

// The key of a Send names the device of the process that lives: its incarnation was not known when the graph was made.
std::vector<NodeSpec> sending_from(const TwoTasks& p) {
  std::vector<NodeSpec> nodes = sending();
  const Worker& here = dynamic_cast<Worker&>(*p.directory.workers[0]);
  nodes[1].attrs.set("send_device_incarnation",
                     static_cast<std::int64_t>(here.devices().set[DeviceId{0u}].incarnation));
  return nodes;
}

TEST(WorkerAndPeer, a_tensor_is_given_whether_it_was_made_before_it_is_asked_for_or_after) {
  TwoTasks first, later;
  first.run(sending_from(first));
  first.env.run();
  EXPECT_EQ(first.rests(), 1U) << "the tensor waits";
  first.receive();
  first.env.run();
  EXPECT_THAT(first.heard, ElementsAre("ok", "ok", "ok"));
  EXPECT_TRUE(first.has(Mark::tensor_asked_after_made));
  EXPECT_FALSE(first.has(Mark::tensor_asked_before_step));
  first.auditor.audit().rests.clear();
  EXPECT_EQ(first.rests(), 0U) << "nothing is left of the step";
  later.receive();
  later.env.run();
  EXPECT_THAT(later.heard, IsEmpty());
  later.run(sending_from(later));
  later.env.run();
  EXPECT_THAT(later.heard, ElementsAre("ok", "ok", "ok"));
  EXPECT_TRUE(later.has(Mark::tensor_asked_before_step));
  EXPECT_TRUE(later.has(Mark::tensor_asked_before_made));
}

TEST(WorkerAndPeer, cleaning_a_step_up_ends_what_waits_in_it) {
  TwoTasks p;
  p.clean_up();
  p.env.run();
  EXPECT_TRUE(p.has(Mark::clean_up_of_unknown_step));
  p.run({moved("_Recv", {}, kHereCpu, kHereCpu)});
  p.env.run();
  EXPECT_FALSE(p.has(Mark::clean_up_of_running_step));
  p.clean_up();
  p.env.run();
  EXPECT_THAT(p.heard, ElementsAre("ok", "ok", testing::HasSubstr("Cleanup 5"), "ok"));
  EXPECT_TRUE(p.has(Mark::clean_up_of_running_step));
  EXPECT_TRUE(p.has(Mark::clean_up_ends_wait));
  EXPECT_TRUE(p.has(Mark::abort_ends_wait_here));
  EXPECT_FALSE(p.has(Mark::abort_drops_tensor));
}

TEST(WorkerAndPeer, cleaning_a_step_up_drops_what_nobody_asked_for) {
  TwoTasks p;
  p.run(sending_from(p));
  p.env.run();
  p.clean_up();
  p.env.run();
  EXPECT_TRUE(p.has(Mark::abort_drops_tensor));
  EXPECT_FALSE(p.has(Mark::clean_up_of_running_step));
  EXPECT_FALSE(p.has(Mark::clean_up_ends_wait));
  EXPECT_EQ(p.rests(), 0U);
}

TEST(WorkerAndPeer, a_step_is_aborted_a_second_after_a_peer_gave_up_a_tensor) {
  TwoTasks p;
  p.run({moved("_Recv", {}, kHereCpu, kHereCpu)});
  p.receive();
  p.env.after(100, [&] { p.calls.back()->cancel(); });
  p.env.run();
  EXPECT_EQ(p.env.now(), 1'000'000'100);
  EXPECT_THAT(p.heard.back(), testing::HasSubstr("Step 5 cancelled.  Cancelling rendezvous."));
}

TEST(WorkerAndPeer, a_worker_asks_its_peer_by_step_and_key_and_notes_what_came) {
  TwoTasks p;
  p.log(true);
  p.run({moved("_Recv", {}, kThereCpu, kHereCpu)});
  p.env.run();
  EXPECT_THAT(p.heard, ElementsAre("ok", "ok", "ok"));
  ASSERT_EQ(p.asked.size(), 1U);
  EXPECT_EQ(p.asked[0].step, StepId{5});
  EXPECT_EQ(p.env.text(p.asked[0].key.text), make_key(kThereCpu, 1, kHereCpu, "t"));
  EXPECT_NE(p.asked[0].request_id, 0U);
  EXPECT_EQ(std::ranges::count(p.auditor.audit().facts, AuditFact::What::value_arrived, &AuditFact::what), 1);
  EXPECT_FALSE(p.has(Mark::receive_failed));
  p.log(false);
  p.env.run();
  ASSERT_EQ(p.transfers.steps.size(), 1U);
  EXPECT_THAT(p.transfers.steps[0].second.at(0).nodes.at(0).label, testing::StartsWith("[4B] "));
}

TEST(WorkerAndPeer, an_error_of_the_peer_is_that_of_the_step) {
  TwoTasks p(error(Code::kAborted, "it was not there"));
  p.run({moved("_Recv", {}, kThereCpu, kHereCpu)});
  p.env.run();
  EXPECT_THAT(p.heard.back(), testing::HasSubstr("it was not there"));
  EXPECT_TRUE(p.has(Mark::receive_failed));
  EXPECT_EQ(std::ranges::count(p.auditor.audit().facts, AuditFact::What::value_arrived, &AuditFact::what), 0);
}

}  // namespace
}  // namespace tarry
