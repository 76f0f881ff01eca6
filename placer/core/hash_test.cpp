// What hashes tell apart, and what they never change.

#include "placer/core/hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace tarry {
namespace {

Hash128 of_texts(const std::vector<std::string_view>& texts) {
  Hasher h;
  for (const std::string_view t : texts) h.bytes(t);
  return h.digest();
}

Hash128 of_integers(std::uint64_t from, std::uint64_t to) {
  Hasher h;
  for (std::uint64_t i = from; i < to; ++i) h.integer(i);
  return h.digest();
}

TEST(Hash, is_that_of_xxh3_with_the_high_half_first) {
  EXPECT_EQ(to_string(hash_of("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(to_string({.low = 0xab, .high = 1}), "000000000000000100000000000000ab");
}

TEST(Hash, knows_where_a_text_ends) {
  EXPECT_NE(of_texts({"a", "bc"}), of_texts({"ab", "c"}));
  EXPECT_NE(of_texts({"abc"}), of_texts({"abc", ""}));
  EXPECT_EQ(of_texts({"ab", "c"}), of_texts({"ab", "c"}));
}

TEST(Hash, of_integers_is_the_same_one_by_one_and_many_at_once) {
  Hasher h;
  for (std::uint64_t i = 0; i < 198; i += 3) h.integers(std::array{i, i + 1, i + 2});
  EXPECT_EQ(h.digest(), of_integers(0, 198));
  EXPECT_NE(h.digest(), of_integers(0, 197));
}

TEST(Hash, goes_on_after_a_look_at_it_and_after_a_move) {
  Hasher h;
  h.integer(1);
  EXPECT_EQ(h.digest(), h.digest());
  Hasher moved = std::move(h);
  moved.integer(2);
  EXPECT_EQ(moved.digest(), of_integers(1, 3));
  Hasher assigned;
  assigned.integer(9);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.digest(), of_integers(1, 3));
}

TEST(Hash, of_64_bits_depends_on_its_seed) {
  EXPECT_EQ(hash64("a"), hash64("a", 0));
  EXPECT_NE(hash64("a"), hash64("a", 1));
  EXPECT_NE(hash64("a"), hash64("b"));
}

}  // namespace
}  // namespace tarry
