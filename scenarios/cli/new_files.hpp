// Files that are replaced together, when the new content of each is whole.
//
// New content is written beside its file and takes its place at the end: what was there before is lost only when
// nothing failed. It goes through links and keeps a file's permissions. A device or a pipe is written to at once.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

class NewFiles {
 public:
  NewFiles() = default;
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles();  // removes what has not taken its place

  // Fails: INVALID_ARGUMENT `PATH: cannot be written: WHY`.
  [[nodiscard]] Status add(const std::string& path, const std::string& text);
  // All take their places. Fails: INVALID_ARGUMENT `PATH: cannot be written: WHY`.
  [[nodiscard]] Status replace();

 private:
  struct Part {
    std::string path, file, part;  // as it was named, behind links, and beside it
  };
  std::vector<Part> parts_;
};

}  // namespace tarry
