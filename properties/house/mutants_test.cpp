// The list of mutants fits the sources: a mutant whose line is gone breaks nothing, and so says nothing of the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tarry::house {
namespace {

const std::string kFolder = std::string(TARRY_SOURCE_DIR) + "/";

std::string text_of(const std::string& path) {
  std::ifstream file(kFolder + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int times(const std::string& wanted, const std::string& text) {
  int n = 0;
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++n;
  return n;
}

TEST(Mutants, each_replaces_text_that_stands_once_in_its_file) {
  std::vector<std::string> wrong;
  for (const nlohmann::json& row : nlohmann::json::parse(text_of("properties/mutants/mutants.json"))) {
    const std::string file = row["file"], old = row["old"];
    if (times(old, text_of(file)) != 1) wrong.push_back(file + ": " + old);
  }
  EXPECT_THAT(wrong, testing::IsEmpty()) << "each of these must stand once in its file; write what stands there today";
}

}  // namespace
}  // namespace tarry::house
