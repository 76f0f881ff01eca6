// What a master tells its workers of sessions and steps, and what it makes of their answers (docs/rules/runtime.md#E).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "workers/fake_env.hpp"
#include "workers/master/master.hpp"
#include "workers/worker/silent_worker.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// What a worker was asked for, and what it answers.
struct Heard {
  std::vector<CreateWorkerSessionRequest> sessions;
  std::vector<RegisterGraphRequest> graphs;
  std::vector<RunGraphRequest> runs;
  std::vector<StepId> cleaned;
  std::vector<std::string> logging;
  std::vector<std::string> deleted;
  Status runs_end, cleaned_as;
  bool never_ends = false, never_cleans = false;
};

class RecordingWorker final : public SilentWorker {
 public:
  RecordingWorker(std::string device, Heard& heard) : device_(std::move(device)), heard_(heard) {}
  using SilentWorker::serve;
  void serve(GetStatusRequest, ServerCall<GetStatusResponse> call) override {
    call.answer(GetStatusResponse{{{device_, "CPU", 1 << 20, 9, -1}}});
  }
  void serve(CreateWorkerSessionRequest r, ServerCall<Empty> call) override {
    heard_.sessions.push_back(r);
    call.answer(Empty{});
  }
  void serve(DeleteWorkerSessionRequest r, ServerCall<Empty> call) override {
    heard_.deleted.push_back(r.session);
    call.answer(Empty{});
  }
  void serve(RegisterGraphRequest r, ServerCall<RegisterGraphResponse> call) override {
    heard_.graphs.push_back(r);
    call.answer(RegisterGraphResponse{"1"});
  }
  void serve(RunGraphRequest r, ServerCall<RunGraphResponse> call) override {
    heard_.runs.push_back(r);
    if (heard_.never_ends) return;
    RunGraphResponse answer;
    answer.status = heard_.runs_end;
    call.answer(std::move(answer));
  }
  void serve(CleanupGraphRequest r, ServerCall<Empty> call) override {
    heard_.cleaned.push_back(r.step);
    if (heard_.never_cleans) return;
    call.answer(heard_.cleaned_as.ok() ? StatusOr<Empty>(Empty{}) : heard_.cleaned_as);
  }
  void serve(LoggingRequest r, ServerCall<LoggingResponse> call) override {
    heard_.logging.push_back(fmt::format("{}{}{}", r.enable ? "on" : "", r.disable ? "off" : "",
                                         r.fetch.empty() ? "" : fmt::format("fetch {}", r.fetch.size())));
    LoggingResponse answer;
    for (const StepId step : r.fetch)
      answer.steps.emplace_back(step, StepStats{{device_, {{"RecvTensor", "a label", {}, 8}}}});
    call.answer(std::move(answer));
  }

 private:
  std::string device_;
  Heard& heard_;
};

// A master at task 0; its own worker and another one are recording ones.
struct Watched {
  static std::string task(int i) { return fmt::format("/job:a/replica:0/task:{}", i); }
  static std::string device(int i) { return task(i) + "/device:CPU:0"; }

  Watched() {
    directory.auditor = &auditor;
    directory.is_exact = true;  // requests have ids
    directory.start(TaskId{0u}, std::make_unique<RecordingWorker>(device(0), own));
    directory.start(TaskId{1u}, std::make_unique<RecordingWorker>(device(1), other));
  }
  template <class Request>
  StatusOr<typename Request::Response> ask(Request request) {
    StatusOr<typename Request::Response> got = error(Code::kInternal, "no answer");
    (void)call_master(master, env, std::move(request),
                      ReplyDone<typename Request::Response>([&got](auto r) { got = std::move(r); }));
    env.run();
    return got;
  }
  // A session with an op at each of the tasks that are named.
  std::string open(std::initializer_list<int> tasks, SessionConfig config = {}) {
    GraphSpec g;
    for (const int i : tasks) g.nodes.push_back({fmt::format("n{}", i), "NoOp", device(i), {}, {}});
    return ask(CreateSessionRequest{std::make_shared<const GraphSpec>(g), std::move(config), "grpc://here:1"})->session;
  }
  StatusOr<RunStepResponse> step(const std::string& session, const std::vector<std::string>& targets = {"n1"},
                                 TraceLevel trace = TraceLevel::none) {
    return ask(RunStepRequest{.session = session, .targets = targets, .options = StepOptions{trace}});
  }
  [[nodiscard]] std::vector<std::string> logged() const {
    std::vector<std::string> all;
    for (const auto& [at, event] : env.events)
      if (const auto* line = std::get_if<LogLine>(&event); line != nullptr && line->level != 'I')
        all.push_back(fmt::format("{} {}", line->level, env.text(line->text)));
    return all;
  }

  FakeEnv env;
  Auditor auditor{env};
  Directory directory{env, {{task(0), {device(0)}, 7, "here:1"}, {task(1), {device(1)}, 8, "there:1"}}};
  Master master{directory, TaskId{0u}, {}};
  Heard own, other;
};

TEST(MasterSteps, begin_and_end_under_one_id_and_are_cleaned_up) {
  Watched w;
  const std::string session = w.open({0, 1});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(w.step(session, {"n0", "n1"}).ok());
  ASSERT_THAT(w.other.runs, SizeIs(2));
  ASSERT_THAT(w.own.runs, SizeIs(2));
  EXPECT_NE(w.other.runs[0].step, w.other.runs[1].step);
  EXPECT_EQ(w.other.runs[0].step, w.own.runs[0].step);
  EXPECT_THAT(w.other.cleaned, ElementsAre(w.other.runs[0].step, w.other.runs[1].step));
  std::vector<std::string> told;
  for (const auto& [at, event] : w.env.events) {
    if (const auto* e = std::get_if<StepBegan>(&event)) told.push_back(fmt::format("began {}", e->step.value));
    if (const auto* e = std::get_if<StepEnded>(&event))
      told.push_back(fmt::format("ended {} {}", e->step.value, e->code));
  }
  const auto a = w.other.runs[0].step.value, b = w.other.runs[1].step.value;
  EXPECT_THAT(told, ElementsAre(fmt::format("began {}", a), fmt::format("ended {} 0", a), fmt::format("began {}", b),
                                fmt::format("ended {} 0", b)));
}

TEST(MasterSteps, have_an_id_for_each_call_and_errors_in_their_bodies) {
  Watched w;
  const std::string session = w.open({0, 1});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(w.step(session, {"n0", "n1"}).ok());
  std::set<std::uint64_t> ids{0};
  for (const Heard* h : {&w.own, &w.other})
    for (const RunGraphRequest& r : h->runs) {
      ids.insert(r.request_id);
      EXPECT_TRUE(r.errors_in_body);
      EXPECT_FALSE(r.is_partial);
      EXPECT_FALSE(r.is_last_partial);
      EXPECT_EQ(r.session.get(), session);
      EXPECT_EQ(r.graph.get(), "1");
    }
  EXPECT_THAT(ids, SizeIs(5)) << "0 would be no id";
  EXPECT_THAT(w.other.graphs, SizeIs(1)) << "it is registered once";
}

// docs/rules/runtime.md#E.4.1: after 3, every 2nd: runs 1, 3, 5.
TEST(MasterSteps, record_costs_every_so_many_runs) {
  Watched w;
  SessionConfig config;
  config.graph.build_cost_model = 2;
  config.graph.build_cost_model_after = 3;
  const std::string session = w.open({1}, config);
  std::vector<bool> records;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(w.step(session).ok());
  for (const RunGraphRequest& r : w.other.runs) records.push_back(r.exec.record_costs);
  EXPECT_THAT(records, ElementsAre(true, false, true, false, true));
  EXPECT_EQ(w.other.graphs.at(0).options.build_cost_model, 2);
}

TEST(MasterSteps, that_are_traced_turn_the_logs_on_and_off_and_fetch_them) {
  Watched w;
  const std::string session = w.open({1});
  EXPECT_TRUE(w.step(session, {"n1"}, TraceLevel::software).ok());
  EXPECT_THAT(w.other.logging, IsEmpty());
  EXPECT_FALSE(w.other.runs[0].exec.record_timeline);
  const auto r = w.step(session, {"n1"}, TraceLevel::full);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_THAT(w.other.logging, ElementsAre("on", "off", "fetch 1"));
  EXPECT_TRUE(w.other.runs[1].exec.record_timeline);
  ASSERT_TRUE(r->metadata.has_value());
  ASSERT_THAT(r->metadata->stats, SizeIs(1));
  EXPECT_EQ(r->metadata->stats[0].nodes.at(0).label, "a label");
}

TEST(MasterSteps, that_fail_say_where_and_are_cleaned_up) {
  Watched w;
  w.other.runs_end = error(Code::kAborted, "it broke");
  const auto r = w.step(w.open({1}));
  EXPECT_EQ(r.status(), error(Code::kAborted, "From /job:a/replica:0/task:1:\nit broke"));
  EXPECT_THAT(w.other.cleaned, SizeIs(1));
  const auto ended =
      std::ranges::find_if(w.env.events, [](const auto& e) { return std::holds_alternative<StepEnded>(e.second); });
  ASSERT_NE(ended, w.env.events.end());
  EXPECT_EQ(std::get<StepEnded>(ended->second).code, static_cast<int>(Code::kAborted));
}

TEST(MasterSteps, that_cannot_be_cleaned_up_are_told_of) {
  Watched w;
  w.other.cleaned_as = error(Code::kAborted, "it is gone");
  EXPECT_TRUE(w.step(w.open({0, 1}), {"n0", "n1"}).ok());
  EXPECT_THAT(w.logged(), ElementsAre("E Cleanup partition error: ABORTED: it is gone"));
  EXPECT_TRUE(w.auditor.audit().marks.test(static_cast<std::size_t>(Mark::clean_up_failed)));
  ASSERT_THAT(w.auditor.audit().facts, SizeIs(1));
  EXPECT_EQ(w.auditor.audit().facts[0].what, AuditFact::What::clean_up_failed);
  EXPECT_EQ(w.auditor.audit().facts[0].task, TaskId{1u});
  EXPECT_EQ(w.auditor.audit().facts[0].step, w.other.runs[0].step);
}

TEST(MasterSteps, that_hang_after_an_error_are_complained_of_in_the_second_minute) {
  Watched w;
  w.own.never_ends = true;
  w.other.runs_end = error(Code::kAborted, "it broke");
  EXPECT_EQ(text_of(w.step(w.open({0, 1}), {"n0", "n1"}).status()), "no answer");
  EXPECT_THAT(w.logged(), ElementsAre("E RunStep still blocked after 60 seconds. Failed with error status: ABORTED: "
                                      "From /job:a/replica:0/task:1:\nit broke",
                                      "E - No response from RunGraph call to worker: /job:a/replica:0/task:0"));
  EXPECT_EQ(w.env.now(), 120'000'000'000);
  EXPECT_TRUE(w.auditor.audit().marks.test(static_cast<std::size_t>(Mark::step_blocked)));
}

TEST(MasterSteps, of_a_session_that_is_closed_are_cancelled_and_closing_waits_for_their_cleaning) {
  Watched w;
  const std::string session = w.open({1});
  w.other.never_ends = true;
  std::string step = "nothing", close = "nothing";
  (void)call_master(w.master, w.env, RunStepRequest{.session = session, .targets = {"n1"}},
                    ReplyDone<RunStepResponse>([&](const auto& r) { step = std::string(text_of(r.status())); }));
  w.env.after(1000, [&] {
    (void)call_master(w.master, w.env, CloseSessionRequest{session},
                      ReplyDone<Empty>([&](const auto& r) { close = r.ok() ? "closed" : "not"; }));
  });
  w.other.never_cleans = true;
  w.env.run();
  EXPECT_EQ(step, "Step was cancelled by an explicit call to `Session::Close()`.");
  EXPECT_EQ(close, "nothing") << "the worker does not say that the step is cleaned up";
  EXPECT_THAT(w.other.deleted, IsEmpty());
  EXPECT_EQ(text_of(w.step(session).status()), "Session " + session + " is not found.");
}

TEST(MasterSessions, tell_workers_who_their_master_is) {
  Watched w;
  const std::string session = w.open({1});
  ASSERT_THAT(w.other.sessions, SizeIs(1));
  const CreateWorkerSessionRequest& r = w.other.sessions[0];
  EXPECT_EQ(r.session, session);
  EXPECT_EQ(r.master_task, Watched::task(0));
  EXPECT_EQ(r.server.leader, Watched::task(0));
  EXPECT_EQ(r.server.job, "a");
  EXPECT_EQ(r.server.task, 1);
  EXPECT_EQ(r.server.cluster, nullptr);
  EXPECT_NE(r.master_incarnation, 0U);
  EXPECT_FALSE(r.isolate_state);
  EXPECT_THAT(r.cluster_devices, IsEmpty());
  EXPECT_TRUE(w.ask(CloseSessionRequest{session}).ok());
  EXPECT_THAT(w.other.deleted, ElementsAre(session));
}

TEST(MasterSessions, are_isolated_and_share_their_devices_where_the_client_says_so) {
  Watched w;
  SessionConfig config;
  config.isolate_session_state = true;
  config.share_cluster_devices = true;
  w.open({1}, config);
  const CreateWorkerSessionRequest& r = w.other.sessions.at(0);
  EXPECT_TRUE(r.isolate_state);
  std::vector<std::string> devices;
  for (const DeviceAttributes& d : r.cluster_devices) devices.push_back(d.name);
  EXPECT_THAT(devices, ElementsAre(Watched::device(1), Watched::device(0))) << "the master's own last";
  EXPECT_THAT(w.logged(), IsEmpty());
  config.share_is_experimental = true;
  w.open({1}, config);
  EXPECT_THAT(w.logged(), testing::Contains(HasSubstr("has been promoted to a non-experimental API")));
}

}  // namespace
}  // namespace tarry
