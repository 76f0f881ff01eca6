#include "results/task_names.hpp"

#include <fmt/format.h>

namespace tarry {

std::string TaskNames::show(TaskId t) const {
  if (!t.valid() || t.index() >= names.size()) return "somebody";
  const std::string& name = names[t.index()];
  const auto job = name.find("/job:"), task = name.rfind("/task:");
  if (job != 0 || task == std::string::npos) return name;
  return fmt::format("{} {}", name.substr(5, name.find('/', 1) - 5), name.substr(task + 6));
}

}  // namespace tarry
