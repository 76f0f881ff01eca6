#include "results/verdicts/lost_round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/event_reader.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// Sync steps without their tokens, and the accumulators whose aggregates each has.
class RoundReader {
 public:
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::sync) open_[e.step] = {.chief = e.task};
  }
  void on(const AggregateTaken& e) {
    const auto it = open_.find(e.step);
    if (it == open_.end()) return;
    it->second.taken.insert(e.accumulator);
    if (it->second.is_over) lose(it->second);
  }
  // A later round has its tokens: training went on.
  void on(const Enqueued& e) {
    if (open_.erase(e.step) > 0) last_ = {};
  }
  void on(const StepEnded& e) {
    if (const auto it = open_.find(e.step); it != open_.end()) end(it->second);
  }
  void on(const ProcessEnded& e) {
    for (auto& [step, round] : open_)
      if (round.chief == e.task) end(round);
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }
  [[nodiscard]] const LostRound& last() const { return last_; }

 private:
  struct Round {
    TaskId chief;
    std::set<NameId> taken = {};
    bool is_over = false;  // what its takes still get is lost
  };
  void end(Round& round) {
    round.is_over = true;
    lose(round);
  }
  void lose(const Round& round) {
    if (!round.taken.empty()) last_ = {round.chief, round.taken.size(), 0, 0};
  }
  std::map<StepId, Round> open_;
  LostRound last_ = {};  // none has been lost where it has taken nothing
};

}  // namespace

std::optional<LostRound> lost_round(const Evidence& e, std::span<const Trouble> troubles) {
  if (e.training != Training::synchronous || std::ranges::any_of(troubles, is_wrong_for_good)) return std::nullopt;
  RoundReader reader;
  for (const LoggedEvent& event : e.log.events()) pass_on(event.event, reader);
  LostRound round = reader.last();
  if (round.taken == 0) return std::nullopt;
  round.all = e.contributions.accumulators.size();
  round.required = e.first_accumulator().required;
  return round;
}

std::string in_words(const LostRound& round, const Evidence& e) {
  const std::string all = counted(static_cast<std::int64_t>(round.all), "variable", "variables");
  const std::string of_how_many = round.taken < round.all ? fmt::format("{} of {}", round.taken, all)
                                  : round.all == 1        ? "the only variable"
                                                          : "all " + all;
  return fmt::format(
      " A step of the sync thread of {} ended when it had the aggregates of {}: the gradients in them are lost, and no "
      "tokens came for them.",
      e.tasks.show(round.chief), of_how_many);
}

std::string cure_of(const LostRound& round, const Evidence& e, std::span<const Trouble> troubles) {
  const bool has_ended = std::ranges::any_of(
      troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::gone && t.task == round.chief; });
  return fmt::format("give at least {} (num_tokens of make_session_run_hook); and {}",
                     counted(std::max<std::int64_t>(1, round.required - 1), "initial token", "initial tokens"),
                     has_ended ? "find out what ends " + e.tasks.show(round.chief) : cure_of(e, troubles));
}

}  // namespace tarry
