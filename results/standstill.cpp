#include "results/standstill.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "results/work_done.hpp"

namespace tarry {
namespace {

// The median, the lower of two, of the time to the first one too; 0 of none. Steps that several workers end together,
// since they meet or are in step, are one moment.
Nanos usual_pause(std::vector<Nanos> progress) {
  progress.erase(std::ranges::unique(progress).begin(), progress.end());
  std::vector<Nanos> pauses;
  Nanos last = 0;
  for (const Nanos at : progress) pauses.push_back(at - std::exchange(last, at));
  if (pauses.empty()) return 0;
  const auto middle = pauses.begin() + (std::ssize(pauses) - 1) / 2;
  std::ranges::nth_element(pauses, middle);
  return *middle;
}

// Where in a pause to look: in the middle of each trouble's share of it, and at its end.
std::vector<Nanos> places_to_look(const Evidence& e, Nanos from, Nanos to) {
  std::vector<Nanos> places;
  for (const Trouble& t : e.troubles) {
    const Nanos begin = std::max(from, t.from), end = t.to < 0 ? to : std::min(to, t.to);
    if (begin < end) places.push_back(begin + (end - begin) / 2);
  }
  return places;
}

Nanos share_of(const Trouble& t, Nanos from, Nanos to) {
  return std::max<Nanos>(0, (t.to < 0 ? to : std::min(to, t.to)) - std::max(from, t.from));
}

// At the end of the run no kernel ran, no message was under way, and no worker was still to come.
bool is_idle(const Evidence& e) {
  if (std::ssize(e.contributions.workers) < e.contributions.planned_workers) return false;
  return std::ranges::none_of(e.log.events(), [](const LoggedEvent& event) {
    return std::holds_alternative<KernelCutOff>(event.event) || std::holds_alternative<MessageCutOff>(event.event);
  });
}

// How each worker was lost, where all were lost for good, none of them after it had left: nobody trains any more.
std::vector<Trouble> losses_of_all(const Evidence& e) {
  using Kind = Trouble::Kind;
  std::vector<Trouble> lost;
  for (const WorkerStory& w : e.contributions.workers) {
    const auto is_so = [&](const Trouble& t) {
      return t.task == w.task && t.to < 0 &&
             (t.kind == Kind::left || t.kind == Kind::failed || (t.kind == Kind::gone && t.back < 0));
    };
    const auto how = std::ranges::find_if(e.troubles, is_so);
    if (how == e.troubles.end() || how->kind != Kind::gone) return {};
    lost.push_back(*how);
  }
  std::ranges::stable_sort(lost, {}, &Trouble::from);
  return lost;
}

constexpr Nanos kLongestWait = 30 * kSecond;  // of a client by itself, before it looks again for a session

using Ask = std::function<WaitsFor(Nanos)>;

class StandstillReader {
 public:
  StandstillReader(const Evidence& e, std::vector<Nanos> progress, Nanos until, Ask ask)
      : e_(e), progress_(std::move(progress)), until_(until), ask_(std::move(ask)), usual_(usual_pause(progress_)) {}

  std::vector<Standstill> run() {
    Nanos from = 0;
    for (const Nanos at : progress_) {
      if (is_long(at - from)) look_into(from, at);
      from = at;
    }
    if (is_long(until_ - from) || e_.log.is_deadlocked) look_at_end(from);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_long(Nanos pause) const { return pause > kManyPauses * usual_ && pause > usual_ + kShortPause; }

  // What held for most of the pause beyond the usual one is what it waited for.
  void look_into(Nanos from, Nanos to) {
    for (const Nanos at : places_to_look(e_, from, to)) {
      WaitsFor waits = ask_(at);
      std::erase_if(waits.troubles, [&](const Trouble& t) { return !explains(t, from, to); });
      if (!waits.troubles.empty()) return out_.push_back({from, to, usual_, std::move(waits)});
    }
  }

  // It held for most of the pause. What only slows down leaves several pauses, none of which is a standstill.
  [[nodiscard]] bool explains(const Trouble& t, Nanos from, Nanos to) const {
    const Nanos share = share_of(t, from, to);
    if (only_slows_down(t) && 2 * share <= share_of(t, 0, until_)) return false;
    return 2 * share >= to - from - usual_;
  }

  void look_at_end(Nanos from) {
    WaitsFor waits = ask_(until_);
    add_earlier(waits, from);
    std::erase_if(waits.troubles, [&](const Trouble& t) { return t.to < 0 && !explains(t, from, until_); });
    const bool has_reason = !waits.troubles.empty() || waits.is_circle || waits.never_taken;
    if (has_reason || e_.log.is_deadlocked || (until_ - from > kLongestWait && is_idle(e_)))
      out_.push_back({from, -1, usual_, std::move(waits)});
  }

  // What broke it may be over by now: it comes first.
  void add_earlier(WaitsFor& waits, Nanos from) {
    std::vector<Trouble> earlier;
    for (const Nanos at : places_to_look(e_, from, until_))
      for (Trouble& t : ask_(at).troubles)
        if (t.to >= 0 && !only_slows_down(t) && std::ranges::count(earlier, t) == 0) earlier.push_back(std::move(t));
    waits.troubles.insert(waits.troubles.begin(), earlier.begin(), earlier.end());
    std::ranges::stable_sort(waits.troubles, {}, &Trouble::from);
  }

  const Evidence& e_;
  const std::vector<Nanos> progress_;
  const Nanos until_;
  const Ask ask_;
  const Nanos usual_;
  std::vector<Standstill> out_;
};

}  // namespace

std::vector<Standstill> read_standstills(const Evidence& e) {
  if (e.training == Training::none) return {};
  const Nanos until = training_ended(e);
  std::vector<Standstill> all =
      StandstillReader(e, progress_of(e), until, [&](Nanos at) { return waits_for(e, at); }).run();
  const std::vector<Trouble> lost = losses_of_all(e);
  if (lost.empty()) return all;
  const std::vector<Nanos> progress = progress_of(e);
  if (all.empty() || all.back().to >= 0)
    all.push_back({progress.empty() ? 0 : progress.back(), -1, usual_pause(progress), waits_for(e, until)});
  std::vector<Trouble>& causes = all.back().waits.troubles;
  if (std::ranges::all_of(causes, only_slows_down)) causes = lost;
  return all;
}

std::vector<Standstill> read_standstills(const Evidence& e, std::size_t worker) {
  const WorkerStory& w = e.contributions.workers[worker];
  Nanos until = e.log.ended_at - e.log.started_at;
  for (const Trouble& t : e.troubles)
    if (t.task == w.task && t.to < 0 && t.kind == Trouble::Kind::left) until = t.from;
  return StandstillReader(e, w.step_ended, until, [&](Nanos at) { return step_waits_for(e, w.task, at); }).run();
}

}  // namespace tarry
