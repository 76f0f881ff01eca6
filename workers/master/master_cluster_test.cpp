// A master and its cluster: who is asked for devices, and how sessions end (docs/rules/runtime.md#E).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/master/watched_test.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> names(const std::vector<DeviceAttributes>& devices) {
  std::vector<std::string> all;
  for (const DeviceAttributes& d : devices) all.push_back(d.name);
  return all;
}
ListDevicesRequest devices_of(std::string session) {
  ListDevicesRequest r;
  r.session = std::move(session);
  return r;
}
std::string code_of(const Status& s) { return code_name(s.code()); }

TEST(MastersCluster, is_listed_with_the_masters_own_devices_apart) {
  Watched w;
  const auto all = w.ask(devices_of(""));
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(names(all->local), ElementsAre(Watched::device(0)));
  EXPECT_THAT(names(all->remote), ElementsAre(Watched::device(1)));
  const auto of_session = w.ask(devices_of(w.open({1})));
  EXPECT_THAT(names(of_session->local), ElementsAre(Watched::device(0), Watched::device(1)))
      << "a session of 2.15.1 calls them all local";
  EXPECT_THAT(names(of_session->remote), IsEmpty());
  const Status unknown = w.ask(devices_of("abc")).status();
  EXPECT_EQ(text_of(unknown), "Session abc is not found. Possibly, this master has restarted.");
  EXPECT_EQ(code_of(unknown), "INVALID_ARGUMENT");
  w.other.status_is = error(Code::kUnavailable, "it is down");
  EXPECT_EQ(text_of(w.ask(devices_of("")).status()), "it is down");
}

TEST(MastersCluster, keeps_a_session_waiting_for_a_task_that_does_not_answer) {
  Watched w;
  w.other.never_says_status = true;
  (void)call_master(w.master, w.env, CreateSessionRequest{std::make_shared<const GraphSpec>(), {}, "grpc://here:1"},
                    ReplyDone<CreateSessionResponse>([](const auto&) { ADD_FAILURE() << "it was created"; }));
  w.env.run([&] { return w.env.now() >= 20 * kSecond; });
  std::vector<std::string> waits;
  for (const auto& [at, event] : w.env.events)
    if (const auto* line = std::get_if<LogLine>(&event); line != nullptr && line->level == 'I')
      waits.push_back(fmt::format("{} {}", at / kSecond, w.env.text(line->text)));
  EXPECT_THAT(waits, ElementsAre("0 Scanning workers for devices: 2 total workers",
                                 "10 CreateSession still waiting for response from worker: /job:a/replica:0/task:1",
                                 "20 CreateSession still waiting for response from worker: /job:a/replica:0/task:1"));
  EXPECT_TRUE(w.has(Mark::session_waits_for_task));
}

TEST(MastersCluster, that_has_a_task_without_devices_has_no_session) {
  Watched w;
  w.other.status_is = error(Code::kUnavailable, "it is down");
  const auto r = w.ask(CreateSessionRequest{std::make_shared<const GraphSpec>(), {}, "grpc://here:1"});
  EXPECT_EQ(r.status(), w.other.status_is);
  EXPECT_THAT(w.logged(), ElementsAre("E CreateSession failed because worker /job:a/replica:0/task:1 returned error: "
                                      "UNAVAILABLE: it is down"));
  EXPECT_TRUE(w.has(Mark::devices_not_found));
  EXPECT_THAT(w.own.sessions, IsEmpty());
  EXPECT_LT(w.env.now(), 10 * kSecond) << "nobody waits any more";
}

TEST(MastersCluster, is_what_the_filters_admit_and_the_master) {
  const auto asked = [](const char* filter) {
    Watched w;
    SessionConfig config;
    config.device_filters = {filter};
    w.open({}, config);
    return std::pair(w.own.sessions.size(), w.other.sessions.size());
  };
  EXPECT_EQ(asked("/job:a/task:0"), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_EQ(asked("/job:a/task:1"), std::pair(std::size_t{1}, std::size_t{1})) << "the master is always there";
  EXPECT_EQ(asked("/job:b"), std::pair(std::size_t{1}, std::size_t{0}));
}

TEST(MastersCluster, may_have_names_of_the_clients) {
  Watched w;
  SessionConfig config;
  config.cluster.jobs = {{"train", {{0, "here:1"}, {1, "there:1"}, {2, "nowhere:1"}}}};
  const std::string session = w.open({}, config);
  ASSERT_THAT(w.other.sessions, SizeIs(1));
  const CreateWorkerSessionRequest& r = w.other.sessions[0];
  EXPECT_EQ(r.server.job, "train");
  EXPECT_EQ(r.server.task, 1);
  EXPECT_EQ(r.server.leader, "/job:train/replica:0/task:0");
  ASSERT_NE(r.server.cluster, nullptr);
  EXPECT_TRUE(r.isolate_state) << "its devices have other names";
  const auto listed = w.ask(devices_of(session));
  std::vector<std::string> all = names(listed->local);
  for (const std::string& name : names(listed->remote)) all.push_back(name);
  EXPECT_THAT(all, testing::UnorderedElementsAre("/job:train/replica:0/task:0/device:CPU:0",
                                                 "/job:train/replica:0/task:1/device:CPU:0"));
}

ResetRequest reset_of(std::vector<std::string> containers, std::vector<std::string> filters = {}) {
  return {std::move(containers), std::move(filters)};
}

TEST(MastersReset, empties_containers_everywhere_and_closes_all_sessions) {
  Watched w;
  const std::string a = w.open({1}), b = w.open({1});
  EXPECT_TRUE(w.ask(reset_of({"c", "d"})).ok());
  EXPECT_THAT(w.own.emptied, ElementsAre("c", "d"));
  EXPECT_THAT(w.other.emptied, ElementsAre("c", "d"));
  EXPECT_THAT(w.other.deleted, testing::UnorderedElementsAre(a, b));
  EXPECT_EQ(text_of(w.step(a).status()), "Session " + a + " is not found.");
  EXPECT_TRUE(w.step(w.open({1})).ok()) << "another one may begin";
}

TEST(MastersReset, asks_only_whom_the_filters_admit_and_goes_on_where_one_fails) {
  Watched w;
  EXPECT_TRUE(w.ask(reset_of({"c"}, {"/job:a/task:0"})).ok());
  EXPECT_THAT(w.other.emptied, IsEmpty());
  w.other.empties_as = error(Code::kAborted, "it is gone");
  const std::string session = w.open({1});
  EXPECT_TRUE(w.ask(reset_of({})).ok());
  EXPECT_THAT(w.logged(), ElementsAre("E Worker CleanupAll failed: ABORTED: it is gone"));
  EXPECT_THAT(w.other.deleted, ElementsAre(session));
  EXPECT_THAT(text_of(w.ask(reset_of({}, {"/jobps"})).status()), HasSubstr("is not a device name"));
}

TEST(MasterSessions, are_closed_though_a_worker_cannot_delete_them) {
  Watched w;
  const std::string session = w.open({1});
  w.other.deletes_as = error(Code::kAborted, "it is gone");
  EXPECT_TRUE(w.ask(CloseSessionRequest{session}).ok());
  EXPECT_THAT(w.logged(), ElementsAre("W ABORTED: it is gone"));
  EXPECT_FALSE(w.has(Mark::deletion_given_up));
  const std::string hanging = w.open({1});
  w.other.never_deletes = true;
  const Nanos before = w.env.now();
  EXPECT_TRUE(w.ask(CloseSessionRequest{hanging}).ok());
  EXPECT_EQ(w.env.now() - before, 10 * kSecond) << "so long a worker has for it";
  EXPECT_TRUE(w.has(Mark::deletion_given_up));
  EXPECT_EQ(text_of(w.ask(CloseSessionRequest{session}).status()),
            "Session " + session + " is not found. Possibly, this master has restarted.");
}

TEST(MasterSessions, are_not_made_by_half) {
  Watched w;
  w.other.opens_as = error(Code::kAborted, "no room");
  const auto r = w.ask(CreateSessionRequest{std::make_shared<const GraphSpec>(), {}, "grpc://here:1"});
  EXPECT_EQ(text_of(r.status()), "no room");
  EXPECT_THAT(w.own.deleted, SizeIs(1)) << "what the others opened is closed";
  EXPECT_TRUE(w.has(Mark::session_half_made));
}

TEST(MasterSessions, cannot_place_pruned_graphs) {
  Watched w;
  SessionConfig config;
  config.graph.place_pruned_graph = true;
  EXPECT_TRUE(w.step(w.open({1}, config)).ok());
  EXPECT_THAT(w.logged(), ElementsAre(HasSubstr("W Distributed session does not support the place")));
  ASSERT_THAT(w.other.graphs, SizeIs(1));
  EXPECT_FALSE(w.other.graphs[0].options.place_pruned_graph);
  EXPECT_FALSE(w.other.graphs[0].config->graph.place_pruned_graph);
}

TEST(MasterSteps, fail_again_as_their_graph_failed_to_be_registered) {
  Watched w;
  w.other.registers_as = error(Code::kAborted, "no kernel");
  const std::string session = w.open({1});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(text_of(w.step(session).status()), HasSubstr("no kernel"));
  EXPECT_THAT(w.other.graphs, SizeIs(1)) << "it is not tried again";
  EXPECT_THAT(w.other.runs, IsEmpty());
  EXPECT_THAT(w.other.cleaned, IsEmpty());
  EXPECT_TRUE(w.has(Mark::registration_failed));
  std::vector<int> codes;
  for (const auto& [at, event] : w.env.events)
    if (const auto* e = std::get_if<StepEnded>(&event)) codes.push_back(e->code);
  EXPECT_THAT(codes, ElementsAre(static_cast<int>(Code::kAborted), static_cast<int>(Code::kAborted)));
  EXPECT_TRUE(w.ask(CloseSessionRequest{session}).ok()) << "no step is left to wait for";
}

TEST(MasterSteps, are_ended_by_their_first_cause_and_a_second_is_told_too) {
  Watched w;
  w.own.runs_end = error(Code::kAborted, "first");
  w.other.runs_end = error(Code::kAborted, "second");
  const std::string text(text_of(w.step(w.open({0, 1}), {"n0", "n1"}).status()));
  EXPECT_THAT(text, HasSubstr("From /job:a/replica:0/task:0:\nfirst"));
  EXPECT_TRUE(w.has(Mark::step_cancelled_by_error));
}

}  // namespace
}  // namespace tarry
