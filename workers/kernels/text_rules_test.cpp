// Regular expressions, hashes and base 64. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

const Asked kOneText{.outputs = {DataType::kString}};

std::string replaced(const std::string& pattern, const std::string& rewrite, const std::string& in, bool all = true) {
  Asked asked = kOneText;
  asked.attrs = {{"replace_global", all}};
  return one("RegexReplace", {make_string(in), make_string(pattern), make_string(rewrite)}, asked)->strings()[0];
}

TEST(RegexReplace, does_not_take_an_empty_match_right_behind_another) {
  EXPECT_EQ(replaced("a*", "-", "baac"), "-b-c-");
  EXPECT_EQ(replaced("", "-", "ab"), "-a-b-");
  EXPECT_EQ(replaced("$", "!", "ab"), "ab!");
}
TEST(RegexReplace, of_the_first_match_leaves_the_others) {
  EXPECT_EQ(replaced("a*", "-", "baac", false), "-baac");
  EXPECT_EQ(replaced("(b)(a)", "\\2\\1", "baba", false), "abba");
}
TEST(RegexReplace, knows_groups_and_backslashes_in_a_rewrite) {
  EXPECT_EQ(replaced("(b)(a)", "\\2\\1", "baba"), "abab");
  EXPECT_EQ(replaced("a", "\\\\", "aba"), "\\b\\");
  EXPECT_EQ(replaced("a", "<\\0>", "aba"), "<a>b<a>");
}
TEST(RegexReplace, changes_nothing_where_the_rewrite_names_a_group_that_is_not_there) {
  EXPECT_EQ(replaced("a", "\\1", "aba"), "aba");
}
TEST(RegexReplace, of_a_rewrite_that_is_none_drops_all_matches_or_changes_nothing) {
  EXPECT_EQ(replaced("a", "\\x", "aba"), "b");
  EXPECT_EQ(replaced("a", "\\x", "aba", false), "aba");
}
TEST(RegexReplace, knows_where_words_begin_behind_a_match) { EXPECT_EQ(replaced("\\bfoo", "x", "foo foo"), "x x"); }
TEST(Regex, holds_any_character_in_a_class) {
  const std::string text = "a]\\ 1b(";
  EXPECT_EQ(replaced("[\\\\]", "X", text), "a]X 1b(");
  EXPECT_EQ(replaced("[\\])]", "X", text), "aX\\ 1b(");
  EXPECT_EQ(replaced("[^\\])]", "X", text), "X]XXXXX");
  EXPECT_EQ(replaced("[[:space:]*+]", "X", text), "a]\\X1b(");
}
TEST(Regex, whose_class_does_not_end_is_refused) {
  for (const char* pattern : {"[a", "[]", "[^]", "[[:space:]", "[[:"})
    EXPECT_EQ(refusal("RegexReplace", {make_string("a"), make_string(pattern), make_string("b")}, kOneText),
              fmt::format("Invalid pattern: {0}, error: missing ]: {0}", pattern));
}
TEST(Regex, that_lacks_a_parenthesis_is_refused) {
  EXPECT_EQ(refusal("RegexReplace", {make_string("a"), make_string("([)]"), make_string("b")}, kOneText),
            "Invalid pattern: ([)], error: missing ): ([)]");
  EXPECT_EQ(refusal("RegexReplace", {make_string("a"), make_string("(a"), make_string("b")}, kOneText),
            "Invalid pattern: (a, error: missing ): (a");
  EXPECT_EQ(refusal("RegexFullMatch", {make_string("a"), make_string("[(]a")}, {.outputs = {DataType::kBool}}), "ok");
}
TEST(Regex, is_read_as_re2_reads_it) {
  EXPECT_EQ(replaced("(?i)B", "X", "abc"), "aXc");
  EXPECT_EQ(replaced("\\Q(\\E", "X", "a(b"), "aXb");
  EXPECT_EQ(replaced("\\pL+", "X", "1ab2"), "1X2");
  EXPECT_EQ(replaced("[]a]", "X", "ba]c"), "bXXc");
  EXPECT_EQ(replaced("[[.a.]]", "X", "ba]c d"), "bXc d");
  EXPECT_EQ(replaced("\\s", "X", "a\vb\tc"), "a\vbXc");
  EXPECT_EQ(replaced(".", "X", "a\rb\nc"), "XXX\nX");
}
TEST(Regex, knows_letters_beyond_ascii) {
  EXPECT_EQ(replaced("é+", "X", "éé xéb"), "X xXb");
  EXPECT_EQ(replaced("[é]", "X", "éa"), "Xa");
  EXPECT_EQ(replaced("[^a]", "X", "éa"), "Xa");
}
TEST(Regex, of_a_long_text_needs_no_deep_stack) {
  EXPECT_EQ(replaced(".*", "X", std::string(200'000, 'a')), "X");
  EXPECT_EQ(replaced("(a*)*b", "X", std::string(10'000, 'a')), std::string(10'000, 'a'));
}
TEST(Regex, that_re2_refuses_is_refused_in_its_words) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"a{2}*", "bad repetition operator: {2}*"},       {"a{1001}", "invalid repetition size: {1001}"},
      {"*a", "no argument for repetition operator: *"}, {"a[b-a]", "invalid character class range: b-a"},
      {"(a)\\1", "invalid escape sequence: \\1"},       {"(?=a)", "invalid perl operator: (?="}};
  for (const auto& [pattern, why] : kRefused)
    EXPECT_EQ(refusal("RegexReplace", {make_string("a"), make_string(pattern), make_string("b")}, kOneText),
              fmt::format("Invalid pattern: {}, error: {}", pattern, why));
}
TEST(StaticRegexFullMatch, of_a_bad_pattern_is_refused_when_it_runs) {
  EXPECT_EQ(refusal("StaticRegexFullMatch", {make_string("aba")},
                    {.attrs = {{"pattern", std::string("(a")}}, .outputs = {DataType::kBool}}),
            "Invalid pattern: (a, error: missing ): (a");
}

std::int64_t bucket(std::string_view op, const std::string& text) {
  auto key = std::make_shared<AttrList>();
  key->i = {5, 7};
  return integers(
      op, {make_string(text)},
      {.attrs = {{"num_buckets", std::int64_t{1} << 62}, {"key", std::shared_ptr<const AttrList>(key)}}})[0];
}
TEST(StringToHashBucket, gives_the_buckets_of_tensorflow) {
  EXPECT_EQ(bucket("StringToHashBucket", ""), 105434511174508091);
  EXPECT_EQ(bucket("StringToHashBucket", "hello"), 1331861223480393034);
  EXPECT_EQ(bucket("StringToHashBucket", "0123456789abcdef"), 1490712428580208486);
}
TEST(StringToHashBucketStrong, gives_the_buckets_of_tensorflow) {
  EXPECT_EQ(bucket("StringToHashBucketStrong", ""), 4062381310253793247);
  EXPECT_EQ(bucket("StringToHashBucketStrong", "hello"), 53463040523599483);
  EXPECT_EQ(bucket("StringToHashBucketStrong", std::string(33, 'x')), 1000002919282046559);
}

std::string encoded(const std::string& bytes, bool pads) {
  Asked asked = kOneText;
  asked.attrs = {{"pad", pads}};
  return one("EncodeBase64", {make_string(bytes)}, asked)->strings()[0];
}
std::string decoded(const std::string& text) {
  const auto r = compute("DecodeBase64", {make_string(text)}, kOneText);
  return r.ok() ? (*r)[0]->strings()[0] : std::string(text_of(r.status()));
}
TEST(EncodeBase64, is_safe_in_urls_and_pads_when_asked) {
  EXPECT_EQ(encoded("a", false), "YQ");
  EXPECT_EQ(encoded("a", true), "YQ==");
  EXPECT_EQ(encoded("\xff\x80", true), "_4A=");
}
TEST(DecodeBase64, takes_padding_only_where_it_fills_up) {
  for (const char* text : {"YQ", "YQ==", "YR"}) EXPECT_EQ(decoded(text), "a");
  EXPECT_EQ(decoded("YQ="), "Invalid character found in base64.");
  EXPECT_EQ(decoded("===="), "Invalid character found in base64.");
}
TEST(DecodeBase64, tells_a_bad_character_before_a_bad_length) {
  EXPECT_EQ(decoded("aGVs="), "Base64 string length cannot be 1 modulo 4.");
  EXPECT_EQ(decoded("a b c"), "Invalid character found in base64.");
}
RC_GTEST_PROP(Base64, decoding_gives_what_was_encoded, (const std::string& bytes, bool pads)) {
  RC_ASSERT(decoded(encoded(bytes, pads)) == bytes);
}

}  // namespace
}  // namespace tarry
