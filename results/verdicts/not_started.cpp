#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/text_table.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/input_bound.hpp"
#include "results/verdicts/lost_process.hpp"
#include "results/verdicts/never_came.hpp"
#include "results/verdicts/path_cures.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

struct Client {
  int looks = 0;                // for a model that was ready
  std::string found;            // what it heard the last time
  bool is_ready = false;        // it has a session to train with
  bool waited_in_vain = false;  // its last look was after another client got ready, and it found none
};

std::map<TaskId, Client> clients_of(const EventLog& log) {
  std::map<TaskId, Client> clients;
  bool is_somebody_ready = false;
  for (const LoggedEvent& event : log.events()) {
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr) continue;
    Client& c = clients[s->task];
    if (s->stage == SessionStage::ready) c.is_ready = is_somebody_ready = true, c.waited_in_vain = false;
    if (s->stage == SessionStage::waiting) c.waited_in_vain = is_somebody_ready;
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

// The variables that a client found without a value: those that stand in what it heard.
std::vector<std::string> missing_in(std::string_view found) {
  constexpr std::string_view kBefore = "Variables not initialized: ", kAfter = ", ready: ";
  const std::size_t at = found.find(kBefore);
  if (at == found.npos) return {};
  const std::string_view list = found.substr(at + kBefore.size());
  std::vector<std::string> names;
  for (const std::string_view name : split(list.substr(0, list.find(kAfter)), ','))
    names.emplace_back(name.substr(name.starts_with(' ') ? 1 : 0));
  return names;
}

// " worker 0 is ready ...": a client is ready, and others still find no values of variables that all have: each has its
// own.
std::string of_own_variables(const Evidence& e, const std::map<TaskId, Client>& clients) {
  const auto ready = std::ranges::find_if(clients, [](const auto& c) { return c.second.is_ready; });
  const auto waiting = std::ranges::find_if(clients, [](const auto& c) { return c.second.waited_in_vain; });
  if (ready == clients.end() || waiting == clients.end() || !e.losses.processes.empty()) return "";
  std::vector<std::string> missing = missing_in(waiting->second.found);
  if (missing.empty()) return "";
  constexpr std::size_t kMost = 3;
  const std::size_t count = missing.size();
  missing.resize(std::min(count, kMost));
  return fmt::format(
      " {} is ready, since its own variables have values. Those of the other workers have none: {}{}. Each worker has "
      "them on a device of its own (tarry place GRAPH --explain NAME says on which), and nobody initialises them "
      "there. "
      "To do: put all variables on parameter servers (a tf.device around a layer or a cell may be in the way), or have "
      "each worker initialise its own (LOCAL_VARIABLES).",
      e.tasks.show(ready->first), join(missing, ", "), count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

std::string what_was_wrong(const Evidence& e) {
  WaitsFor at_end;
  std::ranges::copy_if(e.troubles, std::back_inserter(at_end.troubles), [](const Trouble& t) {
    return t.to < 0 && t.kind != Trouble::Kind::failed && t.kind != Trouble::Kind::left && !only_slows_down(t);
  });
  const std::string behind = behind_it(e, decisive_besides(e, at_end.troubles));
  if (at_end.troubles.empty()) return behind;
  return fmt::format(" This was wrong to the end: {}.{}{}{} To do: {}.", causes_in_words(e, at_end),
                     who_waits(e, at_end), proof_of(e, at_end.troubles), behind,
                     without_time_limit(cure_of(e, at_end.troubles)));
}

// " The cause: ...": all wait for a client that was to begin later; "" where they do not.
std::string late_for_all(const Evidence& e, const std::vector<TaskId>& absent) {
  for (const Proof& p : e.proofs)
    if (p.cause == Proof::Cause::late_start && p.goes_on && std::ranges::count(absent, p.task) > 0)
      return fmt::format(
          " The cause: {}, and the others wait for the model that it makes before all start together.{} To do: "
          "start the workers together (training.start: natural lets the others look for the model again and again).",
          p.what.substr(0, p.what.find(", and the run was over")), in_words(p));
  return "";
}

// Where nothing tells why: the run was over too soon.
std::string too_short(const Evidence& e, const std::map<TaskId, Client>& clients) {
  std::vector<TaskId> ready;
  for (const auto& [task, c] : clients)
    if (c.is_ready) ready.push_back(task);
  return fmt::format(
      " The run ended at {:.3f} s, before {}. To do: let it run longer.", in_seconds(e.log.ended_at - e.log.started_at),
      ready.empty() ? "any client was ready to train" : fmt::format("a step of {} began", names_of(e, ready)));
}

// A verdict on standstills tells what the first steps wait for.
bool is_told_as_standstill(const Evidence& e) {
  return std::ranges::any_of(e.standstills, [&](const Standstill& s) { return !may_be_usual(e, s); });
}

// Workers are in their first steps, and nothing holds them up.
Told none_ended(const Evidence& e, std::span<const Verdict> said) {
  const auto& workers = e.contributions.workers;
  if (e.training == Training::synchronous || e.is_stuck() || says_any(said, {"failed"}) ||
      (!e.losses.processes.empty() && is_told_as_standstill(e)) ||
      std::ranges::any_of(workers, [](const WorkerStory& w) { return w.steps > 0; }))
    return {};
  std::vector<TaskId> who;
  for (const WorkerStory& w : workers) who.push_back(w.task);
  if (ran_out_of_data(e))
    return {
        fmt::format("No training step ended: the data of {} was at its end before a first batch was full. To do: "
                    "give the readers files with more records.",
                    names_of(e, who))};
  if (std::ranges::all_of(who, [&](TaskId w) { return std::ranges::count(e.cut_short, w, &CutShort::task) > 0; }))
    return {};  // they have left: another verdict tells who closed their queue
  const std::string ended = fmt::format("No training step ended: the run was over at {:.3f} s, with {} in {}.",
                                        in_seconds(e.log.ended_at - e.log.started_at), names_of(e, who),
                                        who.size() == 1 ? "its first" : "their first");
  if (const std::string first = first_examples(e); !first.empty())
    return {fmt::format("{} {} To do: {}.", ended, first, cure_of_first_examples(e))};
  const std::string to_come =
      e.log.goes_on_at < 0 ? "" : fmt::format(" The first would have ended at {:.3f} s.", in_seconds(e.log.goes_on_at));
  return {ended + lost_servers_in_words(e) + to_come + " To do: let it run longer."};
}

}  // namespace

Told judge_not_started(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::none) return none_ended(e, said);
  const auto clients = clients_of(e.log);
  const std::vector<TaskId> absent = never_came(e);
  std::string text = "No training step began.";
  if (!absent.empty()) text += fmt::format(" {} never came.", names_of(e, absent));
  text += looks_in_words(e, clients);
  if (const std::string own = of_own_variables(e, clients); !own.empty()) return {text + own};
  if (const std::string late = late_for_all(e, absent); !late.empty()) return {text + late};
  const std::string wrong = what_was_wrong(e);
  if (wrong.empty() && !absent.empty() && !clients.empty())
    return {text + " To do: start the workers that are missing."};
  const bool is_told =
      !wrong.empty() || !absent.empty() || e.log.is_deadlocked || says_any(said, {"failed"}) ||
      std::ranges::any_of(clients, [](const auto& c) { return c.second.looks > 0 && !c.second.is_ready; });
  return {text + (is_told ? wrong : too_short(e, clients))};
}

}  // namespace tarry
