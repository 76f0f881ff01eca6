// Texts made of tensors and of code points, and distances of sequences. What is expected was computed by 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

const Asked kMadeText{.outputs = {DataType::kString}};
constexpr std::string_view kAccented = "\xC3\xA9", kEuro = "\xE2\x82\xAC", kNoCharacter = "\xEF\xBF\xBD";

TensorRef many_texts(const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(values)}));
  t->mutable_strings() = values;
  return t;
}
Attrs listed(std::string name, const Dims& values, Attrs others = {}) {
  auto list = std::make_shared<AttrList>();
  list->i.assign(values.begin(), values.end());
  std::vector<AttrEntry> all(others.begin(), others.end());
  all.emplace_back(std::move(name), std::shared_ptr<const AttrList>(list));
  return Attrs(std::move(all));
}

std::string formatted(const TensorRef& t, std::int64_t summarize) {
  Asked asked = kMadeText;
  asked.attrs = {{"template", std::string("<{}>")}, {"placeholder", std::string("{}")}, {"summarize", summarize}};
  return one("StringFormat", {t}, asked)->strings()[0];
}
TEST(StringFormat, writes_the_ends_of_each_dimension) {
  const TensorRef numbers = tensor<std::int64_t>({2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  EXPECT_EQ(formatted(numbers, 1), "<[[[0 ... 3]\n  [4 ... 7]]\n\n [[8 ... 11]\n  [12 ... 15]]]>");
  EXPECT_EQ(formatted(ints({0, 1, 2, 3, 4, 5, 6}), 3), "<[0 1 2 ... 4 5 6]>");
  EXPECT_EQ(formatted(ints({0, 1, 2, 3, 4, 5}), 3), "<[0 1 2 3 4 5]>");
  EXPECT_EQ(formatted(ints({0, 1, 2, 3, 4, 5, 6}), -1), "<[0 1 2 3 4 5 6]>");
}
TEST(StringFormat, of_nothing_has_brackets) {
  EXPECT_EQ(formatted(floats({0, 2}, {}), 3), "<[]>");
  EXPECT_EQ(formatted(floats({2, 0}, {}), 3), "<[\n ...]>");
}
TEST(StringFormat, writes_numbers_in_as_few_digits_as_give_them_again) {
  EXPECT_EQ(formatted(floats({4}, {0.1F, 1.0F / 3, 1e6F, 16777216}), 9), "<[0.1 0.333333343 1e+06 16777216]>");
  EXPECT_EQ(formatted(tensor<double>({2}, {0.1 + 0.2, 1e10}), 9), "<[0.30000000000000004 10000000000]>");
  EXPECT_EQ(formatted(tensor<Eigen::half>({1}, {Eigen::half(0.1F)}), 9), "<[0.0999755859]>");
}
TEST(StringFormat, quotes_and_escapes_texts) {
  EXPECT_EQ(formatted(many_texts({"a\nb\t\x01", "it's", "\x7F", std::string(kAccented)}), 9),
            "<[\"a\\nb\\t\\001\" \"it\\'s\" \"\\177\" \"" + std::string(kAccented) + "\"]>");
}
TEST(StringFormat, keeps_what_stands_around_its_placeholders) {
  const Asked asked{.attrs = {{"template", std::string("x%s%sy")}, {"placeholder", std::string("%s")}},
                    .outputs = {DataType::kString}};
  EXPECT_EQ(one("StringFormat", {ints({1}), bools({}, {1})}, asked)->strings()[0], "x[1]1y");
}

std::vector<std::string> ngrams(const Dims& splits, const Dims& widths, std::int64_t padding,
                                bool keeps_short = false) {
  const Attrs attrs = listed("ngram_widths", widths,
                             {{"separator", std::string("|")},
                              {"left_pad", std::string("L")},
                              {"right_pad", std::string("R")},
                              {"pad_width", padding},
                              {"preserve_short_sequences", keeps_short}});
  const auto r = compute("StringNGrams", {many_texts({"a", "b", "c"}), ints(splits)},
                         {.attrs = attrs, .outputs = {DataType::kString, DataType::kInt64}});
  return r.ok() ? (*r)[0]->strings() : std::vector<std::string>{std::string(text_of(r.status()))};
}
TEST(StringNGrams, are_padded_at_both_ends) {
  EXPECT_THAT(ngrams({0, 3}, {2}, 0), ElementsAre("a|b", "b|c"));
  EXPECT_THAT(ngrams({0, 1, 3}, {2}, 1), ElementsAre("L|a", "a|R", "L|b", "b|c", "c|R"));
  EXPECT_THAT(ngrams({0, 1, 3}, {3}, -1), ElementsAre("L|L|a", "L|a|R", "a|R|R", "L|L|b", "L|b|c", "b|c|R", "c|R|R"));
}
TEST(StringNGrams, are_padded_by_one_less_than_their_width_at_most) {
  EXPECT_THAT(ngrams({0, 3}, {2}, 5), ElementsAre("L|a", "a|b", "b|c", "c|R"));
}
TEST(StringNGrams, of_a_short_row_are_the_row_when_asked) {
  EXPECT_THAT(ngrams({0, 1, 3}, {3}, 0), ElementsAre());
  EXPECT_THAT(ngrams({0, 1, 3}, {3}, 0, true), ElementsAre("a", "b|c"));
}
TEST(StringNGrams, need_splits_that_ascend_to_the_end) {
  EXPECT_THAT(ngrams({1, 3}, {2}, 0), ElementsAre("First split value must be 0, got 1"));
  EXPECT_THAT(ngrams({0, 2, 1, 3}, {2}, 0), ElementsAre("Invalid split value 1, must be in [2, 3]"));
  EXPECT_THAT(ngrams({0, 2}, {2}, 0), ElementsAre("Last split value must be data size. Expected 3, got 2"));
  EXPECT_THAT(ngrams({0, 3}, {0}, 0), ElementsAre("ngram_widths must contain positive values"));
}

const TensorRef kPlaces = tensor<std::int64_t>({3, 2}, {0, 0, 0, 1, 1, 0}), kTwoRows = ints({2, 3});
Tensors sequences(const Ints& a, const Ints& b) { return {kPlaces, ints(a), kTwoRows, kPlaces, ints(b), kTwoRows}; }
TEST(EditDistance, counts_changes_for_each_element_of_the_truth) {
  EXPECT_THAT(values("EditDistance", sequences({1, 2, 3}, {1, 4, 3})), ElementsAre(0.5F, 0));
  EXPECT_THAT(values("EditDistance", sequences({1, 2, 3}, {2, 4, 5}), {.attrs = {{"normalize", false}}}),
              ElementsAre(2, 1));
}
TEST(EditDistance, to_no_truth_is_infinite) {
  const TensorRef one_place = tensor<std::int64_t>({1, 2}, {1, 0}), other = tensor<std::int64_t>({1, 2}, {0, 0});
  const Floats r = values("EditDistance", {other, ints({1}), kTwoRows, one_place, ints({1}), kTwoRows});
  EXPECT_TRUE(std::isinf(r[0]));
  EXPECT_EQ(r[1], 1);
}
TEST(EditDistance, refuses_places_outside) {
  const TensorRef outside = tensor<std::int64_t>({1, 2}, {5, 0});
  EXPECT_EQ(refusal("EditDistance", {outside, ints({1}), kTwoRows, outside, ints({1}), kTwoRows}),
            "Got an inner product 5 which would require writing to outside of the buffer for the output tensor (max "
            "elements 2)");
}

Ints decoded_points(const std::string& bytes, const std::string& encoding, const std::string& errors = "replace") {
  const auto r = *compute(
      "UnicodeDecode", {make_string(bytes)},
      {.attrs = {{"input_encoding", encoding}, {"errors", errors}}, .outputs = {DataType::kInt64, DataType::kInt32}});
  return integers_of(*r[1]);
}
TEST(UnicodeDecode, replaces_as_many_bytes_as_can_begin_a_code_point) {
  EXPECT_THAT(decoded_points("\xE2\x82x", "UTF-8"), ElementsAre(0xFFFD, 'x'));
  EXPECT_THAT(decoded_points("\xED\xA0\x80", "UTF-8"), ElementsAre(0xFFFD, 0xFFFD, 0xFFFD));
  EXPECT_THAT(decoded_points("\xF4\x90", "UTF-8"), ElementsAre(0xFFFD, 0xFFFD));
  EXPECT_THAT(decoded_points("\xC3\xC3\xA9", "UTF-8"), ElementsAre(0xFFFD, 0xE9));
  EXPECT_THAT(decoded_points("\xC3\xC3\xA9", "UTF-8", "ignore"), ElementsAre(0xE9));
}
TEST(UnicodeDecode, knows_pairs_of_sixteen_bits) {
  EXPECT_THAT(decoded_points(std::string("\xD8\x3D\xDE\x00\x00", 5), "utf-16-be"), ElementsAre(0x1F600, 0xFFFD));
  EXPECT_THAT(decoded_points(std::string("\xD8\x00\x00\x61", 4), "UTF-16-BE"), ElementsAre(0xFFFD, 'a'));
}
TEST(UnicodeDecode, refuses_what_it_does_not_know) {
  const Asked asked{.attrs = {{"input_encoding", std::string("nonsense")}},
                    .outputs = {DataType::kInt64, DataType::kInt32}};
  EXPECT_EQ(refusal("UnicodeDecode", {make_string("a")}, asked),
            "Could not create converter for input encoding: nonsense");
}
TEST(UnicodeTranscode, goes_from_one_encoding_to_another) {
  Asked asked = kMadeText;
  asked.attrs = {{"input_encoding", std::string("UTF-8")}, {"output_encoding", std::string("UTF-16-BE")}};
  EXPECT_EQ(one("UnicodeTranscode", {make_string("a\xF0\x9F\x98\x80")}, asked)->strings()[0],
            std::string("\0a\xD8\x3D\xDE\0", 6));
  asked.attrs = {{"input_encoding", std::string("UTF-8")}, {"errors", std::string("strict")}};
  EXPECT_EQ(refusal("UnicodeTranscode", {make_string("a\xFF")}, asked), "Invalid formatting on input string");
}
TEST(UnicodeEncode, makes_a_text_of_each_row) {
  const TensorRef points = tensor<std::int32_t>({4}, {'a', 0x20AC, 0xD800, 0xFFFE});
  EXPECT_THAT(one("UnicodeEncode", {points, ints({0, 1, 1, 4})}, kMadeText)->strings(),
              ElementsAre("a", "", std::string(kEuro) + std::string(kNoCharacter) + std::string(kNoCharacter)));
  EXPECT_EQ(refusal("UnicodeEncode", {points, ints({0, 3})}, kMadeText),
            "Last value in input_splits must be equal to length of input_tensor.");
}

std::string cased(const char* op, const std::string& text, const std::string& encoding = "utf-8") {
  const auto r = compute(op, {make_string(text)}, {.attrs = {{"encoding", encoding}}, .outputs = {DataType::kString}});
  return r.ok() ? (*r)[0]->strings()[0] : std::string(text_of(r.status()));
}
TEST(Cases, of_letters_outside_ascii_need_an_encoding) {
  EXPECT_EQ(cased("StringUpper", "\xC3\xA9\xC3\x9F"), "\xC3\x89SS");
  EXPECT_EQ(cased("StringUpper", "\xC3\xA9z", ""), "\xC3\xA9Z");
  EXPECT_EQ(cased("StringLower", "\xC3\x89\xC4\xB0"), "\xC3\xA9i\xCC\x87");
  EXPECT_EQ(cased("StringLower", "A\xFF"), "a" + std::string(kNoCharacter));
  EXPECT_EQ(cased("StringLower", "A", "latin"), "only utf-8 or '' (no encoding) is supported, received latin");
}
TEST(Cases, and_names_end_at_a_zero) {
  const std::string text("a\0b", 3);
  EXPECT_EQ(cased("StringUpper", text), "A");
  EXPECT_EQ(cased("StringUpper", text, ""), std::string("A\0B", 3));
  EXPECT_EQ(one("ShardedFilespec", {make_string(text), make_scalar<std::int32_t>(4)}, kMadeText)->strings()[0],
            "a-" + std::string(5, '?') + "-of-00004");
}
TEST(Cases, of_a_sigma_depend_on_the_end_of_a_word) {
  EXPECT_EQ(cased("StringLower", "\xCE\x91\xCE\xA3"), "\xCE\xB1\xCF\x82");
  EXPECT_EQ(cased("StringLower", "\xCE\x91\xCE\xA3'\xCE\x91"), "\xCE\xB1\xCF\x83'\xCE\xB1");
  EXPECT_EQ(cased("StringLower", "1\xCE\xA3"), "1\xCF\x83");
}

TEST(Substr, counts_characters_or_bytes) {
  const auto part = [](std::int64_t from, std::int64_t length, const char* unit) {
    return one("Substr",
               {make_string(std::string(kAccented) + "a" + std::string(kEuro) + "z"), make_scalar<std::int64_t>(from),
                make_scalar<std::int64_t>(length)},
               {.attrs = {{"unit", std::string(unit)}}, .outputs = {DataType::kString}})
        ->strings()[0];
  };
  EXPECT_EQ(part(1, 2, "UTF8_CHAR"), "a" + std::string(kEuro));
  EXPECT_EQ(part(-2, 1, "UTF8_CHAR"), kEuro);
  EXPECT_EQ(part(0, -1, "UTF8_CHAR"), "");
  EXPECT_EQ(part(2, 1, "BYTE"), "a");
}

}  // namespace
}  // namespace tarry
