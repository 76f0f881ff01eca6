// Task names for people: "/job:worker/replica:0/task:1" is "worker 1".
#pragma once

#include <string>
#include <vector>

#include "placer/core/ids.hpp"

namespace tarry {

struct TaskNames {  // by TaskId
  std::vector<std::string> names;
  [[nodiscard]] std::string show(TaskId t) const;
};

}  // namespace tarry
