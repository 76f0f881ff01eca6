#include "workers/master/session_site.hpp"

namespace tarry {

TaskId SessionSite::task(std::string_view name) const {
  const auto it = renamed.find(name);
  if (it != renamed.end()) return it->second;
  return renamed.empty() ? directory.find(name) : TaskId::none();
}

std::string SessionSite::name_of(TaskId t) const {
  for (const auto& [name, task] : renamed)
    if (task == t) return name;
  return directory.tasks[t.index()].name;
}

}  // namespace tarry
