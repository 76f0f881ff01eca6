// Verdicts about load, from logs written by hand: two servers, two workers, messages and steps.

#include "results/loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Nanos kMilli = 1'000'000;
constexpr TaskId kPs0{0u}, kPs1{1u}, kWorker0{2u}, kWorker1{3u};
constexpr NameId kReply{0u}, kGradients{1u};
const TaskNames kFourTasks{{"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1", "/job:worker/replica:0/task:0",
                            "/job:worker/replica:0/task:1"}};

struct Message {
  TaskId from, to;
  std::uint64_t bytes;
  int sent_ms, at_ms;
};

struct Timetable {
  EventLog log;
  std::uint64_t steps = 0;

  Timetable() { log.set_names({"RecvTensor reply", "v:0/grad_accum"}); }
  void at(int ms, const Event& e) {
    log.add(ms * kMilli, e);
    log.ended_at = ms * kMilli;
  }
  // An empty message first: it takes 1 ms, the latency.
  Timetable& paths() {
    for (const TaskId ps : {kPs0, kPs1})
      for (const TaskId w : {kWorker0, kWorker1})
        at(1, MessageDelivered{ps, w, kReply, 0, 0}), at(1, MessageDelivered{w, ps, kReply, 0, 0});
    return *this;
  }
  // A step of one worker with what it gets meanwhile; `pushed_ms` < 0: an asynchronous one.
  Timetable& step(TaskId worker, int from_ms, int to_ms, const std::vector<Message>& messages, int pushed_ms = -1) {
    const StepId id{++steps};
    at(from_ms, StepBegan{worker, id, Purpose::train});
    for (const Message& m : messages) at(m.at_ms, MessageDelivered{m.from, m.to, kReply, m.bytes, m.sent_ms * kMilli});
    if (pushed_ms >= 0) at(pushed_ms, GradientPushed{kPs0, kGradients, id, 0, 0, true});
    at(to_ms, StepEnded{worker, id, 0});
    return *this;
  }
  // Those that speak of load.
  [[nodiscard]] std::vector<Verdict> verdicts() const {
    std::vector<Verdict> all = judge(log, read_contributions(log), kFourTasks);
    std::erase_if(all, [](const Verdict& v) {
      return !says_any({&v, 1}, {"ps_imbalance", "network_bound", "straggler"});
    });
    return all;
  }
  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> all;
    for (const Verdict& v : verdicts()) all.push_back(v.kind);
    return all;
  }
};

// Ten asynchronous steps of 100 ms, in which both servers send; the transfers of each take a part of that.
Timetable asynchronous(std::uint64_t from_ps0, int ps0_ms, std::uint64_t from_ps1, int ps1_ms) {
  Timetable s;
  s.paths();
  for (int i = 0; i < 10; ++i) {
    const int t = 10 + 100 * i;
    s.step(kWorker0, t, t + 100,
           {{kPs1, kWorker0, from_ps1, t, t + 1 + ps1_ms}, {kPs0, kWorker0, from_ps0, t, t + 1 + ps0_ms}});
  }
  return s;
}

TEST(StepTimes, messages_that_overlap_count_once_and_latency_is_no_transfer) {
  const Loads loads = read_loads(asynchronous(4000, 40, 1000, 10).log);
  const StepTimes& w = loads.workers.at(kWorker0);
  EXPECT_EQ(w.total, 1000 * kMilli);
  EXPECT_EQ(w.on_the_way, 10 * 41 * kMilli);
  EXPECT_EQ(w.transferring, 10 * 40 * kMilli);
  EXPECT_EQ(loads.tasks.at(kPs0).bytes, 40'000u);
  EXPECT_EQ(loads.tasks.at(kPs0).transferring, 400 * kMilli);
}

TEST(StepTimes, of_a_synchronous_step_end_at_its_last_push) {
  Timetable s;
  s.paths().step(kWorker0, 10, 500, {}, 60);
  EXPECT_THAT(read_loads(s.log).workers.at(kWorker0).own, ElementsAre(50 * kMilli));
}

TEST(Greedy, puts_the_largest_first_and_each_where_least_is) {
  EXPECT_EQ(busiest_if_greedy({5, 4, 3, 3, 3}, 2), 10u);
  EXPECT_EQ(busiest_if_greedy({100, 1, 1}, 3), 100u);
}

TEST(Imbalance, of_servers_is_told_with_what_greedy_would_give) {
  const auto verdicts = asynchronous(4000, 40, 1000, 10).verdicts();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].kind, "ps_imbalance");
  EXPECT_THAT(verdicts[0].text, HasSubstr("ps 0 carries 80 % of what the parameter servers send"));
  EXPECT_THAT(verdicts[0].text,
              HasSubstr("one tensor has 0.004 MB: split that variable, which comes down to 0.003 MB."));
}

TEST(Imbalance, is_none_when_the_busier_server_is_idle_most_of_the_time) {
  EXPECT_THAT(asynchronous(4000, 20, 1000, 10).kinds(), IsEmpty());
}
TEST(Imbalance, is_none_between_servers_that_send_about_the_same) {
  EXPECT_THAT(asynchronous(4000, 40, 3000, 40).kinds(), IsEmpty());
}

TEST(Network, is_what_binds_a_job_whose_steps_are_transfers_for_the_most_part) {
  EXPECT_THAT(asynchronous(4000, 60, 3000, 50).kinds(), ElementsAre("network_bound"));
  EXPECT_EQ(
      where_time_went(read_loads(asynchronous(4000, 60, 3000, 50).log)),
      "Workers' steps, up to their pushes: 39 % computing, 60 % transfers, 1 % latency: network-bound, by bandwidth.");
}

TEST(Network, latency_alone_is_no_load) {
  Timetable s;
  s.paths();
  for (int i = 0; i < 10; ++i) s.step(kWorker0, 10 + 2 * i, 12 + 2 * i, {{kPs0, kWorker0, 10, 10 + 2 * i, 11 + 2 * i}});
  EXPECT_THAT(s.kinds(), IsEmpty());
}

// Aggregates of as many gradients as there are workers.
Timetable synchronous(int slow_ms, std::int64_t required = 2) {
  Timetable s;
  s.paths();
  s.at(2, TakeIssued{kPs0, kGradients, StepId{900}, required});
  for (int i = 0; i < 5; ++i) {
    const int t = 10 + 1000 * i;
    s.step(kWorker0, t, t + 900, {}, t + 100);
    s.step(kWorker1, t + 901, t + 1899, {}, t + 901 + slow_ms);
  }
  return s;
}

TEST(Straggler, is_who_takes_twice_as_long_as_the_next_slowest) {
  const auto verdicts = synchronous(200).verdicts();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].kind, "straggler");
  EXPECT_THAT(verdicts[0].text, HasSubstr("worker 1 is what the others wait for: it takes 0.200 s until its gradients "
                                          "are in, the next slowest 0.100 s"));
}

TEST(Straggler, is_nobody_who_takes_a_little_longer) { EXPECT_THAT(synchronous(199).kinds(), IsEmpty()); }
TEST(Straggler, is_nobody_when_an_aggregate_can_do_without_a_worker) {
  EXPECT_THAT(synchronous(500, 1).kinds(), IsEmpty());
}

}  // namespace
}  // namespace tarry
