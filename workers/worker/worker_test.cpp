// One worker's process: what it answers, logs, and notes for an audit.

#include "workers/worker/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using What = AuditFact::What;

constexpr TaskId kOwn{0u}, kPeer{1u};
const std::string kTask = "/job:worker/replica:0/task:0", kCpu = kTask + "/device:CPU:0",
                  kGpu = kTask + "/device:GPU:0", kPs = "/job:ps/replica:0/task:0", kPsCpu = kPs + "/device:CPU:0";

NodeSpec constant(const std::string& name) {
  const TensorSpec zero{DataType::kFloat, Shape(), {}, {}};
  return {name, "Const", kCpu, {}, {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(zero)}}};
}
NodeSpec transfer(const std::string& op, const std::vector<std::string>& inputs, const std::string& from) {
  return {op,
          op,
          kCpu,
          inputs,
          {{op == "_Send" ? "T" : "tensor_type", DataType::kFloat},
           {"tensor_name", std::string("t")},
           {"send_device", from},
           {"recv_device", kCpu},
           {"send_device_incarnation", std::int64_t{1}}}};
}

struct Audited {
  Audited() {
    directory.auditor = &auditor;
    directory.start(kOwn, std::make_unique<Worker>(directory, kOwn, WorkerOptions{}));
    CreateWorkerSessionRequest session;
    session.session = "S";
    EXPECT_TRUE(ask(session).ok());
  }
  template <class Request>
  StatusOr<typename Request::Response> ask(Request request) {
    StatusOr<typename Request::Response> got = error(Code::kInternal, "no answer");
    (void)call(directory, kOwn, kOwn, std::move(request),
               ReplyDone<typename Request::Response>([&](auto r) { got = std::move(r); }));
    env.run();
    return got;
  }
  std::string register_graph(std::vector<NodeSpec> nodes) {
    RegisterGraphRequest r;
    r.session = "S";
    r.graph = SentGraph(std::make_shared<const GraphSpec>(GraphSpec{std::move(nodes)}));
    return ask(r)->graph;
  }
  [[nodiscard]] RunGraphRequest run_of(const std::string& graph, std::uint64_t request_id = 0) const {
    RunGraphRequest r;
    r.session = std::string("S");
    r.graph = graph;
    r.step = StepId{5};
    r.request_id = request_id;
    return r;
  }
  // What was noted since the last time.
  std::vector<What> noted() {
    std::vector<What> all;
    for (; seen < auditor.audit().facts.size(); ++seen) {
      const AuditFact& fact = auditor.audit().facts[seen];
      EXPECT_EQ(fact.task, kOwn);
      all.push_back(fact.what);
    }
    return all;
  }
  [[nodiscard]] bool has(Mark m) { return auditor.audit().marks.test(static_cast<std::size_t>(m)); }
  [[nodiscard]] std::vector<std::string> logged() const {
    std::vector<std::string> all;
    for (const auto& [at, event] : env.events)
      if (const auto* line = std::get_if<LogLine>(&event))
        all.push_back(fmt::format("{} {}", line->level, env.text(line->text)));
    return all;
  }

  FakeEnv env;
  Auditor auditor{env};
  Directory directory{env, {{kTask, {kCpu, kGpu}, 7, "here:1"}, {kPs, {kPsCpu}, 9, "there:1"}}};
  std::size_t seen = 0;
};

TEST(Worker, notes_of_a_step_that_it_was_asked_for_began_and_ended) {
  Audited w;
  EXPECT_THAT(w.noted(), ElementsAre(What::session_opened));
  const std::string graph = w.register_graph({constant("c")});
  EXPECT_TRUE(w.ask(w.run_of(graph, 9)).ok());
  EXPECT_THAT(w.noted(), ElementsAre(What::request_taken, What::session_used, What::run_began, What::run_ended));
  EXPECT_EQ(w.auditor.audit().facts[1].number, 9U);
  EXPECT_EQ(w.auditor.audit().facts[1].step, StepId{5});
  EXPECT_TRUE(w.ask(w.run_of(graph)).ok());
  EXPECT_THAT(w.noted(), ElementsAre(What::session_used, What::run_began, What::run_ended)) << "it has no id";
  DeleteWorkerSessionRequest end;
  end.session = "S";
  EXPECT_TRUE(w.ask(end).ok());
  EXPECT_THAT(w.noted(), ElementsAre(What::session_deleted));
  EXPECT_THAT(text_of(w.ask(w.run_of(graph)).status()), HasSubstr("Session handle is not found: S"));
  EXPECT_TRUE(w.has(Mark::run_in_unknown_session));
}

TEST(Worker, keeps_a_steps_tensors_until_they_are_cleaned_up) {
  Audited w;
  const std::string graph = w.register_graph({constant("c"), transfer("_Send", {"c"}, kCpu)});
  const auto kept = [&] {
    w.auditor.audit().rests.clear();
    dynamic_cast<Worker&>(*w.directory.workers[0]).audit(w.auditor);
    std::vector<std::int64_t> values;
    for (const AuditRest& r : w.auditor.audit().rests)
      if (r.what == AuditRest::What::rendezvous) values.push_back(r.a);
    return values;
  };
  EXPECT_TRUE(w.ask(w.run_of(graph)).ok());
  EXPECT_THAT(kept(), ElementsAre(1)) << "nobody fetched it";
  CleanupGraphRequest clean;
  clean.step = StepId{5};
  EXPECT_TRUE(w.ask(clean).ok());
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_EQ(w.auditor.audit().facts.back().what, What::cleaned_up);
  EXPECT_EQ(w.auditor.audit().facts.back().number, 0U) << "nothing of the step is left";
  RunGraphRequest r = w.run_of(graph);
  r.receives = {w.env.name(make_key(kCpu, 1, kCpu, "t"))};
  EXPECT_TRUE(w.ask(r).ok());
  EXPECT_THAT(kept(), IsEmpty()) << "all was fetched";
}

TEST(Worker, gives_what_is_fetched_twice_once) {
  Audited w;
  RunGraphRequest r = w.run_of(w.register_graph({constant("c"), transfer("_Send", {"c"}, kCpu)}));
  const NameId key = w.env.name(make_key(kCpu, 1, kCpu, "t"));
  r.receives = {key, key};
  const auto got = w.ask(r);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->received.size(), 1U);
  EXPECT_EQ(got->received[0].key, key);
}

TEST(Worker, refuses_a_request_that_came_before) {
  Audited w;
  const std::string graph = w.register_graph({constant("c")});
  EXPECT_TRUE(w.ask(w.run_of(graph, 9)).ok());
  EXPECT_FALSE(w.has(Mark::request_seen_twice));
  EXPECT_THAT(text_of(w.ask(w.run_of(graph, 9)).status()),
              HasSubstr("The same RunGraph (Worker) request was received twice. graph_handle: "));
  EXPECT_TRUE(w.has(Mark::request_seen_twice));
  RunGraphRequest part = w.run_of(graph, 9);
  part.is_partial = true;
  EXPECT_THAT(text_of(w.ask(part).status()),
              HasSubstr("The same PartialRunGraph (Worker) request was received twice."));
  RecvTensorRequest receive;
  receive.request_id = 9;
  receive.key.text = w.env.name(make_key(kCpu, 1, kPsCpu, "t"));
  EXPECT_THAT(text_of(w.ask(receive).status()),
              HasSubstr("The same RecvTensor (GrpcWorker) request was received twice."));
}

TEST(Worker, knows_only_graphs_that_were_registered) {
  Audited w;
  const auto r = w.ask(w.run_of("00000000000000ff"));
  EXPECT_EQ(text_of(r.status()), "Graph handle is not found: 00000000000000ff");
  EXPECT_TRUE(w.has(Mark::run_of_unknown_graph));
  DeregisterGraphRequest gone;
  gone.session = "S", gone.graph = "00000000000000ff";
  EXPECT_EQ(text_of(w.ask(gone).status()),
            "Graph handle is not found: 00000000000000ff. Possibly, this worker just restarted.");
  gone.graph = w.register_graph({constant("c")});
  EXPECT_TRUE(w.ask(gone).ok());
  EXPECT_FALSE(w.ask(w.run_of(gone.graph)).ok());
}

// A run that waits for a tensor of the step's own that nobody makes, given up after 100 ns.
TEST(Worker, ends_a_step_that_is_given_up) {
  Audited w;
  const std::string graph = w.register_graph({transfer("_Recv", {}, kCpu)});
  Status ended;
  const CallRef run = call(w.directory, kOwn, kOwn, w.run_of(graph),
                           ReplyDone<RunGraphResponse>([&](const auto& r) { ended = r.status(); }));
  w.env.after(100, [&] { run->cancel(); });
  w.noted();
  w.env.run();
  EXPECT_EQ(ended.code(), Code::kCancelled);
  EXPECT_THAT(w.noted(), ElementsAre(What::session_used, What::run_began, What::run_cancelled, What::run_ended));
  EXPECT_THAT(w.logged(), ElementsAre("I Cancellation requested for RunGraph."));
  EXPECT_TRUE(w.has(Mark::run_cancelled));
}

TEST(Worker, aborts_a_step_whose_tensor_a_peer_gave_up) {
  Audited w;
  const Device& own = dynamic_cast<Worker&>(*w.directory.workers[0]).devices().set[DeviceId{0u}];
  RecvTensorRequest r;
  r.step = StepId{5};
  r.key.text = w.env.name(make_key(kCpu, own.incarnation, kPsCpu, "t"));
  w.noted();
  const CallRef ask = call(w.directory, kPeer, kOwn, r, ReplyDone<RecvTensorResponse>([](const auto&) {}));
  w.env.after(100, [&] { ask->cancel(); });
  w.env.run();
  EXPECT_THAT(w.noted(), ElementsAre(What::tensor_asked));
  EXPECT_THAT(w.logged(), ElementsAre("W RecvTensor cancelled for 5"));
  EXPECT_TRUE(w.has(Mark::tensor_given_up));
  EXPECT_FALSE(w.has(Mark::tensor_asked_of_earlier_process));
  r.key.text = w.env.name(make_key(kCpu, own.incarnation + 2, kPsCpu, "t"));
  EXPECT_THAT(text_of(w.ask(r).status()), HasSubstr("RecvTensor expects a different device incarnation"));
  EXPECT_TRUE(w.has(Mark::tensor_asked_of_earlier_process));
  EXPECT_THAT(w.noted(), IsEmpty()) << "it was refused";
}

TEST(Worker, tells_its_devices) {
  Audited w;
  const auto r = w.ask(GetStatusRequest{});
  ASSERT_EQ(r->devices.size(), 2U);
  EXPECT_EQ(r->devices[0].name, kCpu);
  EXPECT_EQ(r->devices[0].type, "CPU");
  EXPECT_EQ(r->devices[0].memory_limit, 268'435'456) << "TensorFlow says 256 MB of a CPU";
  EXPECT_EQ(r->devices[0].xla_global_id, -1);
  EXPECT_EQ(r->devices[1].xla_global_id, 0);
  EXPECT_NE(r->devices[0].incarnation, r->devices[1].incarnation);
  EXPECT_EQ(r->devices[0].incarnation % 2, 1U) << "never 0";
}

TEST(Worker, answers_what_it_does_not_do) {
  Audited w;
  EXPECT_EQ(w.ask(TracingRequest{}).status(), error(Code::kUnimplemented, "Tracing"));
  EXPECT_TRUE(w.ask(MarkRecvFinishedRequest{}).ok());
}

TEST(Worker, tells_of_the_sessions_that_a_master_before_had) {
  Audited w;
  CreateWorkerSessionRequest r;
  r.session = "A", r.master_task = "/job:chief", r.master_incarnation = 1;
  EXPECT_TRUE(w.ask(r).ok());
  EXPECT_THAT(w.logged(), IsEmpty());
  r.session = "B", r.master_incarnation = 2;
  EXPECT_TRUE(w.ask(r).ok());
  ASSERT_EQ(w.logged().size(), 1U);
  EXPECT_THAT(w.logged()[0], HasSubstr("I When creating WorkerSession for master task /job:chief, found old"));
  EXPECT_THAT(w.logged()[0], HasSubstr("Current WorkerSession count: 2")) << "before it";
  EXPECT_TRUE(w.has(Mark::older_sessions_dropped));
}

}  // namespace
}  // namespace tarry
