#include "results/verdicts/several_chiefs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/event_reader.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

constexpr char kOneChief[] = "let one worker alone be the chief (is_chief=True)";

struct Chief {
  std::int64_t models = 0, tokens = 0, took = 0;  // initialised or restored; put; aggregates of the first accumulator
  std::map<StepId, std::set<NameId>> open;        // sync steps, and the accumulators whose aggregates each has
};

// By task: whoever prepared synchronous training as its chief.
class ChiefReader {
 public:
  explicit ChiefReader(const EventLog& log) {
    for (const LoggedEvent& e : log.events()) pass_on(e.event, *this);
    std::erase_if(chiefs_, [this](const auto& chief) { return !planned_.contains(chief.first); });
  }
  [[nodiscard]] const std::map<TaskId, Chief>& chiefs() const { return chiefs_; }

  void on(const SyncPlanned& e) { planned_.insert(e.task); }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train) return;
    steps_[e.step] = {e.task, e.purpose};
    Chief& chief = chiefs_[e.task];
    chief.models += e.purpose == Purpose::init || e.purpose == Purpose::restore;
    if (e.purpose == Purpose::sync) chief.open[e.step];
  }
  void on(const StepEnded& e) {
    if (const auto it = steps_.find(e.step); it != steps_.end()) chiefs_[it->second.first].open.erase(e.step);
  }
  void on(const Enqueued& e) {
    const auto it = steps_.find(e.step);
    if (it != steps_.end() && it->second.second == Purpose::init_tokens) ++chiefs_[it->second.first].tokens;
  }
  void on(const TakeIssued& e) { first_ = first_.value_or(e.accumulator); }
  void on(const AggregateTaken& e) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    Chief& chief = chiefs_[it->second.first];
    chief.took += first_ == e.accumulator;
    if (const auto open = chief.open.find(e.step); open != chief.open.end()) open->second.insert(e.accumulator);
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  std::map<TaskId, Chief> chiefs_;
  std::set<TaskId> planned_;
  std::map<StepId, std::pair<TaskId, Purpose>> steps_;
  std::optional<NameId> first_;
};

// "worker 0 3, worker 1 2", of what each of them has.
template <class Count>
std::string each_with(const Evidence& e, const std::map<TaskId, Chief>& chiefs, Count count) {
  std::vector<std::string> parts;
  for (const auto& [task, chief] : chiefs) parts.push_back(fmt::format("{} {}", e.tasks.show(task), count(chief)));
  return join(parts, ", ");
}

std::vector<TaskId> tasks_of(const std::map<TaskId, Chief>& chiefs) {
  std::vector<TaskId> tasks;
  for (const auto& [task, chief] : chiefs) tasks.push_back(task);
  return tasks;
}

std::int64_t tokens_of(const std::map<TaskId, Chief>& chiefs) {
  std::int64_t tokens = 0;
  for (const auto& [task, chief] : chiefs) tokens += chief.tokens;
  return tokens;
}

// What a run with one chief showed.
std::string beside_one_chief(const Evidence& e) {
  const auto proof = std::ranges::find(e.proofs, Proof::Cause::chiefs, &Proof::cause);
  return proof == e.proofs.end() ? "" : in_words(*proof);
}

std::string in_words(const Evidence& e, const std::map<TaskId, Chief>& chiefs) {
  const auto models = std::ranges::count_if(chiefs, [](const auto& c) { return c.second.models > 0; });
  const std::int64_t tokens = tokens_of(chiefs);
  return fmt::format(
      "{} take themselves for the chief.{}{} Each runs a thread that takes aggregates and hands out tokens for them; "
      "of "
      "{} they took: {}. {} dropped as stale.{} To do: {}.",
      names_of(e, tasks_of(chiefs)),
      models > 1 && models == std::ssize(chiefs) ? " Each of them initialised or restored the model." : "",
      tokens > 0 ? fmt::format(" Each puts initial tokens into the queue, {} together.", tokens) : "",
      e.first_accumulator().variable, each_with(e, chiefs, [](const Chief& c) { return c.took; }),
      counted(sum(e.first_accumulator().dropped), "gradient was", "gradients were"), beside_one_chief(e), kOneChief);
}

}  // namespace

Told judge_several_chiefs(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::synchronous) return {};
  const ChiefReader reader(e.log);
  return reader.chiefs().size() < 2 ? Told() : Told{in_words(e, reader.chiefs())};
}

bool has_another_chief(const Evidence& e, TaskId chief, Nanos at) {
  std::set<TaskId> others;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* planned = std::get_if<SyncPlanned>(&event.event);
        planned != nullptr && planned->task != chief && event.at - e.log.started_at <= at)
      others.insert(planned->task);
  for (const Trouble& t : e.troubles)
    if (is_away(t) && t.holds_at(at)) others.erase(t.task);
  return !others.empty();
}

std::string split_aggregates(const Evidence& e) {
  const ChiefReader reader(e.log);
  const std::size_t all = e.contributions.accumulators.size();
  std::map<TaskId, Chief> with_some;
  std::map<TaskId, std::size_t> has;
  for (const auto& [task, chief] : reader.chiefs())
    for (const auto& [step, taken] : chief.open)
      if (!taken.empty() && taken.size() < all) with_some[task] = chief, has[task] = taken.size();
  if (with_some.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [task, count] : has) parts.push_back(fmt::format("that of {} has {}", e.tasks.show(task), count));
  return fmt::format(
      " The aggregates of one step went to the threads of several chiefs: of those of {} variables {}. Each hands out "
      "tokens when it has all of them, and none will come: each has what another one waits for. To do: {}.",
      all, join(parts, ", "), kOneChief);
}

}  // namespace tarry
