#include "workers/executor/executor_barrier.hpp"

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

std::string line_of(const Status& s) { return fmt::format("{}: {}", code_name(s.code()), text_of(s)); }

// Different errors, the greatest text first.
std::vector<Status> distinct(const std::vector<Status>& statuses, bool derived) {
  std::vector<Status> found;
  for (const Status& s : statuses)
    if (!s.ok() && is_derived(s) == derived && std::ranges::find(found, s) == found.end()) found.push_back(s);
  std::ranges::sort(found, std::greater(), line_of);
  return found;
}

}  // namespace

Status summarize(const std::vector<Status>& failures, std::size_t succeeded) {
  const std::vector<Status> roots = distinct(failures, false), derived = distinct(failures, true);
  if (roots.empty()) return derived.empty() ? Status() : derived[0];
  if (roots.size() == 1) return roots[0];
  std::string text = fmt::format("{} root error(s) found.", roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) text += fmt::format("\n  ({}) {}", i, line_of(roots[i]));
  text += fmt::format("\n{} successful operations.\n{} derived errors ignored.", succeeded, derived.size());
  return Status(roots[0].code(), text);
}

void ExecutorBarrier::when_done(Status s) {
  if (!s.ok() && !std::exchange(failed_, true) && on_first_error_) on_first_error_(s);
  if (s.ok())
    ++succeeded_;
  else
    failures_.push_back(std::move(s));
  if (--pending_ > 0) return;
  StatusCallback done = std::move(done_);
  std::move(done)(failures_.empty() ? Status() : summarize(failures_, succeeded_));
}

}  // namespace tarry
