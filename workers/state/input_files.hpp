// The files that readers read, as far as a job says something of them: how many records each gives, or its bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"

namespace tarry {

struct InputFile {
  std::string name;                                    // or a pattern, as a shell's
  TaskId task = TaskId();                              // whose readers find it; none = everybody's
  std::int64_t records = 0;                            // that a reader gives of it; nobody knows what is in them
  std::shared_ptr<const std::string> bytes = nullptr;  // what is in it; null = only `records` is known
  friend bool operator==(const InputFile&, const InputFile&) = default;
};

class InputFiles {
 public:
  InputFiles() = default;
  explicit InputFiles(std::vector<InputFile> files) : files_(std::move(files)) {}

  // The first that has the name; null = there is none. Of a job that says nothing of files, every name has one that
  // never ends.
  [[nodiscard]] const InputFile* find(TaskId reader, const std::string& name) const;
  [[nodiscard]] bool says_nothing() const { return files_.empty(); }
  [[nodiscard]] const std::vector<InputFile>& all() const { return files_; }
  // The same, but every file that this task's readers find never ends.
  [[nodiscard]] InputFiles endless_for(TaskId reader) const;

 private:
  std::vector<InputFile> files_;
  InputFile endless_{.name = "*", .records = std::numeric_limits<std::int64_t>::max()};
};

}  // namespace tarry
