// What a machine reads: the JSON that commands print, from the built program.

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

Json printed_by(const std::string& words) {
  FILE* out = popen((std::string("'" TARRY_JUDGE_PROGRAM "' ") + words).c_str(), "r");
  check(out != nullptr, "the program starts");
  std::string text;
  for (int c; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
  pclose(out);
  return Json::parse(text);
}

// A partitioner that refuses every case. Quoted for a shell.
const std::string kRefuses = R"("sed -u 's/.*\"id\": *\(\"[^\"]*\"\).*/{\"id\": \1, \"code\": 3, \"msg\": \"no\"}/'")";

TEST(HuntJson, counts_how_a_partitioners_answers_compared) {
  const Json j = printed_by("hunt partition --cases 7 --max-nodes 3 --json --placer " + kRefuses);
  const Json comparisons = {{"compared", 0},
                            {"refused by the other side", 7},
                            {"that it does not always answer alike", 0},
                            {"with ops whose kernels are not recorded", 0}};
  EXPECT_EQ(j.at("comparisons"), comparisons) << j.dump();
}

TEST(HuntJson, says_nothing_of_comparisons_where_none_are_made) {
  EXPECT_FALSE(printed_by("hunt programs.cut_agrees --cases 3 --max-nodes 3 --json").contains("comparisons"));
}

}  // namespace
}  // namespace tarry
