// The sessions that masters open at a worker (docs/rules/runtime.md#D.1).

#include "workers/worker/sessions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

struct Opened {
  std::size_t create(const std::string& session, const std::string& master = "", std::uint64_t incarnation = 1) {
    CreateWorkerSessionRequest r;
    r.session = session;
    r.master_task = master;
    r.master_incarnation = incarnation;
    return sessions.create(r).value();
  }
  [[nodiscard]] std::vector<std::string> handles() const {
    std::vector<std::string> all;
    sessions.for_each([&](const std::string& handle, const WorkerSession&) { all.push_back(handle); });
    return all;
  }

  FakeEnv env;
  LocalDevices shared;
  std::vector<std::string> made_for;
  WorkerSessions sessions{env,
                          "/job:worker/replica:0/task:0",
                          shared,
                          [this](const std::string& task) {
                            made_for.push_back(task);
                            return std::make_unique<LocalDevices>();
                          },
                          {}};
};

TEST(WorkerSessions, of_a_master_that_is_back_take_the_place_of_its_older_ones) {
  Opened w;
  EXPECT_EQ(w.create("a", "/job:chief", 1), 0u);
  EXPECT_EQ(w.create("b", "/job:chief", 1), 0u);
  EXPECT_EQ(w.create("c", "/job:other", 1), 0u);
  EXPECT_EQ(w.create("d", "/job:chief", 2), 3u) << "so many there were before";
  EXPECT_THAT(w.handles(), ElementsAre("c", "d"));
  EXPECT_EQ(w.create("e", "/job:chief", 2), 0u) << "none was older";
  EXPECT_THAT(w.handles(), ElementsAre("c", "d", "e"));
}

TEST(WorkerSessions, of_masters_that_do_not_say_who_they_are_stay) {
  Opened w;
  w.create("a", "", 1);
  EXPECT_EQ(w.create("b", "", 2), 0u);
  EXPECT_THAT(w.handles(), ElementsAre("a", "b"));
}

TEST(WorkerSessions, are_kept_as_they_are_when_they_are_created_again) {
  Opened w;
  w.create("a", "/job:chief", 1);
  const auto first = w.sessions.find("a", true).value();
  EXPECT_EQ(w.create("a", "/job:other", 1), 0u);
  EXPECT_EQ(w.sessions.find("a", true).value(), first);
  EXPECT_EQ(first->master_task, "/job:chief");
  w.sessions.remove("a");
  w.create("a", "/job:other", 1);
  EXPECT_NE(w.sessions.find("a", true).value(), first);
  EXPECT_THAT(w.handles(), ElementsAre("a"));
}

TEST(WorkerSessions, must_have_a_handle) {
  Opened w;
  EXPECT_EQ(text_of(w.sessions.create({}).status()), "Session must be non-empty.");
}

TEST(WorkerSessions, that_are_not_found_tell_of_a_restart_and_older_masters_share_one) {
  Opened w;
  w.create("a");
  const auto gone = w.sessions.find("b", true);
  EXPECT_EQ(text_of(gone.status()),
            "Session handle is not found: b. Possibly this worker (\"/job:worker/replica:0/task:0\") just restarted.");
  EXPECT_EQ(gone.status().code(), Code::kAborted);
  EXPECT_TRUE(gone.status().GetPayload("type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted"));
  const auto shared = w.sessions.find("", true).value();
  EXPECT_EQ(w.sessions.find("b", false).value(), shared) << "it was never created";
  EXPECT_EQ(w.sessions.find("a", false).value(), shared);
  EXPECT_NE(w.sessions.find("a", true).value(), shared);
}

TEST(WorkerSessions, that_are_isolated_have_devices_of_the_task_that_the_client_names) {
  Opened w;
  CreateWorkerSessionRequest r;
  r.session = "a";
  ASSERT_TRUE(w.sessions.create(r).ok());
  EXPECT_EQ(w.sessions.find("a", true).value()->own_devices, nullptr) << "it shares them";
  r.session = "b";
  r.isolate_state = true;
  ASSERT_TRUE(w.sessions.create(r).ok());
  EXPECT_NE(w.sessions.find("b", true).value()->own_devices, nullptr);
  r.session = "c";
  r.server.job = "train";
  r.server.task = 3;
  r.server.cluster = std::make_shared<const ClusterDef>();
  ASSERT_TRUE(w.sessions.create(r).ok());
  EXPECT_THAT(w.made_for, ElementsAre("/job:worker/replica:0/task:0", "/job:train/replica:0/task:3"));
}

}  // namespace
}  // namespace tarry
