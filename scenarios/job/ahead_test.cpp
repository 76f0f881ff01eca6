// What a run knows of the time after its end.

#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry::ahead {
namespace {

constexpr Nanos kMillis = 1'000'000, kSecond = 1000 * kMillis;
constexpr TaskId kPs{0u}, kWorker{1u};

// One worker with steps of `step`, asynchronous, until `ends`.
Job to_look_ahead(const FaultKinds& fault, Nanos at, Nanos ends, Nanos step = kSecond / 10) {
  Job job = small_job(fault);
  job.costs.rules[0].amount = Constant{step};
  job.faults[0].when = at;
  job.stop.time = ends;
  job.looks_ahead = true;
  return job;
}
Nanos goes_on_at(const Job& job) { return run_here(job).log.goes_on_at; }

const FaultKinds kNothing = Restart{kWorker};  // at a time that never comes

TEST(Ahead, is_when_the_next_step_would_have_ended) {
  EXPECT_EQ(goes_on_at(to_look_ahead(kNothing, 99 * kSecond, 350 * kMillis)), 400 * kMillis);
  EXPECT_EQ(goes_on_at(to_look_ahead(kNothing, 99 * kSecond, 350 * kMillis, 20 * kSecond)), 20 * kSecond);
  EXPECT_EQ(goes_on_at(to_look_ahead(kNothing, 99 * kSecond, 350 * kMillis, 25 * 3600 * kSecond)), EventLog::kUnknown)
      << "after more than a day";
}

TEST(Ahead, changes_neither_the_log_nor_its_hash) {
  Job job = to_look_ahead(Restart{kWorker}, 200 * kMillis, 350 * kMillis);
  const Outcome with = run_here(job);
  job.looks_ahead = false;
  const Outcome without = run_here(job);
  EXPECT_EQ(with.log.hash(), without.log.hash());
  EXPECT_EQ(with.log.events().size(), without.log.events().size());
  EXPECT_EQ(with.log.ended_at, without.log.ended_at);
  EXPECT_EQ(with.stats.events, without.stats.events);
  EXPECT_EQ(without.log.goes_on_at, EventLog::kUnknown);
}

TEST(Ahead, is_not_known_where_only_one_more_step_would_come) {
  Job job = to_look_ahead(kNothing, 99 * kSecond, 350 * kMillis);
  job.clients[0].options.steps = 4;
  EXPECT_EQ(goes_on_at(job), 400 * kMillis) << "it leaves then as it was told to";
  job.clients.push_back(job.clients[0]);
  job.clients[1].options.steps.reset(), job.clients[1].options.start_after = 10 * kSecond;
  EXPECT_EQ(goes_on_at(job), 400 * kMillis) << "another one is still to begin";
}

TEST(Ahead, is_not_looked_for_where_the_run_ended_by_itself) {
  Job job = to_look_ahead(kNothing, 99 * kSecond, 350 * kMillis);
  job.clients[0].options.steps = 2;
  EXPECT_EQ(goes_on_at(job), EventLog::kUnknown) << "all had left";
}

TEST(Ahead, is_never_where_nothing_will_come) {
  EXPECT_EQ(goes_on_at(to_look_ahead(Kill{kPs}, 200 * kMillis, 350 * kMillis)), EventLog::kNever);
  EXPECT_EQ(goes_on_at(to_look_ahead(Kill{kPs}, 400 * kMillis, 350 * kMillis)), 400 * kMillis)
      << "it had not come by then";
}

TEST(Ahead, is_not_known_where_a_fault_that_holds_was_to_end) {
  const auto paused = [](std::optional<Nanos> lasts) {
    return goes_on_at(to_look_ahead(Pause{kPs, lasts}, 200 * kMillis, 350 * kMillis));
  };
  EXPECT_EQ(paused(100 * kMillis), 400 * kMillis);
  EXPECT_EQ(paused(2 * kSecond), EventLog::kUnknown);
  EXPECT_EQ(goes_on_at(to_look_ahead(Preempt{kWorker, 2 * kSecond}, 200 * kMillis, 350 * kMillis)), EventLog::kUnknown)
      << "its next process has yet to begin";
  Job job = to_look_ahead(Kill{kPs}, 200 * kMillis, 350 * kMillis);
  job.faults.push_back({Trigger{Moment::step_ended, kWorker, 9, 0}, Restart{kPs}});
  EXPECT_EQ(goes_on_at(job), EventLog::kUnknown) << "a fault waits for something";
}

}  // namespace
}  // namespace tarry::ahead
