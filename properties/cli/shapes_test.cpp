// Which fields the JSON of each command has: programs read them by these names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "placer/core/folder_test.hpp"
#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

// "sums[].kind": where a value stands that holds no others; "tied[]" alone is a list of values, or an empty one.
void add_fields(std::set<std::string>& out, const std::string& at, const nlohmann::json& j) {
  if (j.is_object())
    for (const auto& [key, value] : j.items()) add_fields(out, at.empty() ? key : at + "." + key, value);
  else if (j.is_array() && !j.empty())
    for (const auto& value : j) add_fields(out, at + "[]", value);
  else
    out.insert(j.is_array() ? at + "[]" : at);
}

std::string fields_of(std::vector<std::string> words) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  words.emplace_back("--json");
  EXPECT_EQ(ask_tarry(words, out.c_str()).exit_code, 0);
  std::set<std::string> fields;
  add_fields(fields, "", nlohmann::json::parse(*read_file(out)));
  return join(std::vector<std::string>(fields.begin(), fields.end()), " ");
}

TEST(Fields, of_lists_of_what_there_is) {
  EXPECT_EQ(fields_of({"list"}), "[].name [].title");
  EXPECT_EQ(fields_of({"verdicts"}), "[].case [].exit_code [].kind [].meaning");
}

TEST(Fields, of_a_path_are_its_parts_sums_and_last_pushes) {
  EXPECT_EQ(fields_of({"path", "082_slow_counts"}),
            "from_ns last_pushes[].accumulator last_pushes[].aggregate last_pushes[].by last_pushes[].tied[] of "
            "parts[].from_ns parts[].kind parts[].to_ns parts[].who sums[].kind sums[].time_ns sums[].who title to_ns");
}

TEST(Fields, of_why_are_causes_and_what_the_job_itself_costs) {
  const auto causes = [](const std::string& list) {
    std::string out;
    for (const char* key : {"add", "alone_ns", "cause", "gain", "goes_on", "instead", "keys", "rem", "time_ns"})
      out += list + "[]." + key + " ";
    return out;
  };
  EXPECT_EQ(fields_of({"why", "082_slow_counts"}), causes("causes") + "done hidden[] ideal_ns " + causes("itself") +
                                                       "lost seed slowdown stands_still time_ns title unit");
}

}  // namespace
}  // namespace tarry
