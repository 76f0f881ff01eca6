#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "placer/core/shared.hpp"
#include "placer/core/shared_array.hpp"
#include "placer/core/wide_pages.hpp"

namespace tarry {
namespace {

TEST(SharedArray, copies_share_the_values) {
  std::vector<std::string> values = {"one", "a text that is too long to stand in the string itself"};
  const SharedArray<std::string> a{std::span(values)};
  const SharedArray<std::string> b = a;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
  EXPECT_EQ(a.begin(), b.begin());
  EXPECT_EQ(std::vector<std::string>(b.begin(), b.end()),
            (std::vector<std::string>{"one", "a text that is too long to stand in the string itself"}));
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

TEST(Shared, copies_are_the_same_object_and_others_equal_by_value) {
  const SharedNames a{"x:0", "y:0"}, alike{"x:0", "y:0"}, other{"y:0", "x:0"};
  const SharedNames same = a;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
  EXPECT_EQ(&a.get(), &same.get());
  EXPECT_NE(&a.get(), &alike.get());
  EXPECT_EQ(a, alike);
  EXPECT_FALSE(a == other);
  EXPECT_EQ(a, (std::vector<std::string>{"x:0", "y:0"}));
}

TEST(Shared, an_empty_value_is_no_object) {
  const SharedText none, of_nothing{std::string()};
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(of_nothing.empty());
  EXPECT_EQ(none, of_nothing);
  EXPECT_EQ(none.get(), "");
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
