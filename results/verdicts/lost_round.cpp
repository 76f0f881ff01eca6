#include "results/verdicts/lost_round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/event_reader.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// Sync steps under way, and the accumulators whose aggregates each has.
class RoundReader {
 public:
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::sync) open_[e.step] = {e.task, {}};
  }
  void on(const AggregateTaken& e) {
    if (const auto it = open_.find(e.step); it != open_.end()) it->second.taken.insert(e.accumulator);
  }
  void on(const Enqueued& e) { open_.erase(e.step); }
  void on(const StepEnded& e) {
    if (const auto it = open_.find(e.step); it != open_.end()) lose(it->second);
    open_.erase(e.step);
  }
  void on(const ProcessEnded& e) {
    for (const auto& [step, round] : open_)
      if (round.chief == e.task) lose(round);
    std::erase_if(open_, [&](const auto& entry) { return entry.second.chief == e.task; });
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }
  [[nodiscard]] std::optional<LostRound> last() const { return last_; }

 private:
  struct Round {
    TaskId chief;
    std::set<NameId> taken;
  };
  void lose(const Round& round) {
    if (!round.taken.empty()) last_ = LostRound{round.chief, round.taken.size(), 0, 0};
  }
  std::map<StepId, Round> open_;
  std::optional<LostRound> last_;
};

}  // namespace

std::optional<LostRound> lost_round(const Evidence& e, std::span<const Trouble> troubles) {
  if (e.training != Training::synchronous || std::ranges::any_of(troubles, is_wrong_for_good)) return std::nullopt;
  RoundReader reader;
  for (const LoggedEvent& event : e.log.events()) pass_on(event.event, reader);
  std::optional<LostRound> round = reader.last();
  if (round) round->all = e.contributions.accumulators.size(), round->required = e.first_accumulator().required;
  return round;
}

std::string in_words(const LostRound& round, const Evidence& e) {
  const std::string of_how_many =
      round.taken < round.all ? fmt::format("{} of {}", round.taken, round.all) : fmt::format("all {}", round.all);
  return fmt::format(
      " The sync thread of {} had taken the aggregates of {} variables when its step ended: the gradients in them are "
      "lost, and no tokens came for them.",
      e.tasks.show(round.chief), of_how_many);
}

std::string cure_of(const LostRound& round, const Evidence& e, std::span<const Trouble> troubles) {
  const bool has_ended = std::ranges::any_of(
      troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::gone && t.task == round.chief; });
  return fmt::format("give at least {} initial tokens (num_tokens of make_session_run_hook){}; and {}", round.required,
                     fewer_gradients(e),
                     has_ended ? "find out what ends " + e.tasks.show(round.chief) : cure_of(e, troubles));
}

}  // namespace tarry
