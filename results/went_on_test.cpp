// That the others trained on, from a log written by hand; and what a kept log has of its proofs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "results/stored_run.hpp"
#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

// Asynchronous: nothing passes between the server and worker 0 from 5.1 s to 19 s; worker 1 trains on.
std::string went_on(bool leaves) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "nothing passes", "part", "host0", "server"});
  ConditionChanged trouble{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, true};
  s.ready(0, kChief).ready(0, kOther);
  for (int t = 0; t < 30; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    const bool both = t < 5 || (t >= 20 && !leaves);
    if (t == 5 && leaves) s.at(5, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
    if (t == 5 || t == 19) s.at(t, std::exchange(trouble, {trouble.what, trouble.kind, trouble.a, trouble.b, false}));
    s.step(t, kOther, 100 + id);
    if (both) s.step(t, kChief, 200 + id).ended(t + 0.5, kChief, 200 + id);
    s.ended(t + 0.5, kOther, 100 + id);
  }
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "went_on") return v.text;
  return "";
}

std::string told_of_loss(Training training, const Loss& l, std::size_t workers = 2) {
  Facts f(training, 2, workers);
  if (training == Training::synchronous) f.c.accumulators[0].aggregates = {{1, {1, 1, 1}, 3, kSecond}};
  f.e.losses.processes = {l};
  return f.says("went_on");
}

TEST(WentOn, does_not_say_that_nobody_waits_where_the_program_takes_aggregates_of_its_own) {
  Facts f(Training::asynchronous, 2, 2);
  f.c.own = {{"acc", kPs, 2, 0, {1, 1}, {0, 0}}};
  f.e.losses.processes = {lost(kOther, 5, -1)};
  EXPECT_THAT(f.says("went_on"), testing::EndsWith("The program takes aggregates of its own: others may wait for it."));
}

TEST(WentOn, tells_a_worker_that_was_lost_while_the_others_trained_on) {
  const auto& of = told_of_loss;
  EXPECT_EQ(
      of(Training::synchronous, lost(kOther, 5), 3),
      "The process of worker 1 ended at 2.000 s, while it computed: the token that it had taken is gone with it. Its "
      "next process was ready at 5.000 s. Training went on: whoever takes its tokens contributes in its place.");
  EXPECT_EQ(of(Training::synchronous, lost(kOther, -1), 2),
            "The process of worker 1 ended at 2.000 s, while it computed: the token that it had taken is gone with it. "
            "It did not come back. Training went on: whoever takes its tokens contributes in its place.");
  EXPECT_EQ(of(Training::synchronous, lost(kOther, 5, -1), 2), "") << "no aggregate after it";
  EXPECT_EQ(of(Training::synchronous, lost(kOther, 5, 0), 2).substr(0, 8), "The proc") << "one at once";
  EXPECT_EQ(of(Training::synchronous, lost(kPs, 5), 2), "");
  EXPECT_EQ(of(Training::asynchronous, lost(kOther, 5, -1), 2),
            "The process of worker 1 ended at 2.000 s, while it computed. Its next process was ready at 5.000 s. "
            "Asynchronous workers do not wait for each other.");
  EXPECT_EQ(of(Training::asynchronous, lost(kOther, 5), 1), "") << "there are no others";
  EXPECT_EQ(of(Training::replicated, lost(kOther, 5), 2), "") << "the others wait for it";
}

// Nobody is to spare.
TEST(WentOn, tells_a_lost_worker_that_was_waited_for) {
  const auto told = [](const Loss& l) { return told_of_loss(Training::synchronous, l); };
  EXPECT_THAT(
      told(lost(kOther, 5)),
      testing::EndsWith("ready at 5.000 s. Training waited for it: no aggregate came from 1.000 s to 7.000 s."));
  Loss first = lost(kOther, 0, 0);
  first.last_aggregate = -1;
  EXPECT_THAT(told(first), testing::EndsWith("Training waited for it: no aggregate came before 0.000 s."));
  EXPECT_THAT(told(lost(kOther, 5, 4.999)), HasSubstr("Training went on")) << "one came before";
}

TEST(WentOn, leaves_out_a_lost_worker_where_all_training_stood_still) {
  const auto stood = [](double from, double to, double back) {
    Facts f(Training::synchronous);
    f.c.accumulators[0].aggregates = {{1, {1, 1}, 2, kSecond}};
    f.e.losses.processes = {lost(kOther, back)};
    f.e.standstills = {{static_cast<Nanos>(from * kSecond), to < 0 ? -1 : static_cast<Nanos>(to * kSecond)}};
    return !f.says("went_on").empty();
  };
  EXPECT_FALSE(stood(3, 4, 5));
  EXPECT_FALSE(stood(1, -1, 5));
  EXPECT_FALSE(stood(9, -1, -1));
  EXPECT_FALSE(stood(1, 3, -1));
  EXPECT_TRUE(stood(1, 2, 5)) << "it was over by then";
  EXPECT_TRUE(stood(5, 6, 5)) << "it was back by then";
}

TEST(WentOn, is_not_told_of_a_job_in_which_no_step_ended) {
  Facts f(Training::asynchronous);
  f.e.losses.processes = {lost(kOther, 5)};
  for (WorkerStory& w : f.c.workers) w.steps = 0;
  EXPECT_EQ(f.says("went_on"), "");
  f.c.workers[0].steps = 1;
  EXPECT_NE(f.says("went_on"), "");
}

// The take of one variable was lost with the chief: the other one's is no aggregate.
TEST(WentOn, is_not_told_where_no_aggregate_was_complete) {
  Facts f(Training::synchronous);
  f.e.losses.processes = {lost(kOther, 5)};
  EXPECT_EQ(f.says("went_on"), "");
  f.c.accumulators[0].aggregates = {{1, {1, 1}, 2, 7 * kSecond}};
  EXPECT_NE(f.says("went_on"), "");
}

TEST(WentOn, is_not_told_of_a_worker_that_had_left_training_before) {
  const auto told = [](double left, double back) {
    const auto nanos = [](double t) { return static_cast<Nanos>(t * kSecond); };
    Facts f(Training::asynchronous, 2, 2);
    f.e.losses.processes = {{kOther, Loss::Doing::computing, 2 * kSecond}};
    f.e.troubles = {{.kind = Trouble::Kind::left, .task = kOther, .from = nanos(left), .to = nanos(back)}};
    return f.says("went_on");
  };
  EXPECT_EQ(told(2, 3), "");
  EXPECT_NE(told(2.5, 3), "") << "it left later";
  EXPECT_NE(told(1, 2), "") << "it was back";
}

// Worker 1 is lost at 2 s, and back at 3 s; the chief had left before, or has yet to begin.
// `in_last`, `in_next`: whether the chief has a part in the aggregates before and after.
std::string told_of_the_wait(Nanos chief_left, Nanos chief_back, Nanos chief_began, int in_last = 1, int in_next = 1) {
  Facts f(Training::synchronous);
  f.c.accumulators[0].aggregates = {{1, {in_last, 2 - in_last}, 2, kSecond},
                                    {2, {in_next, 2 - in_next}, 2, 4 * kSecond}};
  f.e.losses.processes = {{.task = kOther,
                           .doing = Loss::Doing::computing,
                           .at = 2 * kSecond,
                           .back = 3 * kSecond,
                           .last_aggregate = kSecond,
                           .next_aggregate = 4 * kSecond}};
  f.c.workers[0].first_step = chief_began;
  if (chief_left >= 0)
    f.e.troubles = {{.kind = Trouble::Kind::left, .task = kChief, .from = chief_left, .to = chief_back}};
  return f.says("went_on");
}

TEST(WentOn, says_that_training_waited_for_others_where_another_worker_was_missing) {
  EXPECT_THAT(told_of_the_wait(-1, -1, 0),
              HasSubstr("Training waited for it: no aggregate came from 1.000 s to 4.000 s"));
  EXPECT_THAT(told_of_the_wait(kSecond, -1, 0), HasSubstr("Training waited for other workers, too: no aggregate"));
  EXPECT_THAT(told_of_the_wait(kSecond, 3 * kSecond, 0), HasSubstr("Training waited for it:"));
  EXPECT_THAT(told_of_the_wait(-1, -1, 3 * kSecond + 1), HasSubstr("Training waited for other workers, too:"));
  EXPECT_THAT(told_of_the_wait(-1, -1, 3 * kSecond + 1, 1, 0), HasSubstr("Training waited for it:"))
      << "the next aggregate was without it";
  EXPECT_THAT(told_of_the_wait(-1, -1, -1), HasSubstr("Training waited for it:")) << "it never begins";
  EXPECT_THAT(told_of_the_wait(kSecond, 4 * kSecond, 0), HasSubstr("Training waited for other workers, too:"));
  EXPECT_THAT(told_of_the_wait(kSecond, 4 * kSecond, 0, 1, 0), HasSubstr("Training waited for it:"));
  EXPECT_THAT(told_of_the_wait(kSecond / 2, -1, 0), HasSubstr("Training waited for other workers, too:"))
      << "it had a part in the last one";
  EXPECT_THAT(told_of_the_wait(kSecond / 2, -1, 0, 0), HasSubstr("Training waited for it:"))
      << "the last one came without it";
}

// Worker 1 is lost at 3.5 s for a moment. Aggregates come at these seconds, the first workers' steps begin at 0 and at
// `began`.
std::string told_of_interval(std::initializer_list<double> aggregates, double last, double next, double began = 0) {
  const auto nanos = [](double t) { return static_cast<Nanos>(t * kSecond); };
  Facts f(Training::synchronous);
  for (const double at : aggregates) f.c.accumulators[0].aggregates.push_back({1, {1, 1}, 2, nanos(at)});
  f.c.workers[1].first_step = nanos(began);
  f.e.losses.processes = {{.task = kOther,
                           .doing = Loss::Doing::computing,
                           .at = nanos(3.5),
                           .back = nanos(3.6),
                           .last_aggregate = nanos(last),
                           .next_aggregate = nanos(next)}};
  return f.says("went_on");
}

TEST(WentOn, says_that_training_waited_only_where_an_aggregate_came_later_than_usual) {
  using testing::HasSubstr;
  constexpr char kWaited[] = "Training waited for it: ";
  EXPECT_THAT(told_of_interval({1, 2, 3, 3.75}, 3, 3.75),
              testing::EndsWith("Training did not wait: the next aggregate came after 0.750 s, and usual is "
                                "1.000 s."));
  EXPECT_THAT(told_of_interval({1, 2, 3, 4.001}, 3, 4.001), HasSubstr("did not wait"));
  EXPECT_THAT(told_of_interval({1, 2, 3, 4.002}, 3, 4.002), HasSubstr(kWaited));
  EXPECT_THAT(told_of_interval({0.1, 0.2, 3, 3.75, 6, 9}, 3, 3.75), HasSubstr(kWaited)) << "it is longer than most";
  EXPECT_THAT(told_of_interval({3, 3.75}, 3, 3.75), HasSubstr("did not wait"));
  EXPECT_THAT(told_of_interval({3, 3.75}, 3, 3.75, 2.5), HasSubstr(kWaited)) << "it began 0.5 s before the first one";
  EXPECT_THAT(told_of_interval({3.75, 6, 8}, -1, 3.75), HasSubstr(kWaited)) << "it takes 2 s later";
  EXPECT_THAT(told_of_interval({3.75, 8, 12}, -1, 3.75), HasSubstr("did not wait"));
  EXPECT_THAT(told_of_interval({3.75}, -1, 3.75), HasSubstr(kWaited)) << "nobody knows";
}

TEST(WentOn, takes_for_usual_what_half_of_the_intervals_are_not_longer_than) {
  using testing::HasSubstr;
  EXPECT_THAT(told_of_interval({0.5, 2.5, 3, 3.9}, 3, 3.9), HasSubstr("Training waited")) << "0.9 s after 0.5, 2, 0.5";
  EXPECT_THAT(told_of_interval({1.5, 1.6, 3, 3.9}, 3, 3.9), HasSubstr("0.900 s, and usual is 1.400 s"))
      << "after 1.5, 0.1 and 1.4";
  EXPECT_THAT(told_of_interval({1, 3, 4.5}, 3, 4.5), HasSubstr("Training waited")) << "1.5 s after 1 and 2: the less";
}

TEST(WentOn, is_told_of_the_first_worker_while_it_trains) {
  EXPECT_THAT(went_on(false), HasSubstr("worker 0"));
  EXPECT_THAT(went_on(false), HasSubstr("nothing passes from 5.000 s to 19.000 s"));
  EXPECT_EQ(went_on(true), "");
}

// The data of worker 1 is at its end after two steps; the chief makes as many as it is told.
std::string told_of_data(int steps, const char* end = "the batch queue is closed and has insufficient elements",
                         bool is_synchronous = true) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", end});
  s.ready(0, kChief).ready(0, kOther);
  for (int t = 1; t <= steps; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    s.step(t, kChief, id).ended(t + 0.5, kChief, id);
    if (t <= 2) s.step(t, kOther, 100 + id).ended(t + 0.5, kOther, 100 + id);
    if (t == 2) s.at(2.75, SessionMoved{kOther, SessionStage::left_loop, NameId{3u}});
    if (is_synchronous) s.at(t + 0.6, AggregateTaken{kPs, NameId{0u}, StepId{id}, 1, t});
  }
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks))
    if (v.kind == "went_on") return v.text;
  return "";
}

TEST(WentOn, is_told_of_a_worker_whose_data_was_at_its_end_long_before_that_of_others) {
  EXPECT_THAT(told_of_data(20), HasSubstr("The data of worker 1 was at its end at 2.750 s, after 2 steps, and "
                                          "it left: the others trained on without it, up to "));
  EXPECT_THAT(told_of_data(20),
              HasSubstr("To do: give its readers files with more records, or more epochs (num_epochs)."));
  EXPECT_EQ(told_of_data(2), "") << "even data";
  EXPECT_EQ(told_of_data(20, ""), "") << "it left as it was told to";
  EXPECT_EQ(told_of_data(20, "sync_token_q is closed and has insufficient elements"), "") << "no data";
}

TEST(WentOn, is_told_of_an_asynchronous_worker_that_had_less_data_and_not_of_one_that_was_faster) {
  const auto asynchronous = [](int steps) {
    return told_of_data(steps, "the batch queue is closed and has insufficient elements", false);
  };
  EXPECT_THAT(asynchronous(3), testing::StartsWith("The data of worker 1 was at its end at 2.750 s, after 2 steps, "));
  EXPECT_EQ(asynchronous(2), "") << "as much data";
  Facts f(Training::asynchronous, 3, 2);
  f.log.set_names({"", "the batch queue is closed and has insufficient elements"});
  for (const std::uint64_t step : {1u, 2u})
    f.at(1, StepBegan{kOther, StepId{step}, Purpose::train}).at(2, StepEnded{kOther, StepId{step}, 0});
  f.at(2, SessionMoved{kOther, SessionStage::left_loop, NameId{1u}});
  for (const std::uint64_t step : {3u, 4u})
    f.at(3, StepBegan{kChief, StepId{step}, Purpose::train}).at(30, StepEnded{kChief, StepId{step}, 0});
  EXPECT_EQ(f.says("went_on"), "") << "as much data, and the other one is slower";
}

// Two workers' data is at its end, after these steps of their present processes, long before that of the third.
std::string told_of_two(bool is_anew, bool is_chief_who_ended_all = false, std::vector<Proof> proofs = {}) {
  Facts f(Training::synchronous, 3, 3);
  f.log.set_names({"v:0/grad_accum", "global_step", "", "the queue is closed and has insufficient elements"});
  const auto step = [&](double t, TaskId task, std::uint64_t id) {
    f.at(t, StepBegan{task, StepId{id}, Purpose::train}).at(t + 0.5, StepEnded{task, StepId{id}, 0});
  };
  step(0, kChief, 1), step(0, kOther, 2);
  if (is_anew) f.at(0.6, ProcessBegan{kChief, 1});
  step(0.7, kChief, 3);
  f.at(1, AggregateTaken{kPs, NameId{0u}, StepId{1}, 1, 1});
  f.at(2, SessionMoved{kChief, SessionStage::left_loop, NameId{3u}});
  if (is_chief_who_ended_all) f.e.closer = kChief, f.e.cut_short = {{kThird, 20, 40, 0}};
  if (!is_anew && !is_chief_who_ended_all) f.at(2.5, SessionMoved{kOther, SessionStage::left_loop, NameId{3u}});
  for (std::uint64_t i = 10; i < 30; ++i) step(3, kThird, i);
  f.proofs = std::move(proofs);
  return f.says("went_on");
}

TEST(WentOn, tells_of_several_whose_data_was_at_its_end_and_counts_the_steps_of_a_present_process) {
  EXPECT_THAT(told_of_two(false),
              testing::StartsWith("The data of worker 0 and worker 1 was at its end, for the first of them at 2.000 s, "
                                  "and they left: the others trained on without them, up to 60.000 s."));
  EXPECT_THAT(told_of_two(true), HasSubstr("at 2.000 s, after 1 step, and it left"));
}

TEST(WentOn, names_a_count_of_epochs_for_all_only_where_one_for_each_gains_more_than_more_data) {
  const auto told = [](double with_epochs, double with_data) {
    std::vector<Proof> proofs = {proof(Proof::Cause::epochs, with_epochs), proof(Proof::Cause::data, with_data)};
    proofs[0].what = "it counts for all";
    return told_of_two(false, false, std::move(proofs));
  };
  const auto shared = HasSubstr("The cause: it counts for all. Run again ");
  EXPECT_THAT(told(0.3, 0.2), testing::AllOf(shared, testing::EndsWith(" which then counts its own epochs.")));
  EXPECT_THAT(told(0.3, 0), shared);
  EXPECT_THAT(told(0.2, 0.2), testing::EndsWith("20.0 % less time. To do: give their readers files with more records, "
                                                "or more epochs (num_epochs)."));
}

TEST(WentOn, is_not_told_of_a_chief_whose_leaving_ended_the_training_of_others) {
  EXPECT_EQ(told_of_two(false, true), "");
}

TEST(WentOn, of_a_lost_worker_without_whom_the_work_took_longer_says_what_to_do) {
  const auto told = [](double back, double process_began, double gain) {
    Facts f(Training::asynchronous);
    Trouble gone{.kind = Trouble::Kind::gone, .task = kOther, .from = 2 * kSecond};
    gone.to = back < 0 ? -1 : static_cast<Nanos>(back * kSecond);
    gone.back = process_began < 0 ? -1 : static_cast<Nanos>(process_began * kSecond);
    f.e.losses.processes = {{.task = kOther, .at = 2 * kSecond, .back = gone.to}};
    f.e.troubles = {gone};
    return gain == 0 ? f.says("went_on") : f.with("went_on", {proof(Proof::Cause::faults, gain, kOther)});
  };
  EXPECT_THAT(told(-1, -1, .2), testing::EndsWith("takes 20.0 % less time. To do: restart worker 1."));
  EXPECT_THAT(told(9, 8, .2), testing::EndsWith("takes 20.0 % less time. To do: restart worker 1 sooner."));
  EXPECT_THAT(told(9, 2, .2), testing::EndsWith("takes 20.0 % less time.")) << "its next process began at once";
  EXPECT_THAT(told(-1, -1, 0), testing::EndsWith("do not wait for each other.")) << "nothing was gained";
}

TEST(StoredRun, has_its_proofs_to_the_last_field) {
  const Story s = two_workers();
  const std::vector<Proof> proofs{{.cause = Proof::Cause::far_host,
                                   .task = kOther,
                                   .a = "a",
                                   .b = "b",
                                   .harm = Proof::Harm::slows,
                                   .what = "WHAT",
                                   .instead = "INSTEAD",
                                   .gain = 0.5,
                                   .together = true,
                                   .goes_on = true,
                                   .beside = "BESIDE",
                                   .beside_gain = 0.75,
                                   .does_more = true}};
  const auto back = stored_run(to_bytes("two", kTasks, proofs, s.log));
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->proofs.size(), 1u);
  const auto all = [](const Proof& p) {
    return std::tuple(p.cause, p.task, p.a, p.b, p.harm, p.what, p.instead, p.gain, p.together, p.goes_on, p.beside,
                      p.beside_gain, p.does_more);
  };
  EXPECT_EQ(all(back->proofs[0]), all(proofs[0]));
}

// Asynchronous: worker 0 is so slow from 5.1 s to 19 s that no step of it ends; worker 1 trains on.
std::string slow_alone(const std::vector<Proof>& proofs) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "SLOW", "slow", std::string(kTasks.names[kChief.index()])});
  s.ready(0, kChief).ready(0, kOther);
  for (int t = 0; t < 30; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    if (t == 5 || t == 19) s.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, kNoDetail, t == 5});
    s.step(t, kOther, 100 + id);
    if (t < 5 || t >= 20) s.step(t, kChief, 200 + id).ended(t + 0.5, kChief, 200 + id);
    s.ended(t + 0.5, kOther, 100 + id);
  }
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == "went_on") return v.text;
  return "";
}

TEST(WentOn, is_not_told_of_a_worker_that_is_told_to_be_slow) {
  EXPECT_THAT(slow_alone({}), HasSubstr("SLOW"));
  EXPECT_EQ(slow_alone({proof(Proof::Cause::slow_worker, 0.3, kChief)}), "");
  EXPECT_THAT(slow_alone({proof(Proof::Cause::slow_worker, 0.3, kOther)}), HasSubstr("SLOW"));
}

// Asynchronous: nothing passes between the server and worker 0 from 5 s to 6 s, and no step of it ends any more; worker
// 1 trains on. At the end a kernel of `computes` runs.
std::string hung_since(TaskId computes) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "nothing passes", "part", "host0", "server"});
  s.ready(0, kChief).ready(0, kOther);
  for (int t = 0; t < 30; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    if (t == 5 || t == 6) s.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, t == 5});
    s.step(t, kOther, 100 + id);
    if (t <= 5) s.step(t, kChief, 200 + id);
    if (t < 5) s.ended(t + 0.5, kChief, 200 + id);
    if (t < 29) s.ended(t + 0.5, kOther, 100 + id);
  }
  s.at(30, KernelCutOff{.task = computes, .step = StepId{computes == kChief ? 205u : 129u}}).at(30, RunEnded{});
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "went_on") return v.text;
  return "";
}

TEST(WentOn, is_told_to_the_end_of_the_run_where_the_worker_itself_is_not_at_work) {
  EXPECT_THAT(hung_since(kOther), HasSubstr("The others went on without it: after 4.500 s no step of worker 0 ended."));
  EXPECT_EQ(hung_since(kChief), "") << "it has a long step";
}

}  // namespace
}  // namespace tarry
