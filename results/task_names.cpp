#include "results/task_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {

namespace {

// "/job:worker/replica:0/task:1": job, separator, number. Another name stays as it is.
std::string short_name(const std::string& name, char separator) {
  const auto job = name.find("/job:"), task = name.rfind("/task:");
  if (job != 0 || task == std::string::npos) return name;
  return fmt::format("{}{}{}", name.substr(5, name.find('/', 1) - 5), separator, name.substr(task + 6));
}

}  // namespace

std::string TaskNames::show(TaskId t) const {
  return t.valid() && t.index() < names.size() ? short_name(names[t.index()], ' ') : "somebody";
}

std::string TaskNames::as_written(TaskId t) const {
  return t.valid() && t.index() < names.size() ? short_name(names[t.index()], '/') : "";
}

TaskId TaskNames::find(std::string_view name) const {
  const auto it = std::ranges::find(names, name);
  return it == names.end() ? TaskId::none() : TaskId{static_cast<std::size_t>(it - names.begin())};
}

std::string_view TaskNames::host(TaskId t) const {
  return t.valid() && t.index() < hosts.size() ? std::string_view(hosts[t.index()]) : std::string_view();
}

bool TaskNames::is_ps(TaskId t) const { return t.index() < names.size() && names[t.index()].starts_with("/job:ps/"); }

}  // namespace tarry
