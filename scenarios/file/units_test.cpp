#include "scenarios/file/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

using testing::HasSubstr;

template <class T>
std::string refusal(const StatusOr<T>& result) {
  return std::string(text_of(result.status()));
}

TEST(Units, times_bandwidths_and_sizes_read_as_people_write_them) {
  EXPECT_EQ(*parse_time("200ms"), 200'000'000);
  EXPECT_EQ(*parse_time("1.5 s"), 1'500'000'000);
  EXPECT_EQ(*parse_time("0s"), 0);
  EXPECT_EQ(*parse_bandwidth("10Gbps"), 1'250'000'000u);
  EXPECT_EQ(*parse_bandwidth("unlimited"), 0u);
  EXPECT_EQ(*parse_size("16KiB"), 16384u);
  EXPECT_EQ(*parse_size("1.5KB"), 1500u);
  EXPECT_EQ(*parse_speed("9.3Tflop/s"), 9'300'000'000'000u);
  EXPECT_EQ(format_speed(40'000'000'000), "40Gflop/s");
}

struct Worth {
  const char* text;
  std::int64_t amount;
};
constexpr std::int64_t kThousand = 1'000, kMillion = 1'000'000, kBillion = 1'000'000'000;

TEST(Units, of_time_are_worth_what_their_names_say) {
  for (const auto& [text, nanos] : {Worth{"1h", 3600 * kBillion},
                                    {"1min", 60 * kBillion},
                                    {"1s", kBillion},
                                    {"1ms", kMillion},
                                    {"1us", kThousand},
                                    {"1ns", 1}})
    EXPECT_EQ(*parse_time(text), nanos) << text;
}

TEST(Units, of_bandwidth_are_worth_what_their_names_say) {
  for (const auto& [text, bytes] : {Worth{"8Tbps", kThousand * kBillion},
                                    {"8Gbps", kBillion},
                                    {"8Mbps", kMillion},
                                    {"8Kbps", kThousand},
                                    {"8bps", 1},
                                    {"1TB/s", kThousand * kBillion},
                                    {"1GB/s", kBillion},
                                    {"1MB/s", kMillion},
                                    {"1KB/s", kThousand},
                                    {"1B/s", 1}})
    EXPECT_EQ(*parse_bandwidth(text), static_cast<std::uint64_t>(bytes)) << text;
}

TEST(Units, of_size_are_worth_what_their_names_say) {
  for (const auto& [text, bytes] : {Worth{"1TiB", 1'099'511'627'776},
                                    {"1GiB", 1'073'741'824},
                                    {"1MiB", 1'048'576},
                                    {"1KiB", 1'024},
                                    {"1TB", kThousand * kBillion},
                                    {"1GB", kBillion},
                                    {"1MB", kMillion},
                                    {"1KB", kThousand},
                                    {"1B", 1}})
    EXPECT_EQ(*parse_size(text), static_cast<std::uint64_t>(bytes)) << text;
}

TEST(Units, of_speed_are_worth_what_their_names_say) {
  for (const auto& [text, ops] : {Worth{"1Pflop/s", kMillion * kBillion},
                                  {"1Tflop/s", kThousand * kBillion},
                                  {"1Gflop/s", kBillion},
                                  {"1Mflop/s", kMillion},
                                  {"1Kflop/s", kThousand},
                                  {"1flop/s", 1}})
    EXPECT_EQ(*parse_speed(text), static_cast<std::uint64_t>(ops)) << text;
}

TEST(Units, amounts_are_at_most_a_quarter_of_what_64_bits_hold) {
  EXPECT_EQ(*parse_time("2305843009213693951ns"), 2'305'843'009'213'693'951);
  EXPECT_THAT(refusal(parse_time("2305843009213693952ns")), HasSubstr("too large a time"));
}

TEST(Units, a_bare_number_is_refused_and_the_units_are_named) {
  EXPECT_THAT(refusal(parse_time("5")), HasSubstr("has no unit; a time needs one of h, min, s, ms, us, ns"));
  EXPECT_THAT(refusal(parse_size("16")), HasSubstr("has no unit"));
  EXPECT_THAT(refusal(parse_bandwidth("10")), HasSubstr("has no unit"));
  EXPECT_THAT(refusal(parse_speed("10")), HasSubstr("a speed needs one of Pflop/s, Tflop/s"));
  EXPECT_THAT(refusal(parse_speed("0flop/s")), HasSubstr("nothing is ever done"));
}

TEST(Units, of_a_size_in_a_larger_unit_the_fraction_of_a_byte_is_cut_off) {
  EXPECT_EQ(*parse_size("15.9GiB"), 17'072'495'001u);  // 17,072,495,001.6
  EXPECT_EQ(*parse_size("0.001KiB"), 1u);
  EXPECT_THAT(refusal(parse_size("1.5B")), HasSubstr("'1.5B' is not a whole number of bytes"));
}

TEST(Units, nonsense_is_refused_with_a_reason) {
  EXPECT_THAT(refusal(parse_time("-1s")), HasSubstr("cannot be negative"));
  EXPECT_THAT(refusal(parse_time("10Gbps")), HasSubstr("unknown unit 'Gbps'"));
  EXPECT_THAT(refusal(parse_time("soon")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_time("")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_time("1.2.3s")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_time("0.5ns")), HasSubstr("not a whole number of nanoseconds"));
  EXPECT_THAT(refusal(parse_time("999999999999h")), HasSubstr("too large"));
  EXPECT_THAT(refusal(parse_time("5e-05s")), HasSubstr("'5e-05s': a time has no exponent"));
  EXPECT_THAT(refusal(parse_time("5E-05s")), HasSubstr("'5E-05s': a time has no exponent"));
  EXPECT_THAT(refusal(parse_time("5e+5s")), HasSubstr("a time has no exponent"));
  EXPECT_THAT(refusal(parse_time("5e5s")), HasSubstr("a time has no exponent"));
  EXPECT_THAT(refusal(parse_time("5es")), HasSubstr("unknown unit 'es'"));
  EXPECT_THAT(refusal(parse_time("5x5s")), HasSubstr("unknown unit 'x5s'"));
  EXPECT_THAT(refusal(parse_time("5e")), HasSubstr("unknown unit 'e'"));
  EXPECT_THAT(refusal(parse_time(".5s")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_time("5.s")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_time("99999999999999999999999s")), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(parse_bandwidth("0bps")), HasSubstr("nothing gets through"));
}

RC_GTEST_PROP(Units, what_is_written_reads_back, (std::uint32_t amount, std::uint32_t factor)) {
  const std::uint64_t n = std::uint64_t{amount} * (factor % 4096);
  RC_ASSERT(*parse_time(format_time(static_cast<Nanos>(n))) == static_cast<Nanos>(n));
  RC_ASSERT(*parse_bandwidth(format_bandwidth(n)) == n);
  RC_ASSERT(*parse_size(format_size(n)) == n);
}

RC_GTEST_PROP(Units, any_text_is_read_or_refused, (const std::string& text)) {
  (void)parse_time(text);
  (void)parse_bandwidth(text);
  RC_SUCCEED("");
}

}  // namespace
}  // namespace tarry
