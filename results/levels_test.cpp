// What changes add up to.

#include "results/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

constexpr NameId kQueue{0u}, kAccum{1u}, kKind{2u};

std::vector<std::string> told(const EventLog& log) {
  std::vector<std::string> out;
  for (const Level& l : read_levels(log))
    out.push_back(fmt::format("{}: {} {} {}", l.at, label_of(l.kind),
                              l.kind == LevelKind::bytes ? kTasks.show(l.from) : std::string(log.name(l.name)),
                              l.value));
  return out;
}

EventLog named() {
  EventLog log;
  log.set_names({"q", "a", "RecvTensor reply"});
  return log;
}

TEST(Levels, of_a_queue_count_what_entered_and_has_not_left) {
  EventLog log = named();
  log.add(1, Enqueued{kPs, kQueue});
  log.add(2, Enqueued{kPs, kQueue});
  log.add(5, Dequeued{kPs, kQueue});
  EXPECT_THAT(told(log), testing::ElementsAre("1: elements in q 1", "2: elements in q 2", "5: elements in q 1"));
}

TEST(Levels, of_an_accumulator_count_what_was_accepted_until_the_aggregate_is_taken) {
  EventLog log = named();
  log.add(1, GradientPushed{kPs, kAccum, StepId{1}, 0, 0, true});
  log.add(2, GradientPushed{kPs, kAccum, StepId{2}, 0, 1, false});
  log.add(3, GradientPushed{kPs, kAccum, StepId{3}, 0, 0, true});
  log.add(4, AggregateTaken{kPs, kAccum, StepId{9}, 2, 1});
  EXPECT_THAT(told(log), testing::ElementsAre("1: gradients in a 1", "3: gradients in a 2", "4: gradients in a 0"));
}

TEST(Levels, end_with_the_process_that_holds_them_and_no_other) {
  EventLog log = named();
  log.add(1, Enqueued{kPs, kQueue});
  log.add(1, Enqueued{kChief, kQueue});
  log.add(2, ProcessEnded{kPs});
  log.add(3, Enqueued{kPs, kQueue});
  log.add(3, Enqueued{kChief, kQueue});
  EXPECT_THAT(told(log), testing::ElementsAre("1: elements in q 1", "1: elements in q 1", "2: elements in q 0",
                                              "3: elements in q 1", "3: elements in q 2"));
}

TEST(Levels, of_bytes_rise_when_they_are_sent_though_the_log_tells_it_when_they_arrive) {
  EventLog log = named();
  log.add(5, MessageDelivered{kPs, kChief, kKind, 10, 2});
  log.add(6, MessageDelivered{kPs, kChief, kKind, 100, 1});
  log.add(7, MessageCutOff{kOther, kChief, kKind, 7, 3});
  EXPECT_THAT(told(log),
              testing::ElementsAre("1: bytes from ps 0 100", "2: bytes from ps 0 110", "3: bytes from worker 1 7",
                                   "5: bytes from ps 0 100", "6: bytes from ps 0 0"));
}

TEST(Levels, that_change_several_times_in_an_instant_are_told_once) {
  EventLog log = named();
  log.add(1, Enqueued{kPs, kQueue});
  log.add(1, Enqueued{kPs, kQueue});
  log.add(1, Dequeued{kPs, kQueue});
  EXPECT_THAT(told(log), testing::ElementsAre("1: elements in q 1"));
}

}  // namespace
}  // namespace tarry
