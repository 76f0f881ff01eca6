#include "workers/train/coordinator.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(Coordinator, joins_threads_of_one_name_when_each_has_ended) {
  Coordinator c;
  int joined = 0;
  c.thread_started("a");
  c.thread_started("a");
  c.when_joined([&] { ++joined; });
  c.thread_ended("a");
  EXPECT_EQ(joined, 0);
  c.thread_ended("a");
  EXPECT_EQ(joined, 1);
  EXPECT_TRUE(c.running().empty());
}

TEST(Coordinator, knows_every_thread_that_ends) {
  Coordinator c;
  EXPECT_THROW(c.thread_ended("a"), Bug);
  c.thread_started("a");
  EXPECT_THROW(c.thread_ended("b"), Bug);
  c.thread_ended("a");
  EXPECT_THROW(c.thread_ended("a"), Bug);
}

}  // namespace
}  // namespace tarry
