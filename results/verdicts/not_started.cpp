#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// Clients that heard the same as often are told together; of a long list of variables the first ones.
std::string looks_in_words(const Evidence& e, const std::map<TaskId, Client>& clients) {
  struct Heard {
    int looks = 0;
    std::string found;
    auto operator<=>(const Heard&) const = default;
  };
  std::map<Heard, std::vector<TaskId>> who;
  for (const auto& [task, c] : clients)
    if (c.looks > 0) who[{c.looks, c.found}].push_back(task);
  std::string text;
  for (const auto& [heard, tasks] : who)
    text += fmt::format(" {} looked for the model {}: {}.", names_of(e, tasks),
                        heard.looks == 1 ? "once" : fmt::format("{} times", heard.looks), shortened(heard.found));
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
  const std::vector<TaskId> absent = never_came(e);
  std::string text = "No training step began.";
  if (!absent.empty()) text += fmt::format(" {} never came.", names_of(e, absent));
  text += looks_in_words(e, clients);
  const std::string wrong = what_was_wrong(e);
  if (wrong.empty() && !absent.empty() && !clients.empty())
    return {text + " To do: start the workers that are missing."};
  return {text + wrong};
}

}  // namespace tarry
