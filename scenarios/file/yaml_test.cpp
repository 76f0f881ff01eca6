#include "scenarios/file/yaml.hpp"

#include <gmock/gmock.h>

namespace tarry {
namespace {

using testing::HasSubstr;

std::string refusal_of_yaml(std::string_view text) {
  return std::string(parse_yaml(text, "s.yaml", "a map").status().message());
}

TEST(Yaml, mistakes_that_are_made_most_are_told_in_plain_words) {
  EXPECT_THAT(refusal_of_yaml("a: 1\nb: 'x"),
              HasSubstr("a quote is opened here and never closed (illegal EOF in scalar)"));
  EXPECT_THAT(refusal_of_yaml("a: {b: 1\nc: 2\n"), HasSubstr("a '{' has no '}', or a ',' is missing"));
  EXPECT_THAT(refusal_of_yaml("a: [1, 2\nc: 2\n"), HasSubstr("a '[' has no ']', or a ',' is missing"));
  EXPECT_EQ(refusal_of_yaml("a: ]\n"), "s.yaml:1:4: a '}' or ']' closes nothing (illegal flow end)");
  EXPECT_THAT(refusal_of_yaml("a: 1\n b: 2\n"),
              HasSubstr("s.yaml:2:3: a ':' that nothing expects: the line is not in line"));
  EXPECT_THAT(refusal_of_yaml("a: 1\n- b\n"),
              HasSubstr("s.yaml:2:1: no key: the line is not in line with those above it"));
  EXPECT_THAT(refusal_of_yaml("a: %7\n"), HasSubstr("a text cannot begin with this letter without quotes"));
}

TEST(Yaml, other_mistakes_are_told_in_the_words_of_yaml_cpp) {
  EXPECT_EQ(refusal_of_yaml("a: \"\\q\"\n"), "s.yaml:1:7: unknown escape character: q");
}

}  // namespace
}  // namespace tarry
