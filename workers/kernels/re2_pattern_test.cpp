// What regular expressions of RE2 find, and what is said of those that are none: seen of TensorFlow 2.15.1.

#include "workers/kernels/re2_pattern.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace tarry {
namespace {

// All that the pattern finds is replaced by X.
std::string marked(std::string_view pattern, const std::string& text = "ba]c d") {
  const EcmaPattern p = from_re2(pattern);
  if (!p.fault.empty()) return p.fault;
  return p.is_known ? std::regex_replace(text, std::regex(p.text), "X") : "only RE2 knows it";
}

TEST(Re2Pattern, takes_a_bracket_that_comes_first_in_a_class_for_a_character) {
  EXPECT_EQ(marked("[]a]"), "bXXc d");
  EXPECT_EQ(marked("[^]a]"), "Xa]XXX");
  EXPECT_EQ(marked("[]]+"), "baXc d");
  EXPECT_EQ(marked("[]-a]"), "bXXc d");
  EXPECT_EQ(marked("[a\\]c]"), "bXXX d");
  EXPECT_EQ(marked("[[a]]"), "bXc d");
}

TEST(Re2Pattern, knows_named_groups_and_no_collating_elements) {
  EXPECT_EQ(marked("[[.a.]]"), "bXc d");
  EXPECT_EQ(marked("[[=a=]]"), "bXc d");
  EXPECT_EQ(marked("[a[:b]"), "XX]c d");
  EXPECT_EQ(marked("[[:alpha]"), "bX]c d");
  EXPECT_EQ(marked("[[:alpha:]]+"), "X]X X");
  EXPECT_EQ(marked("[^[:alpha:]]+"), "baXcXd");
  EXPECT_EQ(marked("[[:^alpha:]]+"), "baXcXd");
  EXPECT_EQ(marked("[[:alpha:][:space:]]"), "XX]XXX");
  EXPECT_EQ(marked("[[:ascii:]]"), "XXXXXX");
  EXPECT_EQ(marked("[[:word:]]"), "XX]X X");
  EXPECT_EQ(marked("[[:cntrl:][:punct:]]", {'a', '\x7f', '~', '\0', '['}), "aXXXX");
  for (const char* name : {"[:foo:]", "[:ALPHA:]", "[:w:]", "[:d:]"})
    EXPECT_EQ(marked(fmt::format("x[{}-z]", name)), fmt::format("invalid character class range: {}", name));
}

TEST(Re2Pattern, has_ranges_whose_ends_are_in_order) {
  EXPECT_EQ(marked("[a-c]"), "XX]X d");
  EXPECT_EQ(marked("[a-]"), "bX]c d");
  EXPECT_EQ(marked("[-a]"), "bX]c d");
  EXPECT_EQ(marked("[a-b-c]"), "XX]X d");
  EXPECT_EQ(marked("[a\\-c]"), "bX]X d");
  EXPECT_EQ(marked("[--a]"), "bXXc d");
  EXPECT_EQ(marked("[a-\\x7a]"), "XX]X X");
  EXPECT_EQ(marked("[[:alpha:]-z]"), "XX]X X");
  EXPECT_EQ(marked("a[b-a]"), "invalid character class range: b-a");
  EXPECT_EQ(marked("[a--]"), "invalid character class range: a--");
  EXPECT_EQ(marked("[a-[:alpha:]]"), "invalid character class range: a-[");
}

TEST(Re2Pattern, whose_class_does_not_end_is_none) {
  for (const char* pattern : {"[", "[]", "[^]", "[]abc", "[[:alpha:]", "[[:"})
    EXPECT_EQ(marked(pattern), fmt::format("missing ]: {}", pattern));
  EXPECT_EQ(marked("[a\\"), "trailing \\");
  EXPECT_EQ(marked("(a[b-a]"), "invalid character class range: b-a") << "that comes first";
  EXPECT_EQ(marked("a)[b-a]"), "unexpected ): a)[b-a]");
}

TEST(Re2Pattern, has_the_same_escapes_in_a_class_and_outside) {
  for (const char* pattern : {"\\x61", "\\x{61}", "\\141", "[\\x61]", "[\\x{61}]", "[\\141]"})
    EXPECT_EQ(marked(pattern), "bX]c d") << pattern;
  EXPECT_EQ(marked("[\\^\\_a]"), "bX]c d");
  EXPECT_EQ(marked("\\]"), "baXc d");
  EXPECT_EQ(marked("[\\t\\n\\a]", "\a\tt"), "XXt");
  EXPECT_EQ(marked("\\a", "a\a"), "aX");
  for (const char* escape : {"\\q", "\\x{}", "\\x{110000", "\\xgh", "\\8", "\\c", "\\é"}) {
    EXPECT_EQ(marked(escape), fmt::format("invalid escape sequence: {}", escape));
    EXPECT_EQ(marked(fmt::format("[{}", escape)), fmt::format("invalid escape sequence: {}", escape));
  }
  EXPECT_EQ(marked("[\\x6]"), "invalid escape sequence: \\x6]");
  EXPECT_EQ(marked("(a)\\1"), "invalid escape sequence: \\1") << "there is nothing that refers to a group";
  EXPECT_EQ(marked("[\\b]"), "invalid escape sequence: \\b");
  EXPECT_EQ(marked("[a-\\d]"), "invalid escape sequence: \\d");
}

TEST(Re2Pattern, has_groups_of_ascii_and_of_all_else) {
  EXPECT_EQ(marked("[\\d-a]"), "bX]c d");
  EXPECT_EQ(marked("[^\\S]"), "ba]cXd");
  EXPECT_EQ(marked("[\\w-]"), "XX]X X");
  EXPECT_EQ(marked("\\s", "a\vb\tc"), "a\vbXc");
  EXPECT_EQ(marked("[[:space:]]", "a\vb"), "aXb");
  EXPECT_EQ(marked(".", "a\rb\nc"), "XXX\nX");
  EXPECT_EQ(marked("[^a]", "a\nb"), "aXX");
  EXPECT_EQ(marked("[\\d\\D]"), "XXXXXX");
  EXPECT_EQ(marked("[^\\d\\D]"), "ba]c d");
}

TEST(Re2Pattern, repeats_something_and_once) {
  EXPECT_EQ(marked("ba+?"), "X]c d");
  EXPECT_EQ(marked("*? a"), "no argument for repetition operator: *?");
  EXPECT_EQ(marked("a|+"), "no argument for repetition operator: +");
  EXPECT_EQ(marked("a?*?n"), "bad repetition operator: ?*?");
  EXPECT_EQ(marked("[+*]+*"), "bad repetition operator: +*");
}

TEST(Re2Pattern, that_only_re2_knows_is_told) {
  for (const char* pattern : {"\\pL", "[\\pL]", "\\Aba", "d\\z", "\\Qa", "\\C", "[a-\\x{100}]", "[é]"})
    EXPECT_EQ(marked(pattern), "only RE2 knows it") << pattern;
  EXPECT_EQ(marked("(?=a)"), "invalid perl operator: (?=") << "that is the other one's";
  EXPECT_EQ(marked("(?"), "invalid perl operator: (?");
  EXPECT_EQ(marked("|(?b"), "invalid perl operator: (?b");
  EXPECT_EQ(marked("(?:a|b)"), "XX]c d");
}

}  // namespace
}  // namespace tarry
