// Recordings that ship with tarry, as the parameters of a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace tarry {

// The `.json.zst` files of properties/conform/data/FOLDER, by name.
inline std::vector<std::string> shipped(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TARRY_SOURCE_DIR "/properties/conform/data/" + folder))
    if (const std::string path = entry.path(); path.ends_with(".json.zst")) found.push_back(path);
  std::ranges::sort(found);
  return found;
}

// The file's name up to the first dot.
inline std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  const std::string file = std::filesystem::path(info.param).filename();
  return file.substr(0, file.find('.'));
}

}  // namespace tarry
