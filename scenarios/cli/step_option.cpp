#include "scenarios/cli/step_option.hpp"

#include <charconv>

namespace tarry {

StatusOr<NumberedStep> parse_step(const std::string& text, const ClusterSpec& cluster) {
  const std::size_t colon = text.find(':');
  TARRY_ASSIGN(const std::string name, canonical_task(text.substr(0, colon)));
  const TaskId task = find_task(cluster, name);
  if (!task.valid()) return invalid("--step {}: the cluster has no task '{}'", text, text.substr(0, colon));
  std::int64_t n = 0;
  const char* end = text.data() + text.size();
  const char* digits = colon == std::string::npos ? end : text.data() + colon + 1;
  if (const auto r = std::from_chars(digits, end, n); r.ec != std::errc() || r.ptr != end || n < 1)
    return invalid("--step {}: expected a task and the number of its step, from 1, such as worker/0:7", text);
  return NumberedStep{task, n};
}

}  // namespace tarry
