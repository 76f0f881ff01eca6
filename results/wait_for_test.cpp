// What the next aggregate, or the next step, waits for, from logs written by hand.

#include "results/wait_for.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

// The story of two workers, and what is wrong from 5 s on.
struct Waiting : Story {
  bool has_hosts = true;
  Waiting() { log.set_names({"v:0/grad_accum", "part", "", "server", "host0", "host1"}); }
  Waiting& sync(std::int64_t required) {
    ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2);
    at(0, StepBegan{kChief, StepId{99}, Purpose::sync}).take(0, required);
    return *this;
  }
  Waiting& parted(std::uint32_t a, std::uint32_t b) {
    at(5, ConditionChanged{NameId{1u}, NameId{1u}, NameId{a}, NameId{b}, true});
    return *this;
  }
  template <class Answer>
  auto ask(Answer answer) const {
    TaskNames tasks = kTasks;
    if (has_hosts) tasks.hosts = {"server", "host0", "host1"};
    const Contributions c = contributions();
    return answer(read_evidence(log, c, tasks));
  }
  [[nodiscard]] WaitsFor training() const {
    return ask([](const Evidence& e) { return waits_for(e, 6 * kSecond); });
  }
  [[nodiscard]] std::size_t step_of(TaskId worker) const {
    return ask([&](const Evidence& e) { return step_waits_for(e, worker, 6 * kSecond).troubles.size(); });
  }
};

TEST(WaitFor, while_all_is_well_it_is_for_nothing) {
  Waiting w;
  w.sync(2);
  EXPECT_TRUE(w.training().troubles.empty());
  EXPECT_FALSE(w.training().is_circle);
  EXPECT_FALSE(w.training().never_taken);
}

TEST(WaitFor, an_aggregate_waits_for_a_worker_whose_gradient_it_needs) {
  for (const auto& [a, b] : {std::pair(3u, 5u), std::pair(5u, 3u)}) {
    Waiting all, one;
    EXPECT_EQ(all.sync(2).parted(a, b).training().troubles.size(), 1u);
    EXPECT_EQ(one.sync(1).parted(a, b).training().troubles.size(), 0u);  // the chief's suffices
  }
}

// The chief's step has a part on worker 1; another asynchronous worker's has none.
TEST(WaitFor, a_step_in_the_graph_waits_for_parts_on_the_other_side_of_a_partition) {
  const auto troubles = [](bool has_part) {
    Waiting w;
    w.log.set_names({"RunGraph request", "part", "", "server", "host0", "host1"});
    w.ready(0, kChief).step(0, kChief, 1).at(1, MessageDelivered{kChief, has_part ? kOther : kPs, NameId{0u}, 1, 0});
    return w.parted(4, 5).training().troubles.size();
  };
  EXPECT_EQ(troubles(true), 1u);
  EXPECT_EQ(troubles(false), 0u);
}

TEST(WaitFor, a_trouble_of_one_task_is_no_other_tasks) {
  Waiting gone;
  gone.has_hosts = false;
  gone.sync(1).at(5, ProcessEnded{kOther});
  EXPECT_TRUE(gone.training().troubles.empty());
}

TEST(WaitFor, an_aggregate_that_is_complete_waits_for_the_one_who_takes_it) {
  Waiting w;
  w.sync(2).push(1, 1).push(1, 2).at(5, ProcessEnded{kChief});
  ASSERT_EQ(w.training().troubles.size(), 1u);
  EXPECT_EQ(w.training().troubles[0].task, kChief);
}

TEST(WaitFor, everything_waits_for_a_server_that_is_gone) {
  Waiting sync, async;
  sync.sync(1).push(1, 1).at(5, ProcessEnded{kPs});
  async.step(0, kChief, 1).step(0, kOther, 2).at(5, ProcessEnded{kPs});
  for (const Waiting* w : {&sync, &async}) EXPECT_EQ(w->training().troubles.size(), 1u);
}

TEST(WaitFor, workers_that_wait_for_tokens_wait_in_a_circle) {
  Waiting w;
  w.sync(3).push(1, 1).push(1, 2);
  const WaitsFor waits = w.training();
  EXPECT_TRUE(waits.is_circle);
  EXPECT_THAT(waits.for_tokens, ElementsAre(kChief, kOther));
  EXPECT_EQ(std::tuple(waits.gradients, waits.required, waits.variable), std::tuple(2, 3, "v:0"));
}

TEST(WaitFor, without_a_take_nobody_takes) {
  Waiting w;
  w.ready(0, kChief).step(0, kChief, 1).push(1, 1);
  EXPECT_TRUE(w.training().never_taken);
}

TEST(WaitFor, without_a_take_it_may_be_for_a_client_that_never_trained) {
  const TaskId chief{3u};
  const auto waits = [&](bool has_session) {
    Waiting w;
    w.log.set_names({"v:0/grad_accum", "part", "", "server", "host0", "host1", "host2"});
    w.ready(0, kChief).step(0, kChief, 1).push(1, 1);
    if (has_session) w.at(0, SessionMoved{chief, SessionStage::created, kNoDetail});
    w.parted(6, 3);
    TaskNames tasks{{kTasks.names[0], kTasks.names[1], kTasks.names[2], "/job:worker/replica:0/task:2"}};
    tasks.hosts = {"server", "host0", "host1", "host2"};
    const Contributions c = w.contributions();
    return waits_for(read_evidence(w.log, c, tasks), 6 * kSecond).troubles.size();
  };
  EXPECT_EQ(waits(true), 1u);
  EXPECT_EQ(waits(false), 0u);
}

// Three gradients are needed, and two workers brought theirs; the third client failed before its first step.
TEST(WaitFor, an_aggregate_waits_for_a_client_that_failed_before_its_first_step) {
  const auto waits = [](std::int64_t required, bool has_failed, bool has_second = true) {
    const TaskId third{3u};
    Waiting w;
    w.sync(required).push(1, 1).ready(1, third);
    if (has_second) w.push(1, 2);
    if (has_failed) w.at(5, SessionMoved{third, SessionStage::failed, kNoDetail});
    const TaskNames tasks{{kTasks.names[0], kTasks.names[1], kTasks.names[2], "/job:worker/replica:0/task:2"}};
    const Contributions c = w.contributions();
    return waits_for(read_evidence(w.log, c, tasks), 6 * kSecond);
  };
  ASSERT_EQ(waits(3, true).troubles.size(), 1u);
  EXPECT_EQ(waits(3, true).troubles[0].task, TaskId{3u});
  EXPECT_FALSE(waits(3, true).is_circle);
  EXPECT_TRUE(waits(3, false).is_circle);
  EXPECT_TRUE(waits(2, true).troubles.empty()) << "theirs suffice";
  EXPECT_TRUE(waits(3, true, false).troubles.empty()) << "a gradient is still on its way";
}

TEST(WaitFor, asynchronous_training_goes_on_while_one_worker_is_free) {
  Waiting w;
  w.step(0, kChief, 1).step(0, kOther, 2);
  w.parted(3, 5);
  EXPECT_EQ(w.training().troubles.size(), 0u);
  EXPECT_EQ(w.step_of(kOther), 1u);
  EXPECT_EQ(w.step_of(kChief), 0u);
  EXPECT_EQ(w.parted(4, 3).training().troubles.size(), 2u);
}

TEST(LostInBetween, is_the_server_or_chief_that_was_ready_again_in_that_time) {
  const auto gives = [](const Trouble& t) {
    Facts f(Training::synchronous, 2, 2);
    f.c.initialiser = kChief;
    f.e.troubles = {t};
    const Trouble* found = lost_in_between(f.e, 10 * kSecond, 20 * kSecond);
    return found != nullptr && *found == t;
  };
  const Trouble lost{.kind = Trouble::Kind::gone, .task = kPs, .from = 11 * kSecond, .to = 20 * kSecond};
  const auto but = [&](auto change) {
    Trouble t = lost;
    change(t);
    return t;
  };
  EXPECT_TRUE(gives(lost));
  EXPECT_TRUE(gives(but([](Trouble& t) { t.task = kChief; })));
  EXPECT_FALSE(gives(but([](Trouble& t) { t.task = kOther; }))) << "the others do not begin anew";
  EXPECT_FALSE(gives(but([](Trouble& t) { t.from = 10 * kSecond; }))) << "lost before";
  EXPECT_FALSE(gives(but([](Trouble& t) { t.to = 20 * kSecond + 1; }))) << "ready later";
  EXPECT_FALSE(gives(but([](Trouble& t) { t.to = -1; })));
  EXPECT_FALSE(gives(but([](Trouble& t) { t.kind = Trouble::Kind::paused; })));
}

}  // namespace
}  // namespace tarry
