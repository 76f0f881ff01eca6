// Transcripts of real TensorFlow that ship with tarry: ours make the same calls and give the same answers.

#include "properties/conform/rpc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tarry {
namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TARRY_SOURCE_DIR "/properties/conform/data/rpc"))
    if (const std::string path = entry.path(); path.ends_with(".json.zst")) found.push_back(path);
  std::ranges::sort(found);
  return found;
}
std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  const std::string file = std::filesystem::path(info.param).filename();
  return file.substr(0, file.find('.'));
}

class Transcript : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shipped, Transcript, ::testing::ValuesIn(shipped()), name_of);

TEST_P(Transcript, is_replayed_to_the_letter) {
  const auto v = conform_rpc(GetParam());
  ASSERT_TRUE(v.ok()) << v.status();
  ASSERT_TRUE(v->is_judged);
  EXPECT_THAT(v->differences, ::testing::IsEmpty());
}

}  // namespace
}  // namespace tarry
