// For tests: a folder of one test's own.
//
// It is empty at first, lies where the system keeps temporary files (TMPDIR), and has a name that no other object and
// no other process has, so that tests may run beside each other. It goes with all that is in it when the object does,
// also when the test fails. What a killed process made stays. Without a temporary folder that can be written, the
// constructor fails a check.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "placer/core/check.hpp"

namespace tarry {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "tarry_test_XXXXXX") {
    check(mkdtemp(path_.data()) != nullptr, "a temporary folder");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes a file, in place of what was there; its path. Folders on the way to it are made.
  std::string put(const std::string& name, const std::string& content) const {
    const std::string file = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace tarry
