#include "workers/known_job.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(KnownJob, knows_about_kept_things_only) {
  KnownJob known;
  const auto thing = std::make_shared<const int>(1);
  EXPECT_EQ(known.about<int>(thing.get()), nullptr);
  known.keep(thing);
  *known.about<int>(thing.get()) = 7;
  EXPECT_EQ(*known.about<int>(thing.get()), 7);
}

TEST(KnownJob, tells_what_is_known_apart_by_type) {
  KnownJob known;
  const auto thing = std::make_shared<const int>(1);
  known.keep(thing);
  *known.about<int>(thing.get()) = 7;
  EXPECT_EQ(*known.about<double>(thing.get()), 0);
  known.keep(thing);  // again: nothing is forgotten
  EXPECT_EQ(*known.about<int>(thing.get()), 7);
}

TEST(KnownJob, holds_what_it_knows_about) {
  KnownJob known;
  auto thing = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watched = thing;
  known.keep(std::move(thing));
  EXPECT_FALSE(watched.expired());
}

}  // namespace
}  // namespace tarry
