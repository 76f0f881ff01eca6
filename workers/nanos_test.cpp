#include "workers/nanos.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(Nanos, seconds_become_the_nearest_whole_one) {
  EXPECT_EQ(nanos(1.5), 3 * kSecond / 2);
  EXPECT_EQ(nanos(1.6e-9), 2);
  EXPECT_EQ(nanos(0.4e-9), 0);
  EXPECT_EQ(nanos(-1.6e-9), -2);
}

TEST(Nanos, come_back_as_seconds) {
  for (const Nanos t : {Nanos{0}, Nanos{1}, kSecond / 3, 86'400 * kSecond}) EXPECT_EQ(nanos(in_seconds(t)), t);
}

}  // namespace
}  // namespace tarry
