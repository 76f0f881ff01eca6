// Calls when processes end and connections break.

#include "workers/worker/directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/worker/rpc.hpp"
#include "workers/worker/silent_worker.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr TaskId kPs{0u}, kA{1u}, kB{2u};

// Answers a CleanupGraph after a while and keeps the rest.
class Server final : public SilentWorker {
 public:
  using SilentWorker::serve;
  Server(FakeEnv& env, std::vector<std::string>& heard, int& served) : env_(env), heard_(heard), served_(served) {}
  void serve(CleanupGraphRequest r, ServerCall<Empty> call) override {
    ++served_;
    call.on_cancel([this, r] { heard_.push_back(fmt::format("gone {}", r.step.value)); });
    env_.after(100, [call] { call.answer(Empty{}); });
  }
  void serve(GetStatusRequest, ServerCall<GetStatusResponse> call) override { call.answer(GetStatusResponse{}); }

 private:
  FakeEnv& env_;
  std::vector<std::string>& heard_;
  int& served_;
};

struct Cluster {
  FakeEnv env;
  Directory directory{
      env,
      {{"/job:ps/replica:0/task:0", {}, 1}, {"/job:w/replica:0/task:0", {}, 2}, {"/job:w/replica:0/task:1", {}, 3}}};
  std::vector<std::string> heard, answers;
  int served = 0;  // clean-ups that arrived

  Cluster() {
    env.latency = [](TaskId, TaskId) { return Nanos{10}; };
    for (const TaskId t : {kPs, kA, kB}) start(t);
  }
  void start(TaskId t) { directory.start(t, std::make_unique<Server>(env, heard, served)); }
  CallRef clean_up(TaskId from, std::uint64_t step) {
    CleanupGraphRequest request;
    request.step = StepId{step};
    return call(directory, from, kPs, request, [this, step](const StatusOr<Empty>& r) {
      answers.push_back(fmt::format("{} {} at {}", step, r.ok() ? "OK" : std::string(text_of(r.status())), env.now()));
    });
  }
  void at(Nanos t, Callback f) { env.after(t, std::move(f)); }
};

TEST(Directory, a_call_to_a_process_that_ends_fails_when_the_news_arrives) {
  Cluster c;
  c.clean_up(kA, 1);
  c.at(50, [&] { c.directory.end(kPs); });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("1 Socket closed at 60"));
  EXPECT_FALSE(c.directory.is_present(kPs));
}

TEST(Directory, the_calls_of_a_process_that_ends_are_heard_by_nobody_and_cancelled_where_they_are_served) {
  Cluster c;
  c.clean_up(kA, 1);
  c.clean_up(kB, 2);
  c.at(50, [&] { c.directory.end(kA); });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("2 OK at 120"));
  EXPECT_THAT(c.heard, ElementsAre("gone 1"));
}

TEST(Directory, a_request_on_its_way_to_the_old_process_does_not_reach_the_next_one) {
  Cluster c;
  c.clean_up(kA, 1);
  c.at(3, [&] {
    c.directory.end(kPs);
    c.start(kPs);
  });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("1 Socket closed at 13"));
  EXPECT_EQ(c.served, 0);
  EXPECT_EQ(c.directory.life(kPs), 1u);
}

TEST(Directory, a_process_that_has_ended_hears_of_nothing) {
  Cluster c;
  const CallRef given_up = c.clean_up(kA, 1);
  c.clean_up(kB, 2);
  c.at(50, [&] {
    c.directory.end(kPs);
    given_up->cancel();
    c.directory.disconnect(kPs, kB);
  });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("1 Cancelled at 50", "2 Socket closed at 50"));
  EXPECT_THAT(c.heard, IsEmpty());
}

TEST(Directory, a_broken_connection_fails_calls_at_once_and_both_processes_live) {
  Cluster c;
  c.clean_up(kA, 1);
  c.clean_up(kB, 2);
  c.at(50, [&] { c.directory.disconnect(kPs, kA); });
  c.at(60, [&] { c.clean_up(kA, 3); });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("1 Socket closed at 50", "2 OK at 120", "3 OK at 180"));
  EXPECT_THAT(c.heard, ElementsAre("gone 1"));
}

TEST(Directory, a_call_that_is_sent_again_reaches_the_server_twice_and_its_caller_hears_once) {
  Cluster c;
  c.directory.may_resend = true;
  c.clean_up(kA, 1);
  c.clean_up(kB, 2);
  c.at(50, [&] { c.directory.resend(kA, kPs); });
  c.env.run();
  EXPECT_THAT(c.answers, UnorderedElementsAre("1 OK at 170", "2 OK at 120"));
  EXPECT_THAT(c.heard, ElementsAre("gone 1"));
  EXPECT_EQ(c.served, 3);
}

TEST(Directory, calls_that_may_be_sent_again_are_told_apart) {
  Cluster c;
  EXPECT_EQ(c.directory.request_id(StepId{7}, kA, 1), 0u);
  c.directory.may_resend = true;
  const std::uint64_t id = c.directory.request_id(StepId{7}, kA, 1);
  EXPECT_NE(id, 0u);
  EXPECT_NE(id, c.directory.request_id(StepId{7}, kA, 2));
  EXPECT_NE(id, c.directory.request_id(StepId{7}, kB, 1));
}

TEST(Directory, a_call_that_was_sent_again_can_still_be_cancelled) {
  Cluster c;
  c.directory.may_resend = true;
  const CallRef mine = c.clean_up(kA, 1);
  c.at(50, [&] { c.directory.resend(kA, kPs); });
  c.at(90, [&] { mine->cancel(); });
  c.env.run();
  EXPECT_THAT(c.answers, ElementsAre("1 Cancelled at 90"));
  EXPECT_THAT(c.heard, ElementsAre("gone 1", "gone 1"));
  EXPECT_TRUE(mine->has_ended());
}

TEST(Directory, a_call_that_waits_for_a_process_is_answered_by_the_next_one) {
  Cluster c;
  c.directory.end(kPs);
  bool answered = false;
  call(c.directory, kA, kPs, GetStatusRequest{}, [&](const StatusOr<GetStatusResponse>& r) { answered = r.ok(); });
  c.at(500, [&] { c.start(kPs); });
  c.env.run();
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace tarry
