// Clients that came and never trained, from logs written by hand.

#include "results/held_back.hpp"

#include <gtest/gtest.h>

#include "results/told_facts.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

// The chief trains. For good, a path was cut between worker 1 and the parameter server.
std::size_t held_back_after(std::initializer_list<Event> events) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "part", "", "server", "host0", "host1"});
  s.ready(0, kChief).step(0, kChief, 1).at(0, SessionMoved{kOther, SessionStage::created, kNoDetail});
  for (const Event& e : events) s.at(1, e);
  s.at(2, ConditionChanged{NameId{1u}, NameId{1u}, NameId{3u}, NameId{5u}, true});
  s.log.is_deadlocked = true;
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  const Contributions c = s.contributions();
  return held_back(read_evidence(s.log, c, tasks)).size();
}

TEST(HeldBack, is_a_client_that_is_cut_off_before_its_first_step) { EXPECT_EQ(held_back_after({}), 1u); }

TEST(HeldBack, is_none_that_sleeps_until_it_looks_for_a_model_again) {
  const SessionMoved sleeps{kOther, SessionStage::waiting, kNoDetail}, looks{kOther, SessionStage::created, kNoDetail};
  EXPECT_EQ(held_back_after({sleeps}), 0u);
  EXPECT_EQ(held_back_after({sleeps, looks}), 1u) << "it looked, and was held";
}

TEST(HeldBack, is_none_whose_process_is_gone) { EXPECT_EQ(held_back_after({ProcessEnded{kOther}}), 0u); }

TEST(HeldBack, is_none_whose_path_was_cut_after_all_who_trained_had_left) {
  EXPECT_EQ(held_back_after({SessionMoved{kChief, SessionStage::left_loop, kNoDetail}}), 0u);
}

TEST(HeldBack, is_none_that_trains) { EXPECT_EQ(held_back_after({StepBegan{kOther, StepId{2}, Purpose::train}}), 0u); }

}  // namespace
}  // namespace tarry
