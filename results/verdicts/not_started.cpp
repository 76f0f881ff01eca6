#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/text_table.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

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

std::vector<std::string> never_came(const Evidence& e, const std::map<TaskId, Client>& clients) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (!e.tasks.is_ps(TaskId{t}) && !clients.contains(TaskId{t})) names.push_back(e.tasks.show(TaskId{t}));
  return names;
}

// Clients that heard the same as often are told together; of a long list of variables the first ones.
std::string looks_in_words(const Evidence& e, const std::map<TaskId, Client>& clients) {
  std::map<std::pair<int, std::string>, std::vector<std::string>> who;
  for (const auto& [task, c] : clients)
    if (c.looks > 0) who[{-c.looks, c.found}].push_back(e.tasks.show(task));
  std::string text;
  for (const auto& [what, names] : who)
    text += fmt::format(" {} looked for the model {}: {}.", join(names, ", "),
                        what.first == -1 ? "once" : fmt::format("{} times", -what.first), shortened(what.second));
  return text;
}

std::string what_was_wrong(const Evidence& e) {
  WaitsFor at_end;
  std::ranges::copy_if(e.troubles, std::back_inserter(at_end.troubles), [](const Trouble& t) {
    return t.to < 0 && t.kind != Trouble::Kind::failed && t.kind != Trouble::Kind::left && !only_slows_down(t);
  });
  const std::string behind = behind_it(e, decisive_besides(e, at_end.troubles));
  if (at_end.troubles.empty()) return behind;
  return fmt::format(" This was wrong to the end: {}.{}{}", causes_in_words(e, at_end), proof_of(e, at_end.troubles),
                     behind);
}

}  // namespace

Told judge_not_started(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::none) return {};
  const auto clients = clients_of(e.log);
  const std::vector<std::string> absent = never_came(e, clients);
  std::string text = "No training step began.";
  for (const std::string& name : absent) text += fmt::format(" {} never came.", name);
  text += looks_in_words(e, clients);
  const std::string wrong = what_was_wrong(e);
  if (wrong.empty() && !absent.empty() && !clients.empty())
    return {text + " To do: start the workers that are missing."};
  return {text + wrong};
}

}  // namespace tarry
