#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "placer/core/ascending_table.hpp"
#include "placer/core/shared_array.hpp"
#include "placer/core/wide_pages.hpp"

namespace tarry {
namespace {

TEST(SharedArray, copies_share_the_values) {
  std::vector<std::string> values = {"one", "a text that is too long to stand in the string itself"};
  const SharedArray<std::string> a{std::span(values)};
  const SharedArray<std::string> b = a;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
  EXPECT_EQ(a.begin(), b.begin());
  EXPECT_EQ(std::vector<std::string>(b.begin(), b.end()), (std::vector<std::string>{"one", "a text that is too long to stand in the string itself"}));
}

TEST(SharedArray, values_live_until_the_last_copy_ends) {
  std::vector<std::shared_ptr<int>> values = {std::make_shared<int>(3)};
  const std::weak_ptr<int> watched = values.front();
  auto a = std::make_unique<SharedArray<std::shared_ptr<int>>>(std::span(values));
  auto b = std::make_unique<SharedArray<std::shared_ptr<int>>>(*a);
  a.reset();
  EXPECT_EQ(**b->begin(), 3);
  b.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(SharedArray, an_empty_one_has_no_values) {
  const SharedArray<int> none, of_nothing{std::span<int>()};
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(of_nothing.begin(), of_nothing.end());
}

RC_GTEST_PROP(AscendingTable, holds_what_was_added_and_not_taken_in_the_order_of_numbers, ()) {
  AscendingTable<int> table;
  std::map<std::uint64_t, int> expected;
  std::uint64_t last = 0;
  for (const int n : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100))) {
    const std::uint64_t number = last == 0 ? 1 : static_cast<std::uint64_t>(n) % (last + 1) + 1;  // one of them is yet to come
    const auto held = expected.find(number);
    RC_ASSERT((table.find(number) != nullptr) == (held != expected.end()));
    if (n % 2 == 0) {
      RC_ASSERT(table.add(n) == ++last);
      expected[last] = n;
    } else if (n % 3 == 0) {
      RC_ASSERT(table.take_first() == (expected.empty() ? std::nullopt : std::optional(expected.begin()->second)));
      if (!expected.empty()) expected.erase(expected.begin());
    } else {
      RC_ASSERT(table.take(number) == (held == expected.end() ? std::nullopt : std::optional(held->second)));
      expected.erase(number);
    }
    RC_ASSERT(table.empty() == expected.empty());
  }
}

TEST(AscendingTable, needs_room_for_what_is_open_at_once_however_many_came_and_went) {
  AscendingTable<int> table;
  (void)table.add(0);
  for (int i = 1; i < 100'000; ++i) {  // each leaves after the next has come
    const auto number = table.add(i);
    EXPECT_EQ(table.take(number - 1), i - 1);
  }
  EXPECT_LE(table.room(), 8u);
}

TEST(AscendingTable, one_that_stays_costs_its_successors_nothing) {
  AscendingTable<int> table;
  const auto stays = table.add(7);
  for (int i = 0; i < 100'000; ++i) EXPECT_EQ(table.take(table.add(i)), i);
  EXPECT_LE(table.room(), 8u);
  EXPECT_EQ(table.take(stays), 7);
}

TEST(WidePages, an_array_keeps_its_values_while_it_grows_from_small_to_wide) {
  constexpr std::size_t kNumbers = std::size_t{3} << 20;
  std::vector<std::uint32_t, WidePages<std::uint32_t>> numbers;
  for (std::size_t i = 0; i < kNumbers; ++i) numbers.push_back(static_cast<std::uint32_t>(i));
  std::vector<std::uint32_t> expected(kNumbers);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), expected.begin(), expected.end()));
  numbers.resize(1);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers.front(), 0u);
}

}  // namespace
}  // namespace tarry
