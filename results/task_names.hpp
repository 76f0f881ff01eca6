// Task names for people: "/job:worker/replica:0/task:1" is "worker 1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"

namespace tarry {

struct TaskNames {  // by TaskId
  std::vector<std::string> names;
  std::vector<std::string> hosts = {};  // where each is; empty = nobody said
  [[nodiscard]] std::string show(TaskId t) const;
  // "worker/1", as scenarios name it; "" for no task.
  [[nodiscard]] std::string as_written(TaskId t) const;
  // A text with each full name as show() has it: "the kernels of worker 1 ...".
  [[nodiscard]] std::string in_plain(std::string_view text) const;
  // A text with "itself" for the full name of t, without its replica, too: what several tasks say of themselves is the
  // same then.
  [[nodiscard]] std::string without_name(TaskId t, std::string_view text) const;
  // By full name; none when there is no such task.
  [[nodiscard]] TaskId find(std::string_view name) const;
  // "" when nobody said.
  [[nodiscard]] std::string_view host(TaskId t) const;
  [[nodiscard]] bool is_ps(TaskId t) const;
  // Some task is a parameter server.
  [[nodiscard]] bool have_servers() const;
  // Somebody said where they are, and it is one host.
  [[nodiscard]] bool are_on_one_host() const;
};

}  // namespace tarry
