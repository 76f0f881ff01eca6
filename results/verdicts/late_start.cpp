#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {

namespace {

// "worker 1, worker 2, worker 3, worker 4 and 59 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8, kFew = 4;
  if (names.size() <= kMost) return join(names, ", ");
  return fmt::format("{} and {} more", join(std::vector(names.begin(), names.begin() + kFew), ", "),
                     names.size() - kFew);
}

// A worker that was late keeps the others waiting where it makes the model.
std::string who_waited(const Evidence& e, const Proof& late) {
  if (!late.task.valid() || e.contributions.initialiser != late.task) return "";
  std::vector<std::string> names;
  for (const WorkerStory& w : e.contributions.workers)
    if (waited_for_a_model(e, w.task, 0)) names.push_back(e.tasks.show(w.task));
  if (names.empty()) return "";
  return fmt::format(" It makes the model: {} found none before that, and looked again only after a while.",
                     some_of(names));
}

// All who waited for a model did so after a fault; and without one of the faults the job goes on, or the same work
// takes nearly as much less time.
bool is_told_by_fault(const Evidence& e, const Proof& polls) {
  constexpr double kNearly = 0.9;
  return polls.b == kAfterFaults && std::ranges::any_of(proved(e, Proof::Cause::faults), [&](const Proof& p) {
           return p.goes_on || p.gain >= kNearly * polls.gain;
         });
}

// The lateness without which the job goes on.
bool is_told_of_stuck(const Evidence& e, std::span<const Verdict> said) {
  const auto tells = [&](const Proof& p) {
    return p.cause == Proof::Cause::late_start && p.goes_on && std::ranges::any_of(said, [&](const Verdict& v) {
             return v.kind == "stuck" && v.text.find(p.what) != std::string::npos;
           });
  };
  return std::ranges::any_of(e.proofs, tells);
}

}  // namespace

// Who comes before there is a model finds none, and waits.
const char* cure_of_lateness(const Proof& late) {
  return late.instead.ends_with(" the model") ? "let it start as soon as the model is there"
                                              : "start the workers together";
}

Told judge_late_start(const Evidence& e, std::span<const Verdict> said) {
  Told out;
  if (is_told_of_stuck(e, said)) return out;
  double told = 0;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::late_start)) {
    told = std::max(told, p.gain);
    out.push_back(fmt::format("{}.{}{} To do: {}.", p.what, who_waited(e, p), in_words(p), cure_of_lateness(p)));
  }
  for (const Proof& p : proved(e, Proof::Cause::polls))  // a chief that was late may be why no model was ready
    if (p.gain > told && !is_told_by_fault(e, p))
      out.push_back(
          fmt::format("{}.{} To do: start the workers after the chief has made the model, or let them look again "
                      "sooner (recovery_wait_secs).",
                      p.what, in_words(p)));
  return out;
}

}  // namespace tarry
