#include "placer/core/ready_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace tarry {
namespace {

TEST(ReadySet, of_one_number_or_none_is_empty_at_first) {
  EXPECT_TRUE(ReadySet(0).empty());
  EXPECT_TRUE(ReadySet(1).empty());
}

RC_GTEST_PROP(ReadySet, gives_what_an_ordered_set_gives, ()) {
  const auto bound = *rc::gen::element<std::size_t>(1, 63, 64, 65, 4096, 4097, 300000);
  ReadySet ours(bound);
  std::set<std::size_t> reference;
  for (const auto step : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 2 * bound))) {
    if (step < bound) {
      ours.insert(step);
      reference.insert(step);
    } else if (!reference.empty()) {
      RC_ASSERT(ours.take() == reference.extract(reference.begin()).value());
    }
    RC_ASSERT(ours.empty() == reference.empty());
  }
}

}  // namespace
}  // namespace tarry
