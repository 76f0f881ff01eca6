// What is to be done about workers that left while others trained on.

#include "results/verdicts/leaving.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kEndOfData[] = "RandomShuffleQueue '_1_x' is closed and has insufficient elements";

Trouble left(TaskId task, const char* text = "") { return {.kind = Kind::left, .task = task, .text = text}; }

TEST(Absent, tells_what_the_job_would_gain_with_all_workers) {
  const auto told = [](Training training, double gain, Proof::Cause cause = Proof::Cause::absent) {
    Facts f(training, 2, training == Training::synchronous ? 2 : 1);
    f.c.planned_workers = training == Training::synchronous ? 3 : 0;
    f.stage(0, kChief, SessionStage::ready);
    return f.with("absent", {proof(cause, gain)});
  };
  for (const Training t : {Training::synchronous, Training::asynchronous}) {
    EXPECT_THAT(told(t, .1), HasSubstr(" data. Run again INSTEAD (same seed), the same work takes 10.0 % less time. "
                                       "To do: start "));
    EXPECT_THAT(told(t, .09), Not(HasSubstr("Run again")));
    EXPECT_THAT(told(t, .1, Proof::Cause::planned), Not(HasSubstr("Run again")));
  }
}

// Worker 1 fails after ps 0 was lost at 2 s: its own queue of input was closed, or another one.
enum class Saves : std::uint8_t { nothing, before_training, later };
std::string cure_with(std::vector<std::pair<TaskId, std::string>> failed, Nanos back = 5 * kSecond,
                      Saves saves = Saves::nothing, Nanos anew = 0) {
  Facts f(Training::synchronous, 2, 3);
  f.e.troubles = {{.kind = Kind::gone, .task = kPs, .from = 2 * kSecond, .to = back + kSecond, .back = back}};
  if (anew > 0) f.e.troubles.push_back({.kind = Kind::gone, .task = kOther, .from = anew, .to = anew + 1});
  for (const auto& [task, text] : failed)
    f.e.troubles.push_back({.kind = Kind::failed, .task = task, .from = 9 * kSecond, .text = text});
  if (saves == Saves::later) f.at(1, StepBegan{kChief, StepId{1}, Purpose::train});
  if (saves != Saves::nothing) f.at(2, StepBegan{kChief, StepId{2}, Purpose::save});
  return cure_of(f.e, f.e.troubles.front());
}
std::string closed(const char* task, const char* rest = " is closed.") {
  return fmt::format("From /job:{}:\nFIFOQueue 'examples_1'{}\n\t [[{{{{node x}}}}]]", task, rest);
}

TEST(LostServer, begins_anew_with_the_workers_whose_own_queues_were_closed_with_their_sessions) {
  const std::string own = closed("worker/replica:0/task:1");
  EXPECT_EQ(cure_with({{kOther, own}}),
            "restart ps 0 and worker 1 together, since worker 1 keeps a closed queue of its input, and save "
            "checkpoints");
  EXPECT_EQ(
      cure_with({{kChief, "another error"}, {kThird, closed("worker/replica:0/task:2")}, {kOther, own}}, 2 * kSecond),
      "find out what ends ps 0, or restart ps 0, worker 1 and worker 2 together, since each of these workers keeps "
      "a closed queue of its input, and save checkpoints");
  const std::string server = "restart ps 0 soon, and save checkpoints";
  EXPECT_EQ(cure_with({{kOther, closed("worker/replica:0/task:2")}}), server) << "another's queue";
  EXPECT_EQ(cure_with({{kOther, closed("worker/replica:0/task:1", " is closed and has insufficient elements")}}),
            server);
  EXPECT_EQ(cure_with({{kOther, "another error"}}), server);
  EXPECT_EQ(cure_with({{kOther, own}}, 5 * kSecond, Saves::nothing, 7 * kSecond), server) << "another process of it";
}

TEST(LostServer, closed_no_queue_of_a_worker_that_had_failed_before) {
  Facts f(Training::synchronous, 2, 3);
  const std::string own = closed("worker/replica:0/task:1");
  f.e.troubles = {{.kind = Kind::failed, .task = kOther, .from = kSecond, .text = own},
                  {.kind = Kind::gone, .task = kPs, .from = 2 * kSecond, .to = 9 * kSecond, .back = 8 * kSecond}};
  EXPECT_EQ(cure_of(f.e, f.e.troubles.back()), "restart ps 0 soon, and save checkpoints");
}

TEST(LostServer, is_to_be_saved_from_only_where_nothing_is_saved_yet) {
  EXPECT_EQ(cure_with({}, 5 * kSecond, Saves::later), "restart ps 0 soon");
  EXPECT_EQ(cure_with({}, 5 * kSecond, Saves::before_training), "restart ps 0 soon, and save checkpoints");
  EXPECT_EQ(cure_with({}), "restart ps 0 soon, and save checkpoints");
}

TEST(LostChief, of_asynchronous_workers_begins_anew_with_a_checkpoint) {
  const auto cure = [](TaskId lost, Training training) {
    Facts f(training);
    f.c.initialiser = kChief;
    return cure_of(f.e, {.kind = Kind::gone, .task = lost, .from = kSecond});
  };
  for (const Training t : {Training::asynchronous, Training::stale_synchronous}) {
    EXPECT_EQ(cure(kChief, t), "restart worker 0, the chief, and save checkpoints");
    EXPECT_EQ(cure(kOther, t), "restart worker 1");
  }
}

TEST(LostChief, among_others_is_named_with_them_whoever_is_first) {
  Facts f(Training::asynchronous, 0, 3);
  f.c.initialiser = kOther;
  for (const TaskId t : {kChief, kOther}) f.e.troubles.push_back({.kind = Kind::gone, .task = t, .from = kSecond});
  Proof all = of_all(proof(Proof::Cause::faults, .3));
  all.goes_on = true;
  f.e.proofs = f.proofs = {all};
  EXPECT_THAT(cure_of(f.e, f.e.troubles), EndsWith("restart worker 0 and worker 1, and save checkpoints"));
}

TEST(Leaving, is_to_be_cured_of_all_that_left_alike) {
  Facts f(Training::synchronous, 3, 3);
  const auto cure = [&](const char* of_third) {
    return cure_of(f.e, std::vector{left(kOther, kEndOfData), left(kThird, of_third)});
  };
  EXPECT_THAT(cure(kEndOfData), StartsWith("give the readers of worker 1 and worker 2 files with more records, or more "
                                           "epochs (num_epochs), or aggregate fewer"));
  EXPECT_THAT(cure(""), StartsWith("give the readers of worker 1 files")) << "the other was told to";
  EXPECT_THAT(cure_of(f.e, std::vector{left(kOther), left(kThird)}),
              StartsWith("let worker 1 and worker 2 train as long as worker 0, or aggregate fewer"));
  EXPECT_THAT(cure_of(f.e, std::vector{left(kOther)}), StartsWith("let worker 1 train as long as the others, or"));
}

TEST(Leaving, is_to_be_cured_of_the_one_that_makes_the_difference) {
  Facts f(Training::synchronous, 3, 3);
  f.e.proofs = f.proofs = {proof(Proof::Cause::faults, .3, kThird)};
  EXPECT_THAT(cure_of(f.e, std::vector{left(kOther), left(kThird)}), StartsWith("let worker 2 train as long"));
}

// Worker 1's process ended and began anew; worker 0 and worker 2 have left after so many steps.
std::string counting_anew(std::int64_t of_chief, std::int64_t of_third, Trouble lost, Trouble third = left(kThird)) {
  Facts f(Training::replicated, 3, 3);
  f.c.workers[0].steps = of_chief, f.c.workers[2].steps = of_third;
  f.e.troubles = {lost, left(kChief), third};
  return cure_of_counting_anew(f.e, {&lost, 1});
}

TEST(Leaving, after_equal_steps_leaves_a_new_process_behind_that_counts_its_own_from_0) {
  const Trouble anew{.kind = Kind::gone, .task = kOther, .from = kSecond, .to = 3 * kSecond, .back = 2 * kSecond};
  Trouble for_good = anew, faulty = left(kThird), back_in = left(kThird);
  for_good.back = -1, faulty.fault = "leave x", back_in.to = kSecond;
  EXPECT_EQ(counting_anew(80, 80, anew), kStopAtGlobalStep);
  EXPECT_EQ(counting_anew(80, 79, anew), "") << "they do not stop after so many steps of their own";
  EXPECT_EQ(counting_anew(80, 80, for_good), "");
  EXPECT_EQ(counting_anew(80, 80, anew, left(kThird, kEndOfData)), "");
  EXPECT_EQ(counting_anew(80, 80, anew, faulty), "");
  EXPECT_EQ(counting_anew(80, 80, anew, back_in), "") << "it trains in another session";
  EXPECT_EQ(counting_anew(80, 80, anew, {.kind = Kind::paused, .task = kThird}), "") << "it has not left";
}

TEST(Leaving, of_all_others_is_what_a_job_with_a_new_process_stands_still_for) {
  Facts f(Training::replicated, 3, 3);
  const Trouble anew{.kind = Kind::gone, .task = kOther, .from = kSecond, .to = 3 * kSecond, .back = 2 * kSecond};
  f.e.troubles = {anew, left(kChief), left(kThird)};
  f.e.standstills = {{.from = 9 * kSecond, .waits = {.troubles = f.e.troubles}}};
  EXPECT_THAT(f.says("stuck"), testing::EndsWith(std::string(" To do: ") + kStopAtGlobalStep + "."));
  Proof faults = proof(Proof::Cause::faults, 0, kOther);
  faults.goes_on = true;
  EXPECT_THAT(f.with("stuck", {faults}), testing::EndsWith(" To do: find out what ends worker 1."))
      << "of the runs that were tried none with another stop goes on";
}

// ps 0 was lost for good after worker 1's data was at its end; without the first the job goes on.
std::string stuck_after_an_end_of_data(std::vector<Proof> proofs, const char* text = kEndOfData,
                                       const char* fault = "") {
  Facts f(Training::synchronous, 3, 3);
  Trouble first = left(kOther, text);
  first.from = kSecond, first.fault = fault;
  f.e.troubles = {first, {.kind = Kind::gone, .task = kPs, .from = 2 * kSecond}};
  f.e.standstills = {{.from = 2 * kSecond, .waits = {.troubles = f.e.troubles}}};
  for (Proof& p : proofs) p.goes_on = true;
  return f.with("stuck", std::move(proofs));
}

TEST(Leaving, at_the_end_of_its_data_has_no_part_where_the_job_goes_on_without_a_fault_alone) {
  const Proof fault = proof(Proof::Cause::faults, 0, kPs);
  EXPECT_THAT(stuck_after_an_end_of_data({fault}), HasSubstr("The cause: the process of ps 0 ended at 2.000 s"));
  const std::string both = "The cause: worker 1 left training at 1.000 s";
  EXPECT_THAT(stuck_after_an_end_of_data({fault, proof(Proof::Cause::data, 0, kOther)}), HasSubstr(both));
  EXPECT_THAT(stuck_after_an_end_of_data({fault, of_all(proof(Proof::Cause::data, 0))}), HasSubstr(both));
  EXPECT_THAT(stuck_after_an_end_of_data({fault, proof(Proof::Cause::data, 0, kThird)}), Not(HasSubstr(both)));
  EXPECT_THAT(stuck_after_an_end_of_data({}), HasSubstr(both)) << "nothing is known of a run without either";
  EXPECT_THAT(stuck_after_an_end_of_data({fault}, ""), HasSubstr(both)) << "it left as it was told to";
}

// The others trained on, until ps 0 was lost.
TEST(Leaving, at_the_end_of_its_data_is_told_where_it_has_no_part_in_a_standstill) {
  Facts f(Training::synchronous, 3, 3);
  Trouble first = left(kOther, kEndOfData);
  first.from = kSecond;
  f.e.troubles = {first, {.kind = Kind::gone, .task = kPs, .from = 2 * kSecond}};
  Proof fault = proof(Proof::Cause::faults, 0, kPs);
  fault.goes_on = true;
  f.e.proofs = f.proofs = {fault};
  EXPECT_TRUE(has_no_part(f.e, first, f.e.troubles));
  EXPECT_FALSE(has_no_part(f.e, first, std::span(f.e.troubles).first(1))) << "another standstill";
  EXPECT_FALSE(has_no_part(f.e, f.e.troubles.back(), f.e.troubles)) << "it has not left";
  f.e.troubles.front().fault = "leave";
  EXPECT_FALSE(has_no_part(f.e, f.e.troubles.front(), f.e.troubles)) << "a fault told it to";
}

// Worker 0 left after its steps; so many have the others, and this lets the job go on beside a stop for all.
std::string stuck_behind(Proof p, std::int64_t of_other, std::int64_t of_third, bool has_stop = true) {
  Facts f(Training::synchronous, 3, 3);
  f.c.workers[0].steps = 30, f.c.workers[1].steps = of_other, f.c.workers[2].steps = of_third;
  f.e.troubles = {left(kChief)};
  f.e.standstills = {{.from = 2 * kSecond, .waits = {.troubles = f.e.troubles}}};
  Proof stop{.cause = Proof::Cause::stops, .what = "EACH", .instead = "A STOP", .goes_on = true};
  p.goes_on = true, stop.goes_on = has_stop;
  return f.with("stuck", {p, stop});
}

TEST(Leaving, before_a_worker_that_was_slow_names_what_made_it_so) {
  const Proof slow = proof(Proof::Cause::slow_worker, 0, kOther);
  const std::string told = "The cause: WHAT; and EACH; and worker 0 left training",
                    ran = " Run again INSTEAD (same seed), the job goes on. Run again A STOP (same seed)";
  EXPECT_THAT(stuck_behind(slow, 28, 29), testing::AllOf(HasSubstr(told), HasSubstr(ran)));
  EXPECT_THAT(stuck_behind(slow, 28, 28), Not(HasSubstr("WHAT"))) << "another one has as few";
  EXPECT_THAT(stuck_behind(slow, 29, 28), Not(HasSubstr("WHAT")));
  EXPECT_THAT(stuck_behind(slow, 30, 30), Not(HasSubstr("WHAT")));
  EXPECT_THAT(stuck_behind(slow, 28, 29, false),
              testing::AllOf(HasSubstr("The cause: WHAT; and worker 0 left training at 0.000 s."),
                             HasSubstr("To do: let worker 0 train as long as the others, or aggregate fewer")))
      << "no other stop lets the job go on";
  EXPECT_THAT(stuck_behind(proof(Proof::Cause::far_host, 0, TaskId::none(), "host1"), 28, 29), HasSubstr(told));
  EXPECT_THAT(stuck_behind(proof(Proof::Cause::far_host, 0, TaskId::none(), "host2"), 28, 29), Not(HasSubstr("WHAT")));
  EXPECT_THAT(stuck_behind(proof(Proof::Cause::latency, 0, kOther), 28, 29), Not(HasSubstr("WHAT")))
      << "that is of all";
  EXPECT_THAT(stuck_behind(proof(Proof::Cause::variations, 0), 28, 28), HasSubstr(told)) << "of all, in their turns";
  EXPECT_THAT(stuck_behind(proof(Proof::Cause::variations, 0, kOther), 29, 28), Not(HasSubstr("WHAT")));
  Proof several = proof(Proof::Cause::workers, 0);
  several.what = "WHAT of worker 1 and worker 2";
  EXPECT_THAT(stuck_behind(several, 28, 28), HasSubstr("The cause: WHAT of worker 1 and worker 2; and EACH"));
  EXPECT_THAT(stuck_behind(several, 28, 29), Not(HasSubstr("WHAT"))) << "worker 2 is not behind";
  several.what = "WHAT of worker 0, worker 1 and worker 2";
  EXPECT_THAT(stuck_behind(several, 30, 30), Not(HasSubstr("WHAT"))) << "nobody is behind";
}

}  // namespace
}  // namespace tarry
