#include "workers/worker/worker_log.hpp"

#include <vector>

#include "placer/core/text.hpp"
#include "workers/kernels/logged_error.hpp"

namespace tarry {

void WorkerLog::add(char level, std::string_view text) {
  env_.note(LogLine{task_, level, env_.name(text)});
  if (level == 'I' || forwarded_ == 0) return;
  recent_.emplace_back(text);
  if (recent_.size() > forwarded_) recent_.pop_front();
}

Status WorkerLog::with_recent_warnings(Status s) {
  if (const std::string line = take_log_line(s); !line.empty()) add('W', line);
  if (s.ok() || recent_.empty()) return s;
  return with_suffix(s, "\nRecent warning and error logs:\n  " +
                            join(std::vector<std::string>(recent_.begin(), recent_.end()), "\n  "));
}

}  // namespace tarry
