// What is a standstill and what is not, to the nanosecond, from logs written by hand.

#include "results/standstill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "results/told_story.hpp"

namespace tarry {
namespace {

constexpr Nanos kMillis = 1'000'000;
constexpr std::string_view kOtherName = "/job:worker/replica:0/task:1";

// Aggregates of both workers, and what is wrong meanwhile; times are nanoseconds.
struct Course : Story {
  std::uint64_t last_step = 0;
  Nanos last = 0;

  Course() {
    log.set_names({"v:0/grad_accum", "part", "slow", "host1", "server", std::string(kOtherName), "left", "pause"});
    ready(0, kChief).ready(0, kOther).at(0, StepBegan{kChief, StepId{99}, Purpose::sync}).take(0, 2);
  }
  void add(Nanos t, const Event& e) { log.add(t, e), log.ended_at = t; }
  // `n` aggregates, each so long after the one before.
  Course& aggregates(int n, Nanos pause) {
    for (int i = 0; i < n; ++i) {
      last += pause;
      for (const TaskId w : {kChief, kOther}) {
        const StepId id{++last_step + 100};
        add(last, StepBegan{w, id, Purpose::train});
        add(last, GradientPushed{kPs, kAccumulator, id, 0, 0, true});
        add(last, StepEnded{w, id, 0});
      }
      add(last, AggregateTaken{kPs, kAccumulator, StepId{99}, 2, 1});
      add(last, TakeIssued{kPs, kAccumulator, StepId{99}, 2});
    }
    return *this;
  }
  // From the last aggregate on; the log is no longer in order after it, which no reader minds that looks at times.
  Course& parted(bool holds, Nanos t) {
    add(t, ConditionChanged{NameId{1u}, NameId{1u}, NameId{3u}, NameId{4u}, holds});
    return *this;
  }
  Course& slowed(bool holds, Nanos t) {
    add(t, ConditionChanged{NameId{2u}, NameId{2u}, NameId{5u}, NameId::none(), holds});
    return *this;
  }
  [[nodiscard]] std::vector<Standstill> standstills() const {
    TaskNames tasks = kTasks;
    tasks.hosts = {"server", "host0", "host1"};
    const Contributions c = contributions();
    return read_evidence(log, c, tasks).standstills;
  }
};

// Five aggregates, a pause in which nothing passes for so long, and five more.
std::size_t after_pause(Nanos usual, Nanos pause, Nanos wrong) {
  Course c;
  c.aggregates(5, usual);
  const Nanos from = c.last;
  c.parted(true, from).parted(false, from + wrong).aggregates(1, pause).aggregates(4, usual);
  return c.standstills().size();
}

TEST(Standstills, are_longer_than_four_usual_pauses) {
  EXPECT_EQ(after_pause(kSecond, 4 * kSecond, 4 * kSecond), 0u);
  EXPECT_EQ(after_pause(kSecond, 4 * kSecond + 1, 4 * kSecond), 1u);
}

TEST(Standstills, are_a_millisecond_longer_than_usual) {
  EXPECT_EQ(after_pause(kMillis / 10, kMillis / 10 + kMillis, kMillis), 0u);
  EXPECT_EQ(after_pause(kMillis / 10, kMillis / 10 + kMillis + 1, kMillis), 1u);
}

TEST(Standstills, are_explained_by_what_held_for_half_of_what_was_not_usual) {
  EXPECT_EQ(after_pause(kSecond, 9 * kSecond, 4 * kSecond - 1), 0u);
  EXPECT_EQ(after_pause(kSecond, 9 * kSecond, 4 * kSecond), 1u);
}

TEST(Standstills, of_one_cause_are_one_verdict) {
  const auto told = [](bool ends_between) {
    Course c;
    c.aggregates(5, kSecond).parted(true, 5 * kSecond).aggregates(1, 9 * kSecond);
    if (ends_between) c.parted(false, c.last).parted(true, c.last);
    c.aggregates(1, 8 * kSecond).parted(false, c.last).aggregates(4, kSecond);
    TaskNames tasks = kTasks;
    tasks.hosts = {"server", "host0", "host1"};
    std::vector<std::string> stalled;
    for (const Verdict& v : judge(c.log, c.contributions(), tasks))
      if (v.kind == "stalled") stalled.push_back(v.text);
    return stalled;
  };
  for (const bool ends_between : {false, true}) {
    const std::vector<std::string> one = told(ends_between);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_THAT(one[0], testing::HasSubstr("from 5.000 s to 14.000 s (9.000 s"));
    EXPECT_THAT(one[0], testing::EndsWith("\nThe same cause stopped training once more, up to 22.000 s, for 8.000 s."));
  }
}

TEST(Standstills, are_explained_by_a_slow_worker_when_most_of_its_slow_time_is_in_one) {
  const auto with_slow = [](Nanos lasts) {
    Course c;
    c.aggregates(5, kSecond).slowed(true, 5 * kSecond).aggregates(1, 9 * kSecond);
    for (Nanos t = 0; c.last < 5 * kSecond + lasts; ++t)
      c.aggregates(1, std::min(kSecond, 5 * kSecond + lasts - c.last));
    return c.slowed(false, c.last).aggregates(5, kSecond).standstills().size();
  };
  EXPECT_EQ(with_slow(18 * kSecond), 0u);
  EXPECT_EQ(with_slow(18 * kSecond - 1), 1u);
}

TEST(Standstills, compare_with_the_lower_of_two_medians) {
  Course c;
  c.aggregates(2, kSecond)
      .parted(true, c.last)
      .aggregates(1, 9 * kSecond)
      .parted(false, c.last)
      .aggregates(1, 9 * kSecond);
  ASSERT_EQ(c.standstills().size(), 1u);
  EXPECT_EQ(c.standstills()[0].usual, kSecond);
  EXPECT_EQ(std::pair(c.standstills()[0].from, c.standstills()[0].to), std::pair(2 * kSecond, 11 * kSecond));
}

TEST(Standstills, at_the_end_begin_with_the_last_aggregate_and_never_end) {
  Course c;
  c.aggregates(5, kSecond).parted(true, c.last).add(9 * kSecond, LogLine{kChief, 'I', kNoDetail});
  EXPECT_EQ(c.standstills().size(), 0u);
  c.add(9 * kSecond + 1, LogLine{kChief, 'I', kNoDetail});
  ASSERT_EQ(c.standstills().size(), 1u);
  EXPECT_EQ(std::pair(c.standstills()[0].from, c.standstills()[0].to), std::pair(5 * kSecond, Nanos{-1}));
}

TEST(Standstills, end_with_training_when_every_worker_has_left) {
  Course all, late, one;
  for (Course* c : {&all, &late, &one}) {
    c->aggregates(5, kSecond).parted(true, c->last);
    c->add(6 * kSecond, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  }
  all.add(7 * kSecond, SessionMoved{kOther, SessionStage::closed, kNoDetail});
  late.add(29 * kSecond, SessionMoved{kOther, SessionStage::closed, kNoDetail});
  for (Course* c : {&all, &late, &one}) c->add(30 * kSecond, LogLine{kChief, 'I', kNoDetail});
  EXPECT_EQ(all.standstills().size(), 0u);
  EXPECT_EQ(late.standstills().size(), 1u);
  EXPECT_EQ(one.standstills().size(), 1u);
}

TEST(Standstills, at_the_end_are_one_where_all_workers_were_lost_for_good_before_they_left) {
  Course one, all, left, back;
  for (Course* c : {&one, &all, &left, &back}) {
    c->aggregates(5, kSecond);
    if (c == &left) c->add(5 * kSecond, SessionMoved{kOther, SessionStage::left_loop, kNoDetail});
    c->add(6 * kSecond, ProcessEnded{kChief});
    if (c != &one) c->add(6 * kSecond + kMillis, ProcessEnded{kOther});
    if (c == &back) c->add(6 * kSecond + 2 * kMillis, ProcessBegan{kOther});
  }
  for (const Course* healthy : {&one, &left, &back}) EXPECT_EQ(healthy->standstills().size(), 0u);
  const auto told = all.standstills();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(std::pair(told[0].from, told[0].to), std::pair(5 * kSecond, Nanos{-1}));
  ASSERT_EQ(told[0].waits.troubles.size(), 2u);
  EXPECT_EQ(told[0].waits.troubles[0].task, kChief);
}

TEST(Standstills, of_workers_that_were_all_lost_are_not_explained_by_what_only_slowed_them_down) {
  Course c;
  c.aggregates(5, kSecond).slowed(true, c.last);
  for (const TaskId w : {kChief, kOther}) c.add(30 * kSecond, ProcessEnded{w});
  const auto told = c.standstills();
  ASSERT_EQ(told.size(), 1u);
  ASSERT_EQ(told[0].waits.troubles.size(), 2u);
  EXPECT_EQ(told[0].waits.troubles[0].kind, Trouble::Kind::gone);
}

// Five aggregates, and nothing more until the end, which may cut something off.
std::size_t at_end(
    Nanos pause, const std::function<void(Course&)>& besides = [](Course&) {},
    const std::function<void(Course&)>& last = [](Course&) {}) {
  Course c;
  c.aggregates(5, kSecond);
  besides(c);
  c.add(5 * kSecond + pause, LogLine{kChief, 'I', kNoDetail});
  last(c);
  return c.standstills().size();
}

TEST(Standstills, at_the_end_need_no_reason_when_nothing_happens_for_longer_than_a_client_waits) {
  EXPECT_EQ(at_end(30 * kSecond), 0u);
  EXPECT_EQ(at_end(30 * kSecond + 1), 1u);
}

// The server was lost and is back; a worker looked for the model before another client was ready again, and sleeps.
TEST(Standstills, at_the_end_end_with_the_run_where_a_client_that_sleeps_will_find_a_model) {
  const auto end_of = [](Nanos looked, Nanos ready, Nanos ended) {
    Course c;
    c.aggregates(5, kSecond).add(c.last, ProcessEnded{kPs});
    c.add(c.last + kSecond, ProcessBegan{kPs, 1});
    c.add(looked, SessionMoved{kOther, SessionStage::waiting, NameId{6u}});
    c.add(ready, SessionMoved{kChief, SessionStage::ready, NameId{6u}});
    c.add(ended, LogLine{kChief, 'I', NameId{6u}});
    return c.standstills().at(0).to;
  };
  EXPECT_EQ(end_of(7 * kSecond, 8 * kSecond, 36 * kSecond), 36 * kSecond);
  EXPECT_EQ(end_of(9 * kSecond, 8 * kSecond, 36 * kSecond), -1) << "there was a model, and it found none";
  EXPECT_EQ(end_of(7 * kSecond, 8 * kSecond, 37 * kSecond), -1) << "it looks again after 30 s";
}

// As above, and a worker whose gradient is wanted is lost after that, for good: the other one looks again in vain.
TEST(Standstills, at_the_end_never_end_where_what_keeps_a_sleeper_from_going_on_is_wrong_for_good) {
  const auto at_end = [](const Event& late) {
    Course c;
    c.aggregates(5, kSecond).add(c.last, ProcessEnded{kPs});
    c.add(c.last + kSecond, ProcessBegan{kPs, 1});
    c.add(7 * kSecond, SessionMoved{kOther, SessionStage::waiting, NameId{6u}});
    c.add(8 * kSecond, SessionMoved{kChief, SessionStage::ready, NameId{6u}});
    c.add(35 * kSecond, late);
    c.add(36 * kSecond, LogLine{kChief, 'I', NameId{6u}});
    return c.standstills().at(0);
  };
  EXPECT_EQ(at_end(LogLine{kChief, 'I', NameId{6u}}).to, 36 * kSecond);
  const ConditionChanged paused{NameId{7u}, NameId{7u}, NameId{5u}, NameId::none(), true};
  for (const Event& late : {Event(ProcessEnded{kOther}), Event(paused), Event(ProcessEnded{kChief})}) {
    const Standstill s = at_end(late);
    EXPECT_EQ(s.to, -1) << late.index();
    ASSERT_EQ(s.waits.troubles.size(), 2u) << "it is named beside the first cause, however late it came";
    EXPECT_EQ(s.waits.troubles[1].from, 35 * kSecond);
  }
}

// Worker 1 found no model for 30 s, and took its time for one step after that; slow it was from the beginning.
TEST(Standstills, of_a_worker_are_not_explained_by_slow_kernels_before_it_trained) {
  const auto of_worker = [](double first_step, const char* kind) {
    Story s;
    s.log.set_names({kind, kind == std::string("slow") ? std::string(kOtherName) : "host1", "step"});
    s.ready(0, kChief).step(0, kChief, 1);
    s.at(0, ConditionChanged{NameId{0u}, NameId{0u}, NameId{1u}, NameId::none(), true});
    for (std::uint64_t i = 1; i < 80; ++i) {
      s.ended(static_cast<double>(i), kChief, i).step(static_cast<double>(i), kChief, i + 1);
      if (static_cast<double>(i) == first_step) s.step(first_step, kOther, 100);
      if (i < 31) continue;
      s.ended(static_cast<double>(i), kOther, 69 + i).step(static_cast<double>(i), kOther, 70 + i);
      if (i == 40) s.at(40, ConditionChanged{NameId{0u}, NameId{0u}, NameId{1u}, NameId::none(), false});
    }
    const Contributions c = s.contributions();
    TaskNames tasks = kTasks;
    tasks.hosts = {"server", "host0", "host1"};
    return read_standstills(read_evidence(s.log, c, tasks), 1).size();
  };
  for (const char* kind : {"slow", "slow_host"}) {
    EXPECT_EQ(of_worker(30, kind), 0u) << kind;
    EXPECT_EQ(of_worker(1, kind), 1u) << kind << ": it computed all that time";
  }
}

// Its cause was over, and the next aggregate was not late yet: a session is made, and a step is done, before it.
TEST(Standstills, at_the_end_end_with_the_run_where_their_cause_has_just_ended) {
  const auto end_of = [](Nanos after) {
    Course c;
    c.aggregates(5, kSecond).parted(true, c.last).parted(false, c.last + 8 * kSecond);
    c.add(c.last + 8 * kSecond + after, LogLine{kChief, 'I', NameId{6u}});
    const std::vector<Standstill> all = c.standstills();
    return all.empty() ? 0 : all.at(0).to;
  };
  EXPECT_EQ(end_of(2 * kSecond - 1), 15 * kSecond - 1);
  EXPECT_EQ(end_of(2 * kSecond), -1);
}

// A process that has begun again has not come to a session when the run ends.
TEST(Standstills, at_the_end_end_with_the_run_while_a_new_process_opens_its_session) {
  const auto end_of = [](Nanos after) {
    Course c;
    c.aggregates(5, kSecond).add(c.last, ProcessEnded{kOther});
    c.add(c.last + 10 * kSecond, ProcessBegan{kOther, 1});
    c.add(c.last + 10 * kSecond + after, LogLine{kChief, 'I', NameId{6u}});
    return c.standstills().at(0).to;
  };
  EXPECT_EQ(end_of(kLongestWait - 1), 15 * kSecond + kLongestWait - 1);
  EXPECT_EQ(end_of(kLongestWait), -1);
}

// A session was made, which found that there is no model, and waits; or not yet.
TEST(Standstills, at_the_end_never_end_where_a_new_process_has_found_no_model) {
  const auto end_of = [](SessionStage stage) {
    Course c;
    c.aggregates(5, kSecond).add(c.last, ProcessEnded{kOther});
    c.add(c.last + 10 * kSecond, ProcessBegan{kOther, 1});
    c.add(c.last + 11 * kSecond, SessionMoved{kOther, stage, NameId{6u}});
    c.add(c.last + 12 * kSecond, LogLine{kChief, 'I', NameId{6u}});
    return c.standstills().at(0).to;
  };
  EXPECT_EQ(end_of(SessionStage::created), 17 * kSecond);
  EXPECT_EQ(end_of(SessionStage::waiting), -1);
}

// The server is back, and without its model; both workers find that, or the first is on its way to make one.
TEST(Standstills, at_the_end_never_end_where_a_server_is_back_and_nobody_makes_the_model) {
  const auto end_of = [](SessionStage of_chief) {
    Course c;
    c.aggregates(5, kSecond).add(c.last, ProcessEnded{kPs});
    c.add(c.last + 10 * kSecond, ProcessBegan{kPs, 1});
    c.add(c.last + 11 * kSecond, SessionMoved{kOther, SessionStage::waiting, NameId{6u}});
    c.add(c.last + 11 * kSecond, SessionMoved{kChief, of_chief, NameId{6u}});
    c.add(c.last + 12 * kSecond, LogLine{kChief, 'I', NameId{6u}});
    return c.standstills().at(0).to;
  };
  EXPECT_EQ(end_of(SessionStage::created), 17 * kSecond);
  EXPECT_EQ(end_of(SessionStage::left_loop), -1);
  EXPECT_EQ(end_of(SessionStage::waiting), -1);
}

// Kernels take longer to the end, or nothing passes; both workers left long before that.
TEST(Standstills, at_the_end_end_when_all_have_left) {
  for (const bool is_parted : {false, true}) {
    Course c;
    c.aggregates(5, kSecond);
    if (is_parted)
      c.parted(true, c.last);
    else
      c.slowed(true, c.last);
    for (const TaskId w : {kChief, kOther})
      c.add(c.last + 20 * kSecond, SessionMoved{w, SessionStage::left_loop, NameId{6u}});
    c.add(c.last + 60 * kSecond, LogLine{kChief, 'I', NameId{6u}});
    const std::vector<Standstill> all = c.standstills();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].to, c.last + 20 * kSecond) << is_parted;
  }
}

TEST(Standstills, at_the_end_never_end_where_nobody_takes_aggregates_though_a_client_sleeps) {
  const auto end_of = [](bool is_taken) {
    Story s;
    s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2);
    if (is_taken) s.take(0, 2);
    s.push(1, 1).push(1, 2).at(1, SessionMoved{kOther, SessionStage::waiting, kNoDetail}).ready(2, kChief);
    s.at(20, LogLine{kChief, 'I', kNoDetail});
    const Contributions c = s.contributions();
    return read_evidence(s.log, c, kTasks).standstills.size();
  };
  EXPECT_EQ(end_of(false), 1u);
  EXPECT_EQ(end_of(true), 0u);
}

TEST(Standstills, at_the_end_are_none_while_something_is_under_way_or_a_worker_is_still_to_come) {
  constexpr Nanos kLong = 31 * kSecond;
  const auto nothing = [](Course&) {};
  EXPECT_EQ(at_end(kLong, nothing, [](Course& c) { c.add(c.log.ended_at, KernelCutOff{}); }), 0u);
  EXPECT_EQ(at_end(kLong, nothing,
                   [](Course& c) {
                     for (const Event& e : {Event(MessageCutOff{}), Event(RunEnded{})}) c.add(c.log.ended_at, e);
                   }),
            0u);
  EXPECT_EQ(at_end(kLong, [](Course& c) { c.add(c.last, KernelCutOff{}); }), 1u) << "cut off by the end of a process";
  EXPECT_EQ(at_end(kLong, [](Course& c) { c.add(c.last, SyncPlanned{kChief, 3, 3, 0}); }), 0u);
  EXPECT_EQ(at_end(kLong, [](Course& c) { c.add(c.last, SyncPlanned{kChief, 2, 2, 0}); }), 1u);
}

// After five aggregates nothing passes for 2 s of the 10 s or so that are left, and then both workers compute.
Standstill at_work_after(Nanos wrong, const std::function<void(Course&)>& at_end) {
  Course c;
  c.aggregates(5, 100 * kMillis).parted(true, c.last + kMillis).parted(false, c.last + kMillis + wrong);
  for (const TaskId w : {kChief, kOther})
    c.add(c.last + 9 * kSecond, StepBegan{w, StepId{500 + w.index()}, Purpose::train});
  c.log.ended_at = c.last + 10 * kSecond;
  at_end(c);
  c.add(c.log.ended_at, RunEnded{});
  const std::vector<Standstill> all = c.standstills();
  return all.empty() ? Standstill{-1, -1, 0, {}} : all.back();
}
void compute(Course& c, std::initializer_list<TaskId> who) {
  for (const TaskId w : who) c.add(c.log.ended_at, KernelCutOff{.task = w, .step = StepId{500 + w.index()}});
}

TEST(Standstills, at_the_end_are_none_where_what_was_wrong_is_over_and_the_workers_compute) {
  EXPECT_EQ(at_work_after(2 * kSecond, [](Course& c) { compute(c, {kChief, kOther}); }).from, -1);
  const Standstill hung = at_work_after(2 * kSecond, [](Course&) {});
  EXPECT_EQ(hung.from, 500 * kMillis);
  EXPECT_EQ(hung.to, -1) << "nobody works on the next aggregate";
  EXPECT_EQ(at_work_after(2 * kSecond, [](Course& c) { compute(c, {kChief}); }).from, 500 * kMillis)
      << "an aggregate needs both";
  const auto with = [](auto... events) {
    return at_work_after(2 * kSecond, [=](Course& c) {
      (c.add(c.log.ended_at, events), ...), compute(c, {kChief, kOther});
    });
  };
  EXPECT_EQ(with(StepEnded{kChief, StepId{99}, 14}).from, 500 * kMillis) << "nobody takes it";
  EXPECT_EQ(with(ProcessEnded{kPs}, ProcessBegan{kPs, 1}).from, 500 * kMillis) << "their steps will fail";
}

TEST(Standstills, at_the_end_end_with_the_run_where_most_of_them_was_wrong_and_the_workers_compute) {
  const Standstill s = at_work_after(8 * kSecond, [](Course& c) { compute(c, {kChief, kOther}); });
  EXPECT_EQ(s.from, 500 * kMillis);
  EXPECT_EQ(s.to, 10'500 * kMillis);
}

}  // namespace
}  // namespace tarry
