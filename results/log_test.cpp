// What makes two events, and two runs, the same.

#include "results/log.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

namespace tarry {
namespace {

constexpr TaskId kTask{0u};

EventLog with_names(std::vector<std::string> names) {
  EventLog log;
  log.set_names(std::move(names));
  return log;
}

TEST(Events, are_the_same_where_time_kind_and_fields_are_and_names_by_their_texts) {
  const EventLog a = with_names({"x", "y"}), b = with_names({"y", "x"});
  const auto same = [&](const Event& x, const Event& y) { return is_same_event(a, {5, x}, b, {5, y}); };
  EXPECT_TRUE(same(LogLine{kTask, 'I', NameId{0u}}, LogLine{kTask, 'I', NameId{1u}}));
  EXPECT_FALSE(same(LogLine{kTask, 'I', NameId{0u}}, LogLine{kTask, 'I', NameId{0u}}));
  EXPECT_FALSE(same(LogLine{kTask, 'I', NameId{0u}}, LogLine{kTask, 'W', NameId{1u}}));
  EXPECT_FALSE(same(ProcessEnded{kTask}, ProcessEnded{TaskId{1u}}));
  EXPECT_FALSE(same(ProcessEnded{kTask}, ProcessBegan{kTask, 0}));
  EXPECT_FALSE(is_same_event(a, {5, ProcessEnded{kTask}}, b, {6, ProcessEnded{kTask}}));
}

Hash128 hash_of(Nanos at, const Event& e) {
  EventLog log = with_names({"a", "b"});
  log.add(at, e);
  return log.hash();
}

TEST(TheHash, covers_when_and_how_a_run_ended_and_what_that_cut_off) {
  EXPECT_EQ(hash_of(5, RunEnded{}), hash_of(5, RunEnded{}));
  EXPECT_NE(hash_of(5, RunEnded{}), hash_of(6, RunEnded{}));
  EXPECT_NE(hash_of(5, RunEnded{.is_deadlocked = false}), hash_of(5, RunEnded{.is_deadlocked = true}));
  EXPECT_NE(hash_of(5, RunEnded{.started_at = 0}), hash_of(5, RunEnded{.started_at = 1}));
  const KernelCutOff kernel{kTask, NameId{0u}, NameId{0u}, NameId{0u}, StepId{1}, 3};
  KernelCutOff later = kernel;
  later.asked = 4;
  EXPECT_NE(hash_of(5, kernel), hash_of(5, later));
  const MessageCutOff message{kTask, kTask, NameId{0u}, 7, 3};
  MessageCutOff other = message;
  other.kind = NameId{1u};
  EXPECT_NE(hash_of(5, message), hash_of(5, other));
}

TEST(EventLog, carries_what_is_known_of_the_time_after_the_end_as_bytes_and_outside_its_hash) {
  for (const Nanos at : {Nanos{0}, 7 * kSecond, EventLog::kUnknown, EventLog::kNever})
    for (const bool is : {false, true}) {
      EventLog log;
      const Hash128 hash = log.hash();
      log.goes_on_at = at, log.slows_in_vain = is, log.is_deadlocked = !is;
      EXPECT_EQ(log.hash(), hash);
      const EventLog read = EventLog::from_bytes(log.to_bytes()).value();
      EXPECT_EQ(std::tuple(read.goes_on_at, read.slows_in_vain, read.is_deadlocked), std::tuple(at, is, !is));
    }
  EventLog log;
  EXPECT_EQ(log.to_bytes()[40], 0) << "as in logs that know nothing of it";
  log.goes_on_at = std::numeric_limits<Nanos>::max() / 4;
  EXPECT_FALSE(log.is_plausible());
}

TEST(EventLog, carries_the_workers_that_were_slowed_in_vain_as_bytes_and_outside_its_hash) {
  EventLog log;
  const Hash128 hash = log.hash();
  log.slowed_in_vain = {TaskId{1u}, TaskId{7u}};
  log.add(5, StepBegan{TaskId{1u}, StepId{1}});
  const std::string bytes = log.to_bytes();
  EXPECT_EQ(EventLog::from_bytes(bytes)->slowed_in_vain, log.slowed_in_vain);
  EXPECT_EQ(EventLog::from_bytes(bytes)->events().size(), 1u);
  EXPECT_FALSE(EventLog::from_bytes(std::string_view(bytes).substr(0, 60)).ok());
  EventLog other;
  other.slowed_in_vain = log.slowed_in_vain;
  EXPECT_EQ(other.hash(), hash);
}

TEST(EventLog, with_a_task_beyond_a_million_is_not_plausible) {
  EventLog log;
  log.add(1, StepBegan{TaskId{999'999U}, StepId{1}});
  EXPECT_TRUE(log.is_plausible());
  log.add(1, StepBegan{TaskId{1'000'000U}, StepId{1}});
  EXPECT_FALSE(log.is_plausible());
}

}  // namespace
}  // namespace tarry
