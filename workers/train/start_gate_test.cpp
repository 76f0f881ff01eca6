#include "workers/train/start_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"

namespace tarry {
namespace {

constexpr TaskId kFirst{1u}, kOther{2u}, kLooker{3u};

struct Gated {
  FakeEnv env;
  StartGate gate{env, {kFirst, kOther}};
  std::vector<unsigned> passed;
  Nanos opened = -1;
  Gated() {
    gate.on_open = [this](Nanos at) { opened = at; };
  }
  void arrive(TaskId task) {
    gate.arrive(task, [this, task] { passed.push_back(task.value); });
  }
  std::vector<unsigned> all() {
    env.run();
    return passed;
  }
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StartGate, opens_when_the_last_expected_client_has_arrived) {
  Gated g;
  g.gate.when_open(kLooker, [&] { g.passed.push_back(9); });
  g.arrive(kOther);
  EXPECT_THAT(g.all(), IsEmpty());
  EXPECT_EQ(g.opened, -1);
  g.arrive(kFirst);
  EXPECT_THAT(g.all(), ElementsAre(9, 2, 1));
  EXPECT_EQ(g.opened, 0);
  g.arrive(kOther);  // a client that comes later finds it open
  EXPECT_THAT(g.all(), ElementsAre(9, 2, 1, 2));
}

TEST(StartGate, waits_no_longer_for_a_client_whose_process_has_ended) {
  Gated g;
  g.arrive(kFirst);
  g.gate.leave(kOther);
  EXPECT_THAT(g.all(), ElementsAre(1));
}

TEST(StartGate, forgets_what_a_client_waited_for_and_expects_the_next_one) {
  Gated g;
  g.arrive(kFirst);
  g.gate.leave(kFirst);
  g.gate.expect(kFirst);
  g.arrive(kOther);
  EXPECT_THAT(g.all(), IsEmpty());
  g.arrive(kFirst);
  EXPECT_THAT(g.all(), ElementsAre(2, 1));
}

TEST(StartGate, that_is_open_expects_nobody) {
  Gated g;
  g.arrive(kFirst), g.arrive(kOther);
  g.gate.expect(kLooker);
  g.gate.leave(kLooker);
  EXPECT_TRUE(g.gate.is_open());
  EXPECT_THAT(g.all(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace tarry
