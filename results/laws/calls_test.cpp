// Laws of what is left, of calls, checkpoints and clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "results/laws/audited_story.hpp"

namespace tarry::audited {
namespace {

using testing::HasSubstr;

// ---- nothing_left ----

constexpr std::string_view kLeft = "nothing_left";
const AuditRest kRendezvous{.what = Rest::rendezvous, .task = kPs, .step = kStep, .a = 2};

Tale ended_at_ps() {
  Tale r;
  r.began(1, kChief, kStep).here(What::run_began).here(What::run_ended).ended(2, kChief, kStep);
  return r;
}

TEST(Leftovers, are_tensors_behind_a_clean_up) {
  Tale r = ended_at_ps().here(What::cleaned_up).at(9, RunEnded{});
  EXPECT_EQ(r.says(kLeft), "");
  AuditRest empty = kRendezvous;
  empty.a = 0, empty.c = 1;  // a receive that came late
  EXPECT_EQ(Tale(r).rest(empty).says(kLeft), "");
  EXPECT_THAT(r.rest(kRendezvous).says(kLeft), HasSubstr("left 2 tensors at task 0"));
  EXPECT_THAT(ended_at_ps().fact({.what = What::cleaned_up, .task = kPs, .step = kStep, .number = 1}).says(kLeft),
              HasSubstr("step 1 of task 1 was cleaned up at task 0, and is still there"));
}

TEST(Leftovers, are_steps_that_nobody_cleaned_up) {
  EXPECT_THAT(ended_at_ps().at(9, RunEnded{}).rest(kRendezvous).says(kLeft), HasSubstr("was never cleaned up"));
  EXPECT_EQ(ended_at_ps().at(2, RunEnded{}).rest(kRendezvous).says(kLeft), "") << "there was no time for it";
  EXPECT_EQ(
      ended_at_ps().at(9, MessageCutOff{kChief, kPs, kNothing, 0, 2, kNothing, kStep}).rest(kRendezvous).says(kLeft),
      "")
      << "on its way";
  EXPECT_EQ(ended_at_ps().here(What::clean_up_failed).at(9, RunEnded{}).rest(kRendezvous).says(kLeft), "");
  EXPECT_EQ(ended_at_ps().at(3, ProcessEnded{kChief}).at(9, RunEnded{}).rest(kRendezvous).says(kLeft), "");
}

TEST(Leftovers, are_cancelled_steps_that_do_not_end) {
  Tale r = running();
  r.at(1, RunEnded{}).here(What::run_cancelled);
  EXPECT_EQ(Tale(r).at(2, RunEnded{}).says(kLeft), "");
  EXPECT_THAT(Tale(r).at(2.001, RunEnded{}).says(kLeft), HasSubstr("has not ended at task 0, where it was cancelled"));
  r.fact({.what = What::save_waits, .task = kPs, .step = kStep, .number = 1});
  EXPECT_EQ(Tale(r).at(9, RunEnded{}).says(kLeft), "") << "it still saves";
  r.fact({.what = What::save_waits, .task = kPs, .step = kStep, .number = 0});
  EXPECT_THAT(Tale(r).at(9, RunEnded{}).says(kLeft), HasSubstr("has not ended"));
  EXPECT_EQ(Tale(r).at(3, KernelCutOff{kPs, kNothing, kNothing, kNothing, kStep, 0}).says(kLeft), "");
  EXPECT_EQ(Tale(r).here(What::run_ended).at(3, RunEnded{}).says(kLeft), "");
  EXPECT_EQ(r.at(3, ProcessEnded{kPs}).says(kLeft), "");
}

TEST(Leftovers, are_not_of_steps_that_were_cancelled_at_an_earlier_process_or_cut_off) {
  Tale r = running();
  r.at(1, RunEnded{}).here(What::run_cancelled).at(1, ProcessEnded{kPs}).at(1, ProcessBegan{kPs, 1});
  r.here(What::run_began, kStep, 1);
  EXPECT_EQ(Tale(r).at(9, RunEnded{}).says(kLeft), "") << "nobody cancelled this one";
  r.here(What::run_cancelled, kStep, 1);
  EXPECT_THAT(r.at(9, RunEnded{}).says(kLeft), HasSubstr("has not ended at task 0, where it was cancelled at 1.000 s"));
  EXPECT_EQ(ended_at_ps().at(2, ProcessEnded{kChief}).at(9, RunEnded{}).rest(kRendezvous).says(kLeft), "")
      << "the master ended with the step";
  Tale runs = ended_at_ps().here(What::run_began);
  EXPECT_EQ(runs.at(9, RunEnded{}).rest(kRendezvous).says(kLeft), "") << "a graph of it still runs";
  Tale open;
  open.began(1, kChief, kStep).here(What::run_began).here(What::run_ended);
  EXPECT_EQ(open.at(9, RunEnded{}).rest(kRendezvous).says(kLeft), "") << "the step itself has not ended";
}

TEST(Leftovers, are_not_of_steps_of_which_several_kernels_save) {
  const auto saves = [](std::uint64_t begins) {
    return AuditFact{.what = What::save_waits, .task = kPs, .step = kStep, .number = begins};
  };
  Tale r = running();
  r.at(1, RunEnded{}).here(What::run_cancelled).fact(saves(1)).fact(saves(1)).fact(saves(0));
  EXPECT_EQ(Tale(r).at(9, RunEnded{}).says(kLeft), "");
  EXPECT_THAT(r.fact(saves(0)).at(9, RunEnded{}).says(kLeft), HasSubstr("has not ended"));
}

TEST(Leftovers, are_sessions_that_were_deleted) {
  const AuditRest session{.what = Rest::session, .task = kPs, .name = kSession, .a = 1, .b = 5};
  const auto told = [](What what) { return AuditFact{.what = what, .task = kPs, .text = kSession}; };
  Tale r;
  EXPECT_EQ(Tale(r.fact(told(What::session_opened))).rest(session).says(kLeft), "");
  EXPECT_EQ(Tale(r).fact(told(What::session_deleted)).fact(told(What::session_opened)).rest(session).says(kLeft), "")
      << "it was made anew";
  EXPECT_THAT(r.fact(told(What::session_deleted)).rest(session).says(kLeft), HasSubstr("session abc is still at"));
}

TEST(Leftovers, are_sessions_of_an_earlier_incarnation_of_a_master) {
  const auto session = [](std::int64_t master, std::int64_t incarnation) {
    return AuditRest{.what = Rest::session, .task = kPs, .a = master, .b = incarnation};
  };
  EXPECT_EQ(Tale().rest(session(1, 5)).rest(session(1, 5)).rest(session(2, 6)).says(kLeft), "");
  EXPECT_THAT(Tale().rest(session(1, 5)).rest(session(1, 6)).says(kLeft), HasSubstr("two incarnations of task 1"));
}

TEST(Leftovers, are_dequeues_that_could_end) {
  const auto queue = [](std::int64_t inside, std::int64_t waiting, std::int64_t closed) {
    return Tale()
        .rest({.what = Rest::queue, .task = kPs, .name = kTokensText, .a = inside, .b = waiting, .c = closed})
        .says(kLeft);
  };
  EXPECT_EQ(queue(0, 2, 0), "");
  EXPECT_EQ(queue(2, 0, 1), "");
  EXPECT_THAT(queue(0, 2, 1), HasSubstr("2 dequeues wait at sync_token_q at task 0, which is closed"));
  EXPECT_THAT(queue(1, 2, 0), HasSubstr("which holds 1 elements"));
}

// ---- requests_once, incarnations_apart, filters_kept ----

TEST(Requests, are_executed_once_at_a_process) {
  const auto request = [](std::uint64_t process) {
    return AuditFact{.what = What::request_taken, .task = kPs, .process = process, .step = kStep, .number = 9};
  };
  EXPECT_EQ(Tale().fact(request(0)).fact(request(1)).says("requests_once"), "");
  EXPECT_THAT(Tale().fact(request(0)).fact(request(0)).says("requests_once"), HasSubstr("a second time"));
  EXPECT_THAT(running().here(What::run_began).says("requests_once"), HasSubstr("step 1 began at task 0 a second time"));
  EXPECT_EQ(running().here(What::run_ended).here(What::cleaned_up).says("requests_once"), "");
}

constexpr std::string_view kApart = "incarnations_apart";

TEST(Incarnations, of_a_tensor_and_of_who_is_asked_for_it_are_the_same) {
  AuditFact asked{.what = What::tensor_asked, .task = kPs, .step = kStep, .number = 5, .other = 5};
  EXPECT_EQ(Tale().fact(asked).says(kApart), "");
  asked.other = 6;
  EXPECT_THAT(
      Tale().fact(asked).says(kApart),
      HasSubstr("was asked for a tensor of incarnation 0000000000000005 in step 1, and looked for it though it is "
                "0000000000000006"));
}

TEST(Sessions, are_those_of_the_process) {
  const auto session = [](What what, std::uint64_t process) {
    return AuditFact{.what = what, .task = kPs, .process = process, .text = kSession};
  };
  Tale r;
  r.at(0, ProcessBegan{kPs, 0}).fact(session(What::session_opened, 0)).fact(session(What::session_used, 0));
  EXPECT_EQ(r.says(kApart), "");
  r.at(1, ProcessEnded{kPs}).at(1, ProcessBegan{kPs, 1}).fact(session(What::session_used, 1));
  EXPECT_THAT(r.says(kApart), HasSubstr("served session abc, which an earlier process had"));
}

TEST(Processes, that_have_ended_do_nothing) {
  Tale r;
  r.at(1, ProcessEnded{kPs});
  EXPECT_THAT(Tale(r).push(2, 0, 0, true).says(kApart), HasSubstr("task 0 did something, though it had no process"));
  EXPECT_THAT(Tale(r).here(What::run_ended).says(kApart),
              HasSubstr("a process of task 0 that had ended still acted, in step 1"));
  r.at(2, ProcessBegan{kPs, 1});
  EXPECT_EQ(Tale(r).push(3, 0, 0, true).here(What::run_ended, kStep, 1).says(kApart), "");
  EXPECT_THAT(r.here(What::run_ended).says(kApart), HasSubstr("had ended still acted"));
}

TEST(Filters, say_whom_a_session_calls) {
  Tale r;
  r.audit.may_call = {{0, 1, 2}, {0, 1}, {0, 2}};
  r.at(1, MessageDelivered{kChief, kPs, kGetStatus, 0, 0, kNothing, {}});
  r.at(1, MessageDelivered{kChief, kOther, kNothing, 0, 0, kNothing, {}});
  EXPECT_EQ(r.says("filters_kept"), "");
  r.at(2, MessageDelivered{kChief, kOther, kGetStatus, 0, 0, kNothing, {}});
  EXPECT_THAT(r.says("filters_kept"), HasSubstr("task 1 sent a GetStatus request to task 2, which"));
}

// ---- restored_whole, checkpoints_count, clients_recover ----

Tale saved() {
  Tale r;
  r.began(1, kChief, kStep, Purpose::save);
  r.fact({.what = What::checkpoint_saved, .task = kPs, .step = kStep, .number = 9, .text = 7, .name = kWeights});
  r.audit.texts.emplace_back("part");
  r.fact({.what = What::checkpoint_merged, .task = kPs, .step = kStep, .text = kModel, .name = 7});
  return r.ended(2, kChief, kStep);
}
AuditFact client(What what, std::uint32_t file) { return {.what = what, .task = kChief, .text = file}; }

std::string restoring(std::uint64_t digest, int code = 0) {
  Tale r = saved().fact(client(What::checkpoint_listed, kModel)).fact(client(What::model_restored, kModel));
  r.began(3, kChief, kNext, Purpose::restore);
  if (digest != 0)
    r.fact({.what = What::value_assigned, .task = kPs, .step = kNext, .number = digest, .name = kWeights});
  return r.ended(4, kChief, kNext, code).says("restored_whole");
}

TEST(Restoring, gives_every_variable_its_value) {
  EXPECT_EQ(restoring(9), "");
  EXPECT_THAT(restoring(8), HasSubstr("gave weights another value than model-5 has"));
  EXPECT_THAT(restoring(0), HasSubstr("restored model-5 without weights"));
  EXPECT_EQ(restoring(0, 14), "") << "it failed";
}

// A part of a partitioned variable, which has another name than the checkpoint has for all parts.
std::string restoring_part(std::uint64_t digest) {
  Tale r;
  r.audit.texts.insert(r.audit.texts.end(), {"emb 0,2:-", "emb/part_0"});
  const auto part = static_cast<std::uint32_t>(r.audit.texts.size() - 2);
  r.fact({.what = What::checkpoint_saved,
          .task = kPs,
          .step = kStep,
          .number = 9,
          .other = 1,
          .text = kModel,
          .name = part});
  r.fact(client(What::model_restored, kModel)).began(3, kChief, kNext, Purpose::restore);
  r.fact({.what = What::value_assigned, .task = kPs, .step = kNext, .number = digest, .name = part + 1});
  return r.ended(4, kChief, kNext).says("restored_whole");
}

TEST(Restoring, gives_parts_of_variables_their_values_under_other_names) {
  EXPECT_EQ(restoring_part(9), "");
  EXPECT_THAT(restoring_part(8), HasSubstr("restored model-5 without emb 0,2:-"));
}

TEST(Restoring, finds_nothing_in_checkpoints_that_were_lost) {
  Tale r = saved().at(2, ConditionChanged{kNothing, kLoseCheckpoints, kNothing, kNothing, false});
  r.fact(client(What::model_restored, kModel)).began(3, kChief, kNext, Purpose::restore).ended(4, kChief, kNext);
  EXPECT_EQ(r.says("restored_whole"), "") << "it has no values that could be missed";
}

TEST(Checkpoints, count_when_they_are_saved) {
  EXPECT_EQ(saved().fact(client(What::checkpoint_listed, kModel)).says("checkpoints_count"), "");
  EXPECT_THAT(Tale().fact(client(What::checkpoint_listed, kModel)).says("checkpoints_count"),
              HasSubstr("listed model-5, which it had not saved"));
}

TEST(Checkpoints, are_where_a_chief_begins_the_latest_first) {
  const Tale r = saved().fact(client(What::checkpoint_listed, kModel));
  EXPECT_EQ(Tale(r).fact(client(What::model_restored, kModel)).says("checkpoints_count"), "");
  EXPECT_THAT(Tale(r).fact(client(What::model_restored, kOldModel)).says("checkpoints_count"),
              HasSubstr("restored model-0, but the latest checkpoint is model-5"));
  EXPECT_THAT(Tale(r).began(3, kChief, kInit, Purpose::init).says("checkpoints_count"),
              HasSubstr("initialises the model, though there is model-5"));
}

TEST(Checkpoints, that_are_lost_are_there_no_more) {
  Tale r = saved().fact(client(What::checkpoint_listed, kModel));
  r.at(3, ConditionChanged{kNothing, kLoseCheckpoints, kNothing, kNothing, false});
  EXPECT_EQ(Tale(r).began(4, kChief, kInit, Purpose::init).says("checkpoints_count"), "");
  EXPECT_THAT(Tale(r).fact(client(What::model_restored, kModel)).says("checkpoints_count"),
              HasSubstr("but the latest checkpoint is none"));
}

TEST(Clients, make_a_new_session_after_a_lost_connection) {
  const auto lost = [](int code) {
    Tale r;
    return r.began(1, kOther, kStep).ended(2, kOther, kStep, code);
  };
  for (const int code : {10, 14}) {
    EXPECT_THAT(lost(code).began(3, kOther, kNext).says("clients_recover"),
                HasSubstr("step 2 of task 2 began in the session that step 1 of task 2 had lost"));
    EXPECT_EQ(lost(code)
                  .at(3, SessionMoved{kOther, SessionStage::created, kNothing})
                  .began(3, kOther, kNext)
                  .says("clients_recover"),
              "");
    EXPECT_THAT(lost(code).at(3, SessionMoved{kOther, SessionStage::failed, kNothing}).says("clients_recover"),
                HasSubstr("left training, though it can recover"));
  }
  EXPECT_EQ(lost(1).at(3, SessionMoved{kOther, SessionStage::failed, kNothing}).says("clients_recover"), "");
}

Tale stages(std::initializer_list<SessionStage> all) {
  Tale r;
  for (const SessionStage stage : all) r.at(1, SessionMoved{kOther, stage, kNothing});
  return r;
}

TEST(Clients, go_through_the_stages_of_a_session_in_order) {
  using enum SessionStage;
  EXPECT_EQ(stages({created, waiting, created, ready, looping, created, ready, looping, left_loop, closed})
                .says("clients_recover"),
            "");
  EXPECT_EQ(stages({created, failed, closed}).says("clients_recover"), "");
  EXPECT_THAT(stages({ready}).says("clients_recover"),
              HasSubstr("the session of task 2 was ready without being created before"));
  EXPECT_THAT(stages({created, looping}).says("clients_recover"), HasSubstr("was looping without being ready"));
  EXPECT_THAT(stages({created, ready, waiting}).says("clients_recover"), HasSubstr("was waiting without"));
  EXPECT_THAT(stages({created, failed, closed, created}).says("clients_recover"),
              HasSubstr("was created after the last was closed"));
  Tale next = stages({created, failed, closed});
  next.at(2, ProcessEnded{kOther}).at(2, ProcessBegan{kOther, 1}).at(3, SessionMoved{kOther, created, kNothing});
  EXPECT_EQ(next.says("clients_recover"), "");
}

TEST(Steps, end_with_codes_that_something_gives) {
  for (const int code : {0, 1, 3, 5, 8, 9, 10, 11, 13, 14, 15})
    EXPECT_EQ(Tale().began(1, kOther, kStep).ended(2, kOther, kStep, code).says("clients_recover"), "");
  for (const int code : {2, 4, 16})
    EXPECT_THAT(Tale().began(1, kOther, kStep).ended(2, kOther, kStep, code).says("clients_recover"),
                HasSubstr("which nothing gives"));
}

// ---- never_reached ----

TEST(Marks, may_all_be_reached_but_those_that_say_never) {
  for (std::size_t i = 0; i < std::size(kMarks); ++i) {
    Tale r;
    r.audit.marks.set(i);
    EXPECT_EQ(r.says("never_reached").starts_with(fmt::format("the run came by '{}': ", kMarks[i].name)),
              kMarks[i].is_never)
        << kMarks[i].name;
  }
}

// ---- incarnations_apart, of all that a task does ----

TEST(Incarnations, a_task_without_a_process_does_nothing) {
  const std::vector<Event> all = {StepBegan{kPs, kStep, Purpose::train},
                                  StepEnded{kPs, kStep, 0},
                                  GradientPushed{kPs, kGradients, kStep, 0, 0, true},
                                  TakeIssued{kPs, kGradients, kStep, 1},
                                  AggregateTaken{kPs, kGradients, kStep, 1, 1},
                                  AccumulatorStepSet{kPs, kGradients, 1},
                                  Enqueued{kPs, kTokens, kStep, 0},
                                  Dequeued{kPs, kTokens, kStep, 0},
                                  ScalarAssigned{kPs, kGlobalStep, kStep, 1},
                                  KernelRan{kPs, kNothing, kNothing, kNothing, kStep, 0},
                                  SessionMoved{kPs, SessionStage::ready, kNothing},
                                  SyncPlanned{kPs, 1, 1, 0},
                                  LogLine{kPs, 'I', kNothing}};
  for (const Event& e : all) {
    const auto said = [&](bool has_process) {
      Tale r = running();
      if (!has_process) r.at(1, ProcessEnded{kPs});
      return r.at(2, e).says(kApart);
    };
    EXPECT_EQ(said(true), "") << e.index();
    EXPECT_EQ(said(false), "at 2.000 s task 0 did something, though it had no process") << e.index();
  }
}

TEST(Incarnations, facts_that_know_their_process_are_of_the_present_one) {
  std::set<What> known;
  for (int i = 0; i <= static_cast<int>(What::save_waits); ++i) {
    const auto what = static_cast<What>(i);
    Tale r = running();
    r.at(1, ProcessEnded{kPs}).at(2, ProcessBegan{kPs, 1});
    r.fact({.what = What::session_opened, .task = kPs, .process = 1, .text = kSession});
    r.fact({.what = what, .task = kPs, .process = 0, .step = kNext, .number = 1, .other = 1, .text = kSession});
    if (r.says(kApart) == "at 2.000 s a process of task 0 that had ended still acted, in step 2") known.insert(what);
  }
  EXPECT_EQ(known, (std::set<What>{What::request_taken, What::run_began, What::run_ended, What::cleaned_up,
                                   What::value_arrived, What::tensor_asked, What::session_opened, What::session_used,
                                   What::client_acted}));
}

}  // namespace
}  // namespace tarry::audited
