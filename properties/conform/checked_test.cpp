// Checked reading of recordings.

#include "properties/conform/checked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/conform/apart.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

// What `read` is refused with.
template <class Read>
std::string refusal(Read read) {
  return std::string(text_of(refused("f", [&]() -> Status {
    (void)read();
    return {};
  })));
}

TEST(CheckedReading, says_where_a_text_stops_being_json) {
  EXPECT_EQ(text_of(parse_recording<Json>("{\"a\": }").status()), "byte 7: it is not JSON from here on");
}
TEST(CheckedReading, refuses_a_number_that_no_double_holds) {
  EXPECT_THAT(std::string(text_of(parse_recording<Json>("[1e999]").status())), HasSubstr("number overflow"));
}
TEST(CheckedReading, refuses_what_nests_too_deeply_for_calls_that_nest_alike) {
  EXPECT_TRUE(parse_recording<Json>(std::string(64, '[') + std::string(64, ']')).ok());
  EXPECT_EQ(text_of(parse_recording<Json>(std::string(100'000, '[')).status()), "byte 65: nested more than 64 deep");
}
TEST(CheckedReading, does_not_take_brackets_in_texts_for_nesting) {
  const std::string many = "\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"";
  EXPECT_TRUE(parse_recording<Json>(many).ok());
}
TEST(CheckedReading, refuses_a_text_longer_than_a_regular_expression_bears) {
  EXPECT_EQ(text_of(parse_recording<Json>("[\"" + std::string(9000, 'x') + "\"]", kLongestText).status()),
            "byte 2: a text of more than 8192 bytes");
}

TEST(CheckedReading, refuses_numbers_out_of_range) {
  EXPECT_EQ(refusal([] { return within(-1, 0, 5, "W"); }), "f: W is -1; expected 0 to 5");
  EXPECT_EQ(refusal([] { return seconds_within(std::nan(""), "late"); }), "f: late is nan; expected 0 to 86400");
  EXPECT_EQ(refusal([] { return integer_within(Json(1.5), 0, 5, "R"); }), "f: R is 1.5; expected a whole number");
  EXPECT_EQ(refusal([] { return integer_within(Json(~std::uint64_t{0}), 0, 5, "R"); }),
            "f: R is 18446744073709551615; expected a whole number");
  EXPECT_EQ(refusal([] { return whole_number("12x", 99); }), "f: '12x': expected a whole number from 0 to 99");
  EXPECT_EQ(refusal([] { return number_in("soon", "in "); }), "f: 'soon': expected a number behind in ");
}
TEST(CheckedReading, reads_what_is_in_range) {
  EXPECT_EQ(integer_within(Json(5), 0, 5, "R"), 5);
  EXPECT_EQ(whole_number("99", 99), 99u);
  EXPECT_EQ(number_in("no answer in 2.5 s", "in "), 2.5);
}
TEST(CheckedReading, says_which_key_is_missing) {
  const Json none = Json::object();
  EXPECT_THAT(refusal([&] { return none.at("steps"); }), HasSubstr("key 'steps' not found"));
}

TEST(JudgedApart, gives_what_was_judged_with_any_bytes) {
  const auto judged = judge_apart([] { return StatusOr<Json>(Json{{"text", "\xff\xfe"}}); });
  ASSERT_TRUE(judged.ok()) << judged.status();
  EXPECT_EQ(judged->at("text").get<std::string>(), "\xff\xfe");
}
TEST(JudgedApart, fails_as_the_judge_does) {
  EXPECT_EQ(judge_apart([] { return StatusOr<Json>(error(Code::kNotFound, "none")); }).status(),
            error(Code::kNotFound, "none"));
}
TEST(JudgedApart, ends_in_time) {
  const auto judged = judge_apart(
      []() -> StatusOr<Json> {
        for (volatile bool goes_on = true; goes_on;) {
        }
        return Json();
      },
      1);
  EXPECT_EQ(judged.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(text_of(judged.status())), HasSubstr("a recording may take 1 s of processor time"));
}

}  // namespace
}  // namespace tarry
