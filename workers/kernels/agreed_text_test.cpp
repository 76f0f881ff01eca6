// Numbers in texts, fields of records, and records of features. What is expected was computed by TensorFlow 2.15.1.

#include "placer/core/flush_denormals.hpp"
#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TensorRef column_of(const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(values)}));
  t->mutable_strings() = values;
  return t;
}

float number_in(const std::string& text) { return values("StringToNumber", {make_string(text)})[0]; }
double wide_number(const std::string& text) {
  return one("StringToNumber", {make_string(text)}, {.outputs = {DataType::kDouble}})->as<double>()[0];
}
std::string number_said(const std::string& text, DataType type = DataType::kFloat) {
  return refusal("StringToNumber", {make_string(text)}, {.outputs = {type}});
}
std::string no_number(const std::string& text) {
  return "StringToNumberOp could not correctly convert string: " + text;
}

TEST(StringToNumber, of_white_space_is_zero_and_of_nothing_is_refused) {
  for (const char* blank : {" ", "\t", "\n", "\v", "\f", "\r"}) EXPECT_EQ(number_in(blank), 0) << blank;
  EXPECT_EQ(number_in("\v1\f"), 1);
  EXPECT_EQ(number_said(""), no_number(""));
  EXPECT_EQ(number_said(" ", DataType::kInt32), no_number(" "));
}
TEST(StringToNumber, of_too_much_is_infinite_and_of_too_little_zero) {
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(number_in("1e39"), infinite);
  EXPECT_EQ(number_in("-3.4028236e38"), -infinite);
  EXPECT_EQ(number_in("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(number_in("1e-50"), 0);
  EXPECT_TRUE(std::signbit(number_in("-1e-50")));
  EXPECT_EQ(wide_number("1e309"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(wide_number("-1e-400"), 0);
}
TEST(StringToNumber, of_a_float_that_is_not_normal_is_zero) {
  EXPECT_EQ(number_in("1.1754942e-38"), 0);
  EXPECT_EQ(wide_number("5e-324"), 5e-324);
  float flushed = 1;
  {
    const FlushDenormals as_threads_do;
    flushed = number_in("1.1754942e-38");
  }
  EXPECT_EQ(flushed, 0);
}
TEST(StringToNumber, knows_short_words_and_whole_hexadecimal_numbers) {
  EXPECT_EQ(number_in("-INF"), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(number_in(" NaN ")));
  EXPECT_EQ(number_in("0xffffffffffffffffff"), 4722366482869645213695.0F);
  for (const char* text : {"infinity", "nan(1)", "0x1.8", "+-1", "1e", "."})
    EXPECT_EQ(number_said(text), no_number(text));
}
TEST(StringToNumber, of_integers_knows_no_plus) {
  EXPECT_EQ(number_said("+1", DataType::kInt64), no_number("+1"));
  EXPECT_EQ(integers("StringToNumber", {make_string("-1")}), Ints({-1}));
}
TEST(StringToNumber, is_told_up_to_a_null) { EXPECT_EQ(number_said(std::string("1\0", 2)), no_number("1")); }

Asked csv(Attrs attrs = {}) { return {.attrs = std::move(attrs), .outputs = {DataType::kString, DataType::kString}}; }
std::string fields_in(const std::string& record, const Asked& asked = csv()) {
  const TensorRef none = column_of({"none"});
  const auto r = compute("DecodeCSV", {column_of({record}), none, none}, asked);
  return r.ok() ? (*r)[0]->strings()[0] + "|" + (*r)[1]->strings()[0] : std::string(text_of(r.status()));
}

constexpr const char* kPlain = "Unquoted fields cannot have quotes/CRLFs inside";

TEST(DecodeCsv, wants_quotes_twice_inside_of_quotes) {
  EXPECT_EQ(fields_in("\"2\"5,a"), "Quote inside a string has to be escaped by another quote");
  EXPECT_EQ(fields_in("\"2\"\"5\",a"), "2\"5|a");
  EXPECT_EQ(fields_in("1,\"2"), "Quoted field has to end with quote followed by delim or end");
}
TEST(DecodeCsv, takes_ends_of_lines_before_fields_only) {
  EXPECT_EQ(fields_in("1,\n\"x\""), "1|x");
  EXPECT_EQ(fields_in("\r\n1,2"), "1|2");
  EXPECT_EQ(fields_in("1\n,2"), kPlain);
  EXPECT_EQ(fields_in("1,2\r", csv({{"use_quote_delim", false}})), kPlain);
  EXPECT_EQ(fields_in("1,\n"), "Expect 2 fields but have 1 in record 0");
}
TEST(DecodeCsv, does_not_look_behind_the_fields_that_are_selected) {
  AttrList first_two;
  first_two.i = {0, 1};
  EXPECT_EQ(fields_in("1,2,\"3", csv({{"select_cols", first_two}})), "1|2");
}

TEST(Substr, in_characters_from_the_end_needs_a_length) {
  const auto said = [](std::int32_t at, std::int32_t length, const char* unit) {
    return refusal("Substr", {make_string("nan"), make_scalar(at), make_scalar(length)},
                   {.attrs = {{"unit", std::string(unit)}}, .outputs = {DataType::kString}});
  };
  EXPECT_EQ(said(-2, -3, "UTF8_CHAR"), "pos -2 out of range for string at index 0");
  EXPECT_EQ(said(-2, 1, "UTF8_CHAR"), "ok");
  EXPECT_EQ(said(0, -3, "UTF8_CHAR"), "ok");
  EXPECT_EQ(said(-2, -3, "BYTE"), "ok");
}

}  // namespace
}  // namespace tarry
