#include <fmt/format.h>

#include <map>

#include "results/verdict.hpp"

namespace tarry {
namespace {

struct Client {
  int looks = 0;      // for a model that was ready
  std::string found;  // what it heard the last time
};

std::map<TaskId, Client> clients_of(const EventLog& log) {
  std::map<TaskId, Client> clients;
  for (const LoggedEvent& event : log.events()) {
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr) continue;
    Client& c = clients[s->task];
    if (s->stage != SessionStage::waiting) continue;
    ++c.looks;
    c.found = log.name(s->detail);
  }
  return clients;
}

}  // namespace

Told judge_not_started(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::none) return {};
  std::string text = "No training step began.";
  const auto clients = clients_of(e.log);
  for (const auto& [task, c] : clients)
    if (c.looks > 0)
      text += fmt::format(" {} looked for the model {}: {}.", e.tasks.show(task),
                          c.looks == 1 ? "once" : fmt::format("{} times", c.looks), c.found);
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (!e.tasks.is_ps(TaskId{t}) && !clients.contains(TaskId{t}))
      text += fmt::format(" {} never came.", e.tasks.show(TaskId{t}));
  return {text};
}

}  // namespace tarry
