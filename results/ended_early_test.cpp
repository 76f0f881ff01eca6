// When a chief that left is said to have ended the training of others, from logs written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

Story one_aggregate() {
  Story s = two_workers();
  s.at(0, SyncPlanned{kChief, 2, 2, 0}).push(1, 1).push(1, 2).aggregate(1);
  return s;
}

const CutShort kCut{kOther, 10, 40, 0};
const SessionMoved kChiefLeft{kChief, SessionStage::left_loop, kNoDetail},
    kChiefFailed{kChief, SessionStage::failed, kNoDetail}, kChiefClosed{kChief, SessionStage::closed, kNoDetail};

TEST(EndedEarly, needs_a_chief_that_left) {
  EXPECT_EQ(one_aggregate().at(3, kCut).told("ended_early"), "") << "the chief still trains";
  EXPECT_EQ(one_aggregate().at(2, kCut).at(3, kChiefLeft).told("ended_early"), "") << "something else closed its queue";
  const std::string told = one_aggregate().at(2, kChiefLeft).at(3, kCut).told("ended_early");
  EXPECT_THAT(told, HasSubstr("worker 0 left training at 2.000 s; it is the chief"));
  EXPECT_THAT(told, HasSubstr("worker 1 after 10 steps of 40."));
  Story closed = one_aggregate();
  closed.at(2, kChiefLeft).at(2, kChiefClosed).at(3, kCut);
  EXPECT_THAT(closed.told("ended_early"), HasSubstr("worker 1 after 10 steps of 40."));
  EXPECT_EQ(closed.ready(4, kChief).at(5, CutShort{kOther, 11, 40, 0}).told("ended_early"), "") << "it is back";
}

TEST(EndedEarly, is_said_of_a_chief_that_failed_unless_the_others_wait) {
  EXPECT_THAT(one_aggregate().at(2, kChiefFailed).at(3, kCut).told("ended_early"),
              HasSubstr("worker 0 left training with an error at 2.000 s"));
  EXPECT_THAT(one_aggregate().at(2, kCut).at(3, kChiefFailed).at(3, kChiefClosed).told("ended_early"),
              HasSubstr("worker 1 after 10 steps of 40."))
      << "the queue was closed with a session that broke before";
  Story stuck = one_aggregate();
  stuck.at(2, kChiefFailed).at(60, kCut);
  EXPECT_EQ(stuck.told("ended_early"), "") << stuck.told("stuck");
  EXPECT_NE(stuck.told("stuck"), "");
}

// The chief's session breaks, is closed, and is made anew; or the chief fails, and is back. Worker 1 is not.
TEST(EndedEarly, is_said_of_those_who_are_cut_short_for_good_whatever_the_chief_does_later) {
  const SessionMoved made_anew{kChief, SessionStage::created, kNoDetail};
  Story trains_on = one_aggregate();
  EXPECT_EQ(trains_on.at(2, kCut).at(3, made_anew).ready(4, kChief).told("ended_early"),
            "Training ended early for worker 1 after 10 steps of 40, without an error: their queue of tokens was "
            "closed with a session of worker 0, the chief, by 2.000 s, which a client takes for the end of its data. "
            "To do: restart worker 1.");
  EXPECT_THAT(one_aggregate().at(2, kChiefFailed).at(3, kCut).ready(4, kChief).told("ended_early"),
              HasSubstr("Training ended early for worker 1 after 10 steps of 40"));
  EXPECT_EQ(one_aggregate().at(2, kCut).at(3, made_anew).at(4, ProcessBegan{kOther, 1}).told("ended_early"), "")
      << "it is back, too";
  EXPECT_EQ(one_aggregate().at(2, kCut).at(3, made_anew).ready(4, kOther).told("ended_early"), "");
  EXPECT_EQ(one_aggregate().at(2, kCut).ready(3, kChief).at(4, made_anew).told("ended_early"), "")
      << "it was in no session that broke";
}

TEST(EndedEarly, says_that_the_session_before_closed_the_queue_where_the_others_left_first) {
  EXPECT_THAT(one_aggregate().at(2, kCut).at(3, kChiefFailed).told("ended_early"),
              HasSubstr("Its session before that one broke, and closing it closed their queue by 2.000 s, which ends"));
  EXPECT_THAT(one_aggregate().at(2, kChiefFailed).at(3, kCut).told("ended_early"),
              HasSubstr("With it their queue was closed, which ends"));
}

// Without the chief's fault, alone, the work takes less time, and training ends early as well.
TEST(EndedEarly, by_a_chief_that_did_its_steps_is_cured_by_a_global_step_where_a_new_process_counts_anew) {
  const std::string cure = "To do: let training stop at a global step: a new process counts its own steps from 0.";
  const auto told = [](bool is_back, const CutShort& cut, const SessionMoved& left = kChiefLeft,
                       std::uint64_t steps = 40) {
    Story s = one_aggregate();
    s.log.set_names({"v:0/grad_accum", "global_step", "", "the queue is closed and has insufficient elements"});
    s.at(1.2, ProcessEnded{kOther});
    if (is_back) s.at(1.5, ProcessBegan{kOther, 1}).ready(1.6, kOther);
    for (std::uint64_t i = 0; i < steps; ++i) s.step(1.7, kChief, 100 + i).ended(1.8, kChief, 100 + i);
    return s.at(2, left).at(3, cut).told("ended_early");
  };
  EXPECT_THAT(told(true, kCut), HasSubstr(cure));
  EXPECT_THAT(told(true, kCut, kChiefLeft, 39), Not(HasSubstr(cure))) << "it has fewer steps to do than the other";
  EXPECT_THAT(told(true, kCut, {kChief, SessionStage::left_loop, NameId{3u}}), Not(HasSubstr(cure)))
      << "its data was at its end";
  EXPECT_THAT(told(false, kCut), Not(HasSubstr(cure)));
  EXPECT_THAT(told(true, CutShort{kOther, 10, 0, 40}), Not(HasSubstr(cure)));
  EXPECT_THAT(one_aggregate().at(2, kChiefLeft).at(3, kCut).told("ended_early"), Not(HasSubstr(cure)));
}

TEST(EndedEarly, is_not_cured_by_a_global_step_where_workers_that_never_began_anew_were_cut_short_too) {
  Facts f(Training::synchronous, 3, 3);
  f.e.closer = f.c.sync_client = kChief;
  f.c.workers[0].steps = 40;
  f.e.troubles = {{.kind = Trouble::Kind::left, .task = kChief, .from = kSecond}};
  f.e.losses.processes = {{.task = kOther, .at = 0, .back = 1}};
  f.e.cut_short = {kCut};
  EXPECT_THAT(f.says("ended_early"), testing::EndsWith("a new process counts its own steps from 0."));
  f.e.cut_short.push_back({kThird, 12, 40, 0});
  EXPECT_THAT(f.says("ended_early"), testing::EndsWith("To do: let worker 0 train as long as the others."));
}

// The chief has made 40 steps, and left, and worker 1 fewer.
Facts after_the_chief() {
  Facts f(Training::synchronous, 2);
  f.e.closer = f.c.sync_client = kChief;
  f.c.workers[0].steps = 40, f.c.workers[1].steps = 10;
  f.e.troubles = {{.kind = Trouble::Kind::left, .task = kChief, .from = kSecond}};
  f.e.cut_short = {kCut};
  return f;
}

TEST(EndedEarly, names_what_held_those_back_that_were_cut_short) {
  Proof slow = proof(Proof::Cause::slow_worker, .3, kOther), chief = proof(Proof::Cause::slow_worker, .3, kChief);
  slow.goes_on = chief.goes_on = true;
  EXPECT_THAT(
      after_the_chief().with("ended_early", {slow}),
      testing::EndsWith("worker 1 after 10 steps of 40. What held them back: WHAT. Run again INSTEAD (same seed), "
                        "the job goes on. To do: let training stop at a global step, which all workers share."));
  EXPECT_THAT(after_the_chief().with("ended_early", {chief}), Not(HasSubstr("WHAT"))) << "it had more steps";
  Facts told_to_leave = after_the_chief();
  told_to_leave.e.troubles[0].fault = "leave";
  EXPECT_THAT(told_to_leave.with("ended_early", {slow}), Not(HasSubstr("WHAT")));
  slow.goes_on = false;
  EXPECT_THAT(after_the_chief().with("ended_early", {slow}), Not(HasSubstr("WHAT")));
}

// The chief hands out tokens until it leaves; what tokens came from.
std::string of_stale_workers(double left) {
  Facts f(Training::stale_synchronous);
  f.e.closer = kChief;
  f.log.set_names({"v:0/grad_accum", "global_step", "", "stale_token_q_1 is closed"});
  f.at(3, kCut);
  f.e.cut_short = {kCut};
  f.e.troubles = {{.kind = Trouble::Kind::left, .task = kChief, .from = static_cast<Nanos>(left * kSecond)},
                  {.kind = Trouble::Kind::left, .task = kOther, .from = 3 * kSecond, .text = "TOKENS CLOSED"}};
  return f.says("ended_early");
}

TEST(EndedEarly, of_stale_synchronous_workers_names_the_chief_that_left_before_them) {
  EXPECT_EQ(of_stale_workers(2),
            "worker 0 left training at 2.000 s; it is the chief, which hands out the tokens. With it their queues were "
            "closed, which ends the training of all others without an error: worker 1 after 10 steps of 40. To do: let "
            "worker 0 train as long as the others.");
  EXPECT_THAT(of_stale_workers(3.1), HasSubstr("A queue of tokens was closed to them (TOKENS CLOSED)"));
}

// Epochs that all count together, of a chief whose data is at its end.
TEST(EndedEarly, names_the_shared_epochs_where_a_count_for_each_does_more_and_more_data_alone_does_not_go_on) {
  const auto told = [](double gain, std::vector<Proof> others, bool is_of_data = true) {
    Facts f(Training::synchronous);
    f.e.closer = f.c.sync_client = kChief;
    f.e.cut_short = {kCut};
    f.e.troubles = {{.kind = Trouble::Kind::left, .task = kChief, .from = kSecond}};
    if (is_of_data) f.e.troubles[0].text = "the queue is closed and has insufficient elements";
    others.push_back(proof(Proof::Cause::epochs, gain));
    others.back().does_more = true;
    return f.with("ended_early", std::move(others));
  };
  Proof data = proof(Proof::Cause::data, .5, kChief);
  EXPECT_THAT(told(.5, {data}),
              testing::EndsWith("The cause: WHAT. Run again INSTEAD (same seed), 2.0 times as much is "
                                "done before it stands still or fails as well. To do: make the "
                                "queue of file names under tf.device of each worker, which then "
                                "counts its own epochs."));
  data.goes_on = true;
  EXPECT_THAT(told(.5, {data}), HasSubstr("To do: give the readers of worker 0"));
  EXPECT_THAT(told(.09, {}), HasSubstr("To do: give the readers of worker 0")) << "hardly more";
  EXPECT_THAT(told(.5, {}, false), HasSubstr("To do: let worker 0 train")) << "it left as it was told to";
}

TEST(EndedEarly, has_only_a_proof_that_the_job_goes_on) {
  const auto told = [](bool goes_on) {
    Story s = one_aggregate();
    s.at(2, kChiefLeft).at(3, kCut);
    const std::vector<Proof> proofs{{.task = kChief, .instead = "without it", .gain = 0.5, .goes_on = goes_on}};
    for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
      if (v.kind == "ended_early") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(true), HasSubstr("Run again without it (same seed), the job goes on."));
  EXPECT_THAT(told(false), testing::Not(HasSubstr("Run again")));
}

// ps 1 is lost at 2 s, and back 2 s later. The chief's next session finds at 5 s that the queue on ps 0 is closed.
struct FoundClosed : Facts {
  explicit FoundClosed(double first_ready = 0) : Facts(Training::synchronous) {
    log.set_names({"v:0/grad_accum", "global_step", "", "sync_token_q"});
    c.sync_client = e.closer = kChief;
    at(1, Enqueued{kPs, NameId{3u}, StepId{1}, 0}).at(7, kCut);
    if (first_ready >= 0) stage(first_ready, kChief, SessionStage::ready);
    stage(4.1, kChief, SessionStage::ready);
    e.cut_short = {kCut};
    e.troubles = {{.kind = Trouble::Kind::paused, .task = kOther, .from = kSecond, .to = 3 * kSecond},
                  {.kind = Trouble::Kind::gone,
                   .task = kSecondPs,
                   .from = 2 * kSecond,
                   .to = 4 * kSecond + kSecond / 10,
                   .back = 4 * kSecond},
                  {.kind = Trouble::Kind::left,
                   .task = kChief,
                   .from = 5 * kSecond,
                   .text = "FIFOQueue 'sync_token_q' is closed and has insufficient elements"}};
    proofs = {proof(Proof::Cause::faults, 0, kSecondPs)};
    proofs[0].goes_on = true;
  }
};
constexpr char kBoth[] = "restart ps 0 and ps 1 together, since ps 0 keeps the closed queue of tokens, and save ",
               kStay[] = "To do: let worker 0 train as long as the others.";

TEST(EndedEarly, by_a_chief_that_found_its_queue_closed_is_cured_where_the_fault_was_that_broke_its_session) {
  const std::string told = FoundClosed().says("ended_early");
  EXPECT_THAT(told, HasSubstr("Its session before that one broke, and closing it closed their queue by 5.000 s"));
  EXPECT_THAT(told, HasSubstr("A fault was behind it: the process of ps 1 ended at 2.000 s"));
  EXPECT_THAT(told, HasSubstr(std::string("the job goes on. To do: ") + kBoth));
  FoundClosed both;
  both.proofs.push_back(of_all(both.proofs[0]));
  EXPECT_THAT(both.says("ended_early"), HasSubstr("A fault was behind it: the process of ps 1 ended at 2.000 s"));
  FoundClosed at_once;
  at_once.e.troubles[1].back = 2 * kSecond;
  EXPECT_THAT(at_once.says("ended_early"), HasSubstr(std::string("To do: find out what ends ps 1, or ") + kBoth));
  FoundClosed later;
  later.e.troubles[1].from = 6 * kSecond;
  EXPECT_THAT(later.with("ended_early", {}), HasSubstr("To do: let the process of worker 1 go on (is it stopped"))
      << "without a proof it is what was wrong before";
  later.e.troubles[0] = {.kind = Trouble::Kind::slowed, .task = kOther, .from = 0};
  EXPECT_THAT(later.says("ended_early"), HasSubstr(kStay));
}

TEST(EndedEarly, by_a_chief_that_left_in_its_first_session_or_as_it_was_told_to_is_cured_by_its_staying) {
  EXPECT_THAT(FoundClosed(-1).says("ended_early"), HasSubstr(kStay));
  EXPECT_THAT(FoundClosed(6).says("ended_early"), HasSubstr(kStay));
  FoundClosed as_told;
  as_told.e.troubles[2].text = "";
  EXPECT_THAT(as_told.says("ended_early"), HasSubstr("With it their queue was closed"));
  EXPECT_THAT(as_told.says("ended_early"), HasSubstr(kStay));
  as_told.e.troubles[1] = {.kind = Trouble::Kind::slowed, .task = kOther, .from = 2 * kSecond, .to = 4 * kSecond};
  as_told.proofs[0].task = kOther;
  EXPECT_THAT(as_told.says("ended_early"), HasSubstr("To do: let training stop at a global step, which all workers"))
      << "the others had fewer steps";
  FoundClosed another;
  another.at(1, SyncPlanned{kOther, 2, 2, 0});
  EXPECT_THAT(another.says("ended_early"), HasSubstr(kStay)) << "that one may have closed it";
}

TEST(ClosedQueues, are_opened_where_they_are_with_the_server_that_was_lost) {
  const auto cure = [](TaskId lost, Nanos from) {
    return cure_of(FoundClosed().e, {.kind = Trouble::Kind::gone,
                                     .task = lost,
                                     .from = from,
                                     .to = from + 5 * kSecond,
                                     .back = from + 4 * kSecond});
  };
  EXPECT_THAT(cure(kSecondPs, 0), HasSubstr(kBoth));
  EXPECT_EQ(cure(kPs, 0), "restart ps 0 soon, and save checkpoints") << "it has a new queue";
  EXPECT_EQ(cure(kSecondPs, 6 * kSecond), "restart ps 1 soon, and save checkpoints") << "the chief had left before";
}

// The chief fails at 2 s, since ps 0 keeps the closed queue of tokens.
struct ClosedQueue : Facts {
  explicit ClosedQueue(Training training = Training::synchronous) : Facts(training) {
    log.set_names(
        {"v:0/grad_accum", "global_step", "", "From /job:ps/replica:0/task:0:\nFIFOQueue 'sync_token_q' is closed."});
    at(2, SessionMoved{kChief, SessionStage::failed, NameId{3u}});
    e.troubles = {{.kind = Trouble::Kind::failed, .task = kChief, .from = 2 * kSecond, .text = "x"}};
  }
  ClosedQueue& gone(TaskId task, Nanos from, Nanos back = -1) {
    e.troubles.push_back({.kind = Trouble::Kind::gone, .task = task, .from = from, .back = back});
    return *this;
  }
};
constexpr char kRestartServer[] = "To do: restart ps 0, which keeps the closed queue of tokens, and save checkpoints.";

TEST(ClosedQueues, are_opened_by_a_new_process_of_the_server_while_somebody_trains) {
  EXPECT_THAT(ClosedQueue().says("failed"), HasSubstr(kRestartServer));
  EXPECT_THAT(ClosedQueue(Training::asynchronous).says("failed"), testing::Not(HasSubstr("To do")));
  EXPECT_THAT(ClosedQueue().gone(kOther, kSecond).says("failed"),
              HasSubstr("To do: start the whole job again, and save checkpoints."));
  EXPECT_THAT(ClosedQueue().gone(kOther, kSecond, 3 * kSecond).says("failed"), HasSubstr(kRestartServer))
      << "another process of it trains";
}

TEST(ClosedQueues, need_nothing_where_a_new_process_followed) {
  EXPECT_THAT(ClosedQueue().gone(kPs, 3 * kSecond, 4 * kSecond).says("failed"), testing::Not(HasSubstr("To do")));
  EXPECT_THAT(ClosedQueue().gone(kPs, 3 * kSecond).says("failed"), HasSubstr(kRestartServer)) << "it did not begin";
  EXPECT_THAT(ClosedQueue().gone(kPs, kSecond, kSecond).says("failed"), HasSubstr(kRestartServer)) << "it was before";
  EXPECT_THAT(ClosedQueue().gone(kPs, 3 * kSecond, 4 * kSecond).gone(kOther, kSecond).says("failed"),
              HasSubstr("To do: start the whole job again"))
      << "nobody trains any more";
  ClosedQueue f;
  f.gone(kPs, 3 * kSecond, 4 * kSecond);
  EXPECT_EQ(cure_of(f.e, {.kind = Trouble::Kind::failed,
                          .task = kChief,
                          .from = 2 * kSecond,
                          .to = 5 * kSecond,
                          .text = std::string(f.log.name(NameId{3u}))}),
            "restart ps 0, which keeps the closed queue of tokens, sooner, and save checkpoints");
}

// The chief and the other one prepare training as chiefs, and a third worker trains.
Story two_chiefs() {
  Story s = one_aggregate();
  s.at(1, SyncPlanned{kOther, 2, 2, 0});
  s.at(1, StepBegan{kChief, StepId{50}, Purpose::sync}).at(1, StepBegan{kOther, StepId{51}, Purpose::sync});
  return s;
}

TEST(EndedEarly, names_the_first_of_several_chiefs_to_leave) {
  const auto left = [](TaskId task) { return SessionMoved{task, SessionStage::left_loop, kNoDetail}; };
  const CutShort third{TaskId{3u}, 9, 40, 0}, other{kOther, 10, 40, 0}, chief{kChief, 10, 40, 0};
  Story first = two_chiefs();
  const std::string one = first.at(2, left(kChief)).at(3, other).at(3, left(kOther)).at(3, third).told("ended_early");
  EXPECT_THAT(one,
              HasSubstr("worker 0 left training at 2.000 s; it is a chief, which hands out tokens. With it their"));
  EXPECT_THAT(one, HasSubstr("without an error: worker 1 after 10 steps of 40, "));
  EXPECT_THAT(two_chiefs().at(2, left(kOther)).at(3, chief).at(3, left(kChief)).told("ended_early"),
              HasSubstr("worker 1 left training at 2.000 s; it is a chief"));
  const auto last = [&](Story& s) {
    return s.at(3, left(kOther)).at(4, third).at(4, left(third.task)).told("ended_early");
  };
  EXPECT_THAT(last(two_chiefs().at(2, chief).at(2, left(kChief))), HasSubstr("worker 1 left training at 3.000 s"))
      << "the queue was closed to the first to leave";
  EXPECT_THAT(last(two_chiefs().at(2, left(kChief))), HasSubstr("worker 0 left training at 2.000 s"));
  Story back = two_chiefs();
  back.at(2, SessionMoved{kChief, SessionStage::failed, kNoDetail}).ready(3, kChief).at(4, left(kOther));
  EXPECT_THAT(back.at(5, chief).told("ended_early"), HasSubstr("worker 1 left training at 4.000 s"));
}

TEST(EndedEarly, names_four_workers_and_counts_more) {
  const auto told = [](int workers) {
    Story s = one_aggregate();
    s.at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
    for (int w = 0; w < workers; ++w) s.at(3, CutShort{TaskId{2u + static_cast<std::size_t>(w)}, 10 + w, 40, 0});
    return s.told("ended_early");
  };
  EXPECT_THAT(told(4), HasSubstr("after 13 steps of 40."));
  EXPECT_THAT(told(6), HasSubstr("after 13 steps of 40, 2 more."));
}

TEST(EndedEarly, is_not_said_of_the_last_tenth_of_the_steps) {
  const auto after = [](std::int64_t steps) {
    return one_aggregate()
        .at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail})
        .at(3, CutShort{kOther, steps, 40, 0})
        .told("ended_early");
  };
  EXPECT_THAT(after(36), HasSubstr("worker 1 after 36 steps of 40."));
  EXPECT_EQ(after(37), "");
}

TEST(EndedEarly, is_not_said_near_the_last_global_step) {
  const auto at_step = [](std::int64_t step) {
    return one_aggregate()
        .at(1, ScalarAssigned{kPs, kGlobalStep, StepId{99}, step})
        .at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail})
        .at(3, CutShort{kOther, 10, 0, 40})
        .told("ended_early");
  };
  EXPECT_THAT(at_step(20), HasSubstr("worker 1 after 10 steps, to train up to global step 40."));
  EXPECT_EQ(at_step(39), "");
}

}  // namespace
}  // namespace tarry
