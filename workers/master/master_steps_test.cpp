// What a master tells its workers of sessions and steps, and what it makes of their answers (docs/rules/runtime.md#E).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "workers/master/watched_test.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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
  EXPECT_TRUE(w.has(Mark::clean_up_failed));
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
  EXPECT_TRUE(w.has(Mark::step_blocked));
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
