// What the sessions of one graph share, and with whom (session_graph.hpp).

#include "workers/master/session_graph.hpp"

#include <gtest/gtest.h>

#include "placer/core/check.hpp"
#include "workers/fake_env.hpp"
#include "workers/known_job.hpp"

namespace tarry {
namespace {

using NamedDevices = std::vector<std::pair<std::string, std::string>>;  // name and type

const std::string kClientTask = "/job:worker/replica:0/task:0", kClientCpu = kClientTask + "/device:CPU:0",
                  kClientGpu = kClientTask + "/device:GPU:0", kServerCpu = "/job:ps/replica:0/task:0/device:CPU:0",
                  kOtherCpu = "/job:ps/replica:0/task:1/device:CPU:0";
const NamedDevices kTwoDevices{{kClientCpu, "CPU"}, {kServerCpu, "CPU"}};

// The sessions of one job. All that `graph_of` gives is what they share, or do not.
struct Sessions {
  SessionSite& site(const NamedDevices& devices, std::uint64_t incarnation = 1) {
    SessionSite& made = *sites_.emplace_back(std::make_unique<SessionSite>(
        SessionSite{directory, TaskId{0u}, SharedText("handle"), nullptr, DeviceSet(), {}}));
    for (const auto& [name, type] : devices) check(made.devices.add(name, type, incarnation).ok(), "a device name");
    made.client = {made.devices.find(kClientCpu), kClientCpu, incarnation};
    return made;
  }
  SessionGraph& on(const SessionSite& site, bool soft_placement = true) {
    SessionGraph& made = *graphs_.emplace_back(std::make_unique<SessionGraph>(site, soft_placement));
    EXPECT_TRUE(made.create({written, {kClientTask, kClientTask}}).ok());
    return made;
  }
  SessionGraph& on(const NamedDevices& devices) { return on(site(devices)); }

  FakeEnv env;
  KnownJob known;
  Directory directory{env, {{kClientTask, {kClientCpu}, 7}}};
  std::shared_ptr<const GraphSpec> written =
      std::make_shared<const GraphSpec>(GraphSpec{{{"x", "Placeholder", "", {}, {{"dtype", DataType::kFloat}}}}});

  Sessions() {
    directory.known = &known;
    known.keep(written);
  }

 private:
  std::vector<std::unique_ptr<SessionSite>> sites_;
  std::vector<std::unique_ptr<SessionGraph>> graphs_;
};

bool share(const SessionGraph& a, const SessionGraph& b) { return &a.placed() == &b.placed(); }

TEST(SessionGraph, is_placed_once_for_all_sessions_with_the_same_devices) {
  Sessions s;
  EXPECT_TRUE(share(s.on(kTwoDevices), s.on(kTwoDevices)));
  EXPECT_TRUE(share(s.on(kTwoDevices), s.on(s.site(kTwoDevices, 2)))) << "though the processes are others";
}

TEST(SessionGraph, is_placed_anew_where_a_device_is_another) {
  Sessions s;
  const SessionGraph& first = s.on(kTwoDevices);
  EXPECT_FALSE(share(first, s.on({{kClientCpu, "CPU"}, {kOtherCpu, "CPU"}}))) << "of another name";
  EXPECT_FALSE(share(first, s.on({{kClientCpu, "CPU"}, {kServerCpu, "GPU"}}))) << "of another type";
  EXPECT_FALSE(share(first, s.on({{kServerCpu, "CPU"}, {kClientCpu, "CPU"}}))) << "in another order";
}

TEST(SessionGraph, is_placed_anew_where_there_are_more_devices_or_fewer) {
  Sessions s;
  const SessionGraph& first = s.on(kTwoDevices);
  EXPECT_FALSE(share(first, s.on({{kClientCpu, "CPU"}, {kServerCpu, "CPU"}, {kClientGpu, "GPU"}})));
  EXPECT_FALSE(share(first, s.on({{kClientCpu, "CPU"}})));
}

TEST(SessionGraph, is_placed_anew_where_a_request_is_kept_and_was_none_before) {
  Sessions s;
  EXPECT_FALSE(share(s.on(s.site(kTwoDevices), true), s.on(s.site(kTwoDevices), false)));
}

TEST(SessionGraph, is_placed_anew_for_a_client_at_another_device) {
  Sessions s;
  const NamedDevices all{{kClientCpu, "CPU"}, {kClientGpu, "GPU"}};
  SessionSite& other = s.site(all);
  other.client = {other.devices.find(kClientGpu), kClientGpu, 1};
  EXPECT_FALSE(share(s.on(all), s.on(other)));
}

TEST(SessionGraph, is_not_shared_by_a_client_that_wants_something_special) {
  Sessions s;
  const SessionGraph& first = s.on(kTwoDevices);
  SessionSite& configured = s.site(kTwoDevices);
  configured.config = std::make_shared<const SessionConfig>();
  EXPECT_FALSE(share(first, s.on(configured))) << "of its workers";
  SessionSite& renamed = s.site(kTwoDevices);
  renamed.renamed.emplace(kClientTask, TaskId{0u});
  EXPECT_FALSE(share(first, s.on(renamed))) << "names of its own";
}

TEST(SessionGraph, is_its_sessions_own_once_it_is_extended) {
  Sessions s;
  const SessionGraph& first = s.on(kTwoDevices);
  SessionGraph& second = s.on(kTwoDevices);
  ASSERT_TRUE(second.extend({{{"more", "NoOp", "", {}, {}}}}, 0).ok());
  EXPECT_FALSE(share(first, second));
  EXPECT_FALSE(first.placed().find("more").valid());
  EXPECT_TRUE(share(first, s.on(kTwoDevices))) << "later sessions begin as the first did";
}

}  // namespace
}  // namespace tarry
