#include "results/verdicts/never_came.hpp"

#include <algorithm>
#include <set>

namespace tarry {

std::vector<TaskId> never_came(const Evidence& e) {
  std::set<TaskId> came;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&event.event)) came.insert(s->task);
  for (const SessionWait& w : e.session_waits) came.insert(w.client);
  std::vector<TaskId> out;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (!e.tasks.is_ps(TaskId{t}) && !came.contains(TaskId{t})) out.push_back(TaskId{t});
  return out;
}

std::vector<TaskId> workers_that_never_came(const Evidence& e) {
  const auto job_of = [&](TaskId t) { return e.tasks.show(t).substr(0, e.tasks.show(t).find(' ')); };
  std::vector<TaskId> out = never_came(e);
  std::erase_if(out, [&](TaskId t) { return job_of(t) != job_of(e.contributions.workers.front().task); });
  return out;
}

}  // namespace tarry
