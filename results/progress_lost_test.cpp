// What is said of a global step that went back, from logs written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

TEST(ProgressLost, tells_a_model_that_is_restored_from_one_that_is_initialised) {
  const auto text = [](std::int64_t back_to) {
    Story s = two_workers();
    for (const std::int64_t step : {std::int64_t{3}, back_to})
      s.at(1, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
    return s.told("progress_lost");
  };
  EXPECT_THAT(text(1), HasSubstr("from 3 back to 1: a chief that starts anew restores its last checkpoint"));
  EXPECT_THAT(text(0), HasSubstr("from 3 back to 0: a chief that starts anew initialises the model"));
}

TEST(ProgressLost, says_when_what_is_lost_was_trained) {
  Story s = two_workers();
  const auto assigned = [&](double t, std::int64_t step) {
    s.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  };
  assigned(1, 1), assigned(2, 2), assigned(3, 3);
  assigned(5, 2);
  assigned(6, 4);
  assigned(8, 0);
  assigned(9, 7);
  assigned(10, 0);
  const std::string text = s.told("progress_lost");
  EXPECT_THAT(text, HasSubstr(". What was trained from 2.000 s to 3.000 s is lost. At 8.000 s"));
  EXPECT_THAT(text, HasSubstr(". What was trained from 0.000 s to 6.000 s is lost. At 10.000 s"));
  EXPECT_THAT(text, HasSubstr(". What was trained from 8.000 s to 9.000 s is lost. To do"))
      << "from when it began anew";
}

TEST(ProgressLost, is_told_of_four_times_one_by_one_and_of_more_as_a_number) {
  const auto told = [](int times) {
    Story s = two_workers();
    for (int i = 0; i < times; ++i)
      for (const std::int64_t step : {5, 1})
        s.at(2 * i + (step == 5 ? 1 : 2), ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
    return s.told("progress_lost");
  };
  EXPECT_THAT(told(4), HasSubstr("At 8.000 s the global step went"));
  EXPECT_THAT(told(4), testing::Not(HasSubstr("times more")));
  EXPECT_THAT(told(6), HasSubstr("So it did 3 times more."));
}

// It had that value before the start, and made no step since.
TEST(ProgressLost, of_what_was_not_trained_here_is_none) {
  Story s = two_workers();
  s.log.started_at = static_cast<Nanos>(2 * kSecond);
  for (const std::int64_t step : {3, 1}) s.at(step == 3 ? 1 : 4, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  EXPECT_THAT(s.told("progress_lost"), testing::Not(HasSubstr("is lost")));
}

TEST(ProgressLost, of_a_checkpoint_of_step_0_is_told_as_that) {
  const auto text = [](std::vector<Purpose> purposes, double at) {
    Story s = two_workers();
    s.at(0, ScalarAssigned{kPs, kGlobalStep, StepId{1}, 3});
    for (const Purpose p : purposes) s.at(at, StepBegan{kChief, StepId{7}, p});
    s.at(2, ScalarAssigned{kPs, kGlobalStep, StepId{7}, 0}).at(3, StepBegan{kChief, StepId{8}, Purpose::restore});
    return s.told("progress_lost");
  };
  const std::string restores = "restores its last checkpoint", more = "To do: save checkpoints more often.";
  EXPECT_THAT(text({Purpose::init, Purpose::restore}, 1), testing::AllOf(HasSubstr(restores), HasSubstr(more)));
  EXPECT_THAT(text({Purpose::restore, Purpose::save}, 2), HasSubstr(restores));
  EXPECT_THAT(text({Purpose::restore, Purpose::init}, 1), HasSubstr("initialises the model"));
  EXPECT_THAT(text({}, 1), HasSubstr("initialises the model")) << "the one after it is not its";
}

TEST(ProgressLost, is_not_for_a_server_that_was_lost_before_training_began) {
  Story s = two_workers();
  s.log.started_at = static_cast<Nanos>(2 * kSecond);
  s.at(1, ProcessEnded{kPs}).at(1.5, ProcessBegan{kPs, 1});
  for (const std::int64_t step : {3, 0}) s.at(4, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  EXPECT_THAT(s.told("progress_lost"), HasSubstr("from 3 back to 0: a chief that starts anew initialises the model"));
}

// It was made anew, and what is lost now was trained after that.
TEST(ProgressLost, is_not_for_a_server_that_was_lost_before_what_is_lost_was_trained) {
  Story s = two_workers();
  s.at(1, ProcessEnded{kPs}).at(1.5, ProcessBegan{kPs, 1});
  for (const auto& [t, step] : {std::pair(3.0, 2), {4.0, 3}, {5.0, 2}})
    s.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  EXPECT_THAT(s.told("progress_lost"), HasSubstr("from 3 back to 2: a chief that starts anew restores its last"));
}

TEST(ProgressLost, tells_the_parameter_server_that_was_lost_and_once) {
  Story s = two_workers();
  const auto assigned = [&](double t, std::int64_t step) {
    s.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  };
  assigned(1, 3);
  s.at(2, ProcessEnded{kPs}).at(3, ProcessBegan{kPs, 1});
  assigned(4, 1);
  assigned(5, 2);
  assigned(6, 0);
  s.at(7, ProcessEnded{kPs});
  EXPECT_THAT(
      s.told("progress_lost"),
      HasSubstr("from 3 back to 1: the process of ps 0 had ended at 2.000 s with all that it held, and "
                "the chief restores its last checkpoint. What was trained from 0.000 s to 1.000 s is lost. At 6.000 s "
                "the global step went from 2 back to 0: a chief that starts anew initialises the model over what the "
                "parameter servers hold. What was trained from 0.000 s to 5.000 s is lost. To do: save checkpoints "
                "more often; save checkpoints, and give the chief their folder."));
}

// A client without parameter servers, whose session breaks at 2 s.
std::string told_in_graph(const Event& breaks) {
  const TaskNames workers{{"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"}, {"host0", "host10"}};
  const TaskId client{0u}, other{1u};
  Story s;
  s.log.set_names({"RunGraph request", "global_step", "", "the connections between host0 and host10 broke",
                   "the connections between host1 and host10 broke", "disconnect"});
  s.step(0, client, 7).at(0, StepBegan{client, StepId{1}, Purpose::init}).ready(0, client);
  s.at(1, MessageDelivered{client, other, NameId{0u}, 1, 0}).at(1, ScalarAssigned{other, kGlobalStep, StepId{7}, 3});
  s.at(2, breaks).at(3, ScalarAssigned{other, kGlobalStep, StepId{1}, 0}).ready(3, client);
  for (const Verdict& v : judge(s.log, s.contributions(), workers))
    if (v.kind == "progress_lost") return v.text;
  return "";
}

TEST(ProgressLost, in_graph_is_not_of_parameter_servers_and_names_what_broke_the_session) {
  const auto broke = [](NameId what) { return ConditionChanged{what, NameId{5u}, kNoDetail, kNoDetail, false}; };
  EXPECT_THAT(told_in_graph(broke(NameId{3u})),
              HasSubstr("the chief, in a new session (the connections between host0 and host10 broke at 2.000 s), "
                        "initialises the model over what was trained."));
  EXPECT_THAT(told_in_graph(broke(NameId{4u})), HasSubstr("a chief that starts anew initialises"));
  EXPECT_THAT(told_in_graph(ProcessEnded{TaskId{1u}}),
              HasSubstr("the chief, in a new session (the process of worker 1 ended at 2.000 s), initialises"));
  EXPECT_THAT(told_in_graph(ProcessEnded{TaskId{0u}}),
              HasSubstr("a chief that starts anew (its process ended at 2.000 s) initialises"));
}

TEST(ProgressLost, since_the_last_checkpoint_is_what_fewer_of_them_may_make_more) {
  const auto cure = [](std::vector<Verdict> said) {
    Facts f(Training::asynchronous);
    return f.with("checkpoint_bound", {proof(Proof::Cause::checkpoints, .3)}, said);
  };
  EXPECT_THAT(cure({}), testing::EndsWith(" To do: save less often, or to a faster disk."));
  EXPECT_THAT(
      cure({{"progress_lost", ""}}),
      testing::EndsWith(" To do: save less often, or to a faster disk (with fewer checkpoints a chief that starts "
                        "anew may lose more)."));
}

}  // namespace
}  // namespace tarry
