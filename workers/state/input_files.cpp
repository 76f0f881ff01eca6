#include "workers/state/input_files.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace tarry {

const InputFile* InputFiles::find(TaskId reader, const std::string& name) const {
  if (says_nothing()) return &endless_;
  const auto found = std::ranges::find_if(files_, [&](const InputFile& f) {
    return (!f.task.valid() || f.task == reader) && fnmatch(f.name.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
  });
  return found == files_.end() ? nullptr : &*found;
}

InputFiles InputFiles::endless_for(TaskId reader) const {
  InputFiles out = *this;
  out.files_.insert(out.files_.begin(), {.name = "*", .task = reader, .records = endless_.records});
  return out;
}

}  // namespace tarry
