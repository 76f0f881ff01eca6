#include "results/must.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tarry {
namespace {

constexpr std::int64_t kWhole = 10'000;
constexpr Nanos kToTheEnd = std::numeric_limits<Nanos>::max();

using Wide = __int128;  // for products of times

Share rounded(Wide part, Wide whole) { return {static_cast<std::int64_t>((part * kWhole + whole / 2) / whole)}; }

// Compared as they are, since a rounded share may be the limit. REQUIRES: whole > 0.
bool is_less(Wide part, Wide whole, Share limit) { return part * kWhole < whole * limit.value; }
bool is_more(Wide part, Wide whole, Share limit) { return part * kWhole > whole * limit.value; }

// "6.67 %"; with more digits where two would make it the limit, which it is not.
std::string in_words(Wide part, Wide whole, Share limit) {
  if (const Share near = rounded(part, whole); near != limit) return in_words(near);
  constexpr std::int64_t kFiner = 10'000;
  const auto fine = static_cast<std::int64_t>((part * kWhole * kFiner + whole / 2) / whole);
  return fmt::format("{:.6f} %", 100 * static_cast<double>(fine) / static_cast<double>(kWhole * kFiner));
}

class MustReader {
 public:
  MustReader(const Must& must, const Evidence& e, std::span<const Verdict> verdicts, const WorkDone& done,
             const WorkDone* without_faults)
      : must_(must), e_(e), verdicts_(verdicts), done_(done), without_faults_(without_faults) {}

  std::vector<Breach> run() {
    if (must_.progress) progress(*must_.progress);
    if (must_.finish) finish(*must_.finish);
    if (must_.lost_steps) lost_steps(*must_.lost_steps);
    if (must_.dropped) dropped(*must_.dropped);
    if (must_.share) share(*must_.share);
    if (must_.throughput && without_faults_ != nullptr) throughput(*must_.throughput);
    if (must_.no_failed_client) no_failed_client();
    for (const Verdict& v : verdicts_)
      if (std::ranges::find(must_.never, v.kind) != must_.never.end()) broken("never " + v.kind, v.text);
    return std::move(out_);
  }

 private:
  void broken(std::string property, std::string text) { out_.push_back({std::move(property), std::move(text)}); }
  [[nodiscard]] bool is_synchronous() const { return e_.training == Training::synchronous; }
  [[nodiscard]] Nanos end() const { return e_.log.ended_at - e_.log.started_at; }

  void progress(Nanos most) {
    Nanos from = 0, longest = 0, longest_from = 0;
    const auto look = [&](Nanos at) {
      if (at - from > longest) longest = at - from, longest_from = from;
      from = at;
    };
    for (const Nanos at : progress_of(e_)) look(at);
    const char* nothing = is_synchronous() ? "No aggregate was complete" : "No step ended";
    if (e_.log.is_deadlocked)
      return broken("progress", fmt::format("{} after {:.3f} s, and none ever will; {:.3f} s are allowed.", nothing,
                                            in_seconds(from), in_seconds(most)));
    look(std::max(from, training_ended(e_)));
    if (longest > most)
      broken("progress", fmt::format("{} for {:.3f} s, from {:.3f} s to {:.3f} s; {:.3f} s are allowed.", nothing,
                                     in_seconds(longest), in_seconds(longest_from), in_seconds(longest_from + longest),
                                     in_seconds(most)));
  }

  // Training is over when every worker has left it, or when the run ends in order.
  void finish(Nanos latest) {
    const bool stands_still = e_.log.is_deadlocked || e_.is_stuck();
    if (std::min(end(), training_ended(e_)) <= latest && !stands_still) return;
    broken("finish", fmt::format("Training was not over at {:.3f} s{}.", in_seconds(latest),
                                 stands_still ? ", and never would be: it stood still" : ""));
  }

  void lost_steps(std::int64_t most) {
    std::int64_t lost = 0;
    for (const Setback& s : e_.losses.setbacks) lost += s.from - s.to;
    if (lost > most)
      broken("lost_steps", fmt::format("The global step went back by {} in all; {} {} allowed.", lost, most,
                                       most == 1 ? "is" : "are"));
  }

  void dropped(Share most) {
    std::int64_t pushed = 0, lost = 0;
    for (const AccumulatorStory& a : e_.contributions.accumulators) pushed += sum(a.pushed), lost += sum(a.dropped);
    if (pushed == 0 || !is_more(lost, pushed, most)) return;
    const auto variables = std::ssize(e_.contributions.accumulators);
    broken("dropped", fmt::format("{} of {} gradients{} were dropped ({}); {} are allowed.", lost, pushed,
                                  variables == 1 ? "" : fmt::format(" of {} variables together", variables),
                                  in_words(lost, pushed, most), in_words(most)));
  }

  void throughput(Share least) {
    WorkDone done = done_, without = *without_faults_;
    if (e_.log.is_deadlocked) done.time = std::max(done.time, without.time);  // it would have gone on
    // The last workers wait for others that have done their steps, or a chief closes its session: that is no training.
    if (done.left_waiting && done.did_nearly_as_much_as(without)) done.time = done.progressed;
    if (without.left_waiting) without.time = without.progressed;
    if (without.done <= 0 || done.time <= 0) return;
    const Wide got = Wide{done.done} * without.time, whole = Wide{without.done} * done.time;
    if (is_less(got, whole, least))
      broken("throughput", fmt::format("Training went at {} of its pace without faults; at least {} is asked for.",
                                       in_words(got, whole, least), in_words(least)));
  }

  void no_failed_client() {
    for (const Trouble& t : e_.troubles)
      if (t.kind == Trouble::Kind::failed) broken("no_failed_client", in_words(t, e_.tasks) + ".");
  }

  // ---- shares ----

  void share(Share least) {
    for (std::size_t w = 0; w < e_.contributions.workers.size(); ++w) {
      const auto life = life_of(e_.contributions.workers[w].task);
      if (!life) continue;
      const auto [own, all] = is_synchronous() ? gradients(w, *life) : steps(w, *life);
      if (all > 0 && is_less(own, all, least))
        broken("share", fmt::format("{} brought {} of {} {} since {:.3f} s ({}); at least {} is asked for.",
                                    e_.worker(w), own, all, is_synchronous() ? "aggregated gradients" : "steps",
                                    in_seconds(life->since), in_words(own, all, least), in_words(least)));
    }
  }

  [[nodiscard]] static bool has_left_as_told(const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.fault.empty() && t.text.empty();
  }

  // From when to when the process trained that the task has at the end. nullopt: it has none, or its client left before
  // it had done what it was told to.
  struct Life {
    Nanos since = 0, until = kToTheEnd;
    [[nodiscard]] bool holds(Nanos at) const { return at >= since && at <= until; }
  };
  [[nodiscard]] std::optional<Life> life_of(TaskId task) const {
    Life life;
    for (const Trouble& t : e_.troubles) {
      if (t.task != task || t.kind == Trouble::Kind::slowed) continue;
      if (has_left_as_told(t))
        life.until = t.to < 0 ? t.from : kToTheEnd;
      else if (t.kind == Trouble::Kind::gone && t.back >= 0)
        life = {t.back};
      else if (t.to < 0)
        return std::nullopt;
    }
    return life;
  }

  struct Part {
    std::int64_t own = 0, all = 0;
  };
  [[nodiscard]] Part gradients(std::size_t w, const Life& life) const {
    Part p;
    for (const Aggregate& a : e_.first_accumulator().aggregates)
      if (life.holds(a.at)) p.own += w < a.by_worker.size() ? a.by_worker[w] : 0, p.all += sum(a.by_worker);
    return p;
  }
  [[nodiscard]] Part steps(std::size_t w, const Life& life) const {
    const auto later = [&](const WorkerStory& s) {
      return std::ranges::count_if(s.step_ended, [&](Nanos at) { return life.holds(at); });
    };
    Part p{later(e_.contributions.workers[w]), 0};
    for (const WorkerStory& s : e_.contributions.workers) p.all += later(s);
    return p;
  }

  const Must& must_;
  const Evidence& e_;
  std::span<const Verdict> verdicts_;
  const WorkDone& done_;
  const WorkDone* without_faults_;
  std::vector<Breach> out_;
};

}  // namespace

Share share_of(std::int64_t part, std::int64_t whole) { return whole <= 0 ? Share{0} : rounded(part, whole); }

std::string in_words(Share share) {
  return fmt::format("{:g} %", 100 * static_cast<double>(share.value) / static_cast<double>(kWhole));
}

Must usual_must() { return {.never = {"failed", "progress_lost", "stuck"}}; }

std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    const bool is_point = text[i] == '.' && out.ends_with('#') && is_digit(i + 1);
    if (!is_digit(i) && !is_point)
      out += text[i];
    else if (!out.ends_with('#'))
      out += '#';
  }
  return out;
}

namespace {

// What is broken, without whether it would have ended: a timer that is left, or the run's end, decides that.
std::string_view whatever_comes_next(std::string_view property, std::string_view said) {
  if (property == "progress") return said.substr(0, std::min(said.find(" for "), said.find(" after ")));
  if (property == "finish") return said.substr(0, said.find(" s"));
  if (property == "never stuck") return said.substr(std::min(said.size(), said.find(": ") + 1));
  return said;
}

}  // namespace

// Leaves out what further runs tell, and what is to be done by them: a finding that was proved has it, and the run that
// found it has not.
std::string fingerprint(const Breach& breach) {
  const std::size_t ends = std::min(breach.text.find("\nA fault was behind it: "), breach.text.find("\nTo do: "));
  const std::string said = breach.text.substr(0, ends), first = said.substr(0, said.find(". "));
  return without_numbers(fmt::format("{}: {}", breach.property, whatever_comes_next(breach.property, first)));
}

std::vector<Breach> breaches(const Must& must, const Evidence& e, std::span<const Verdict> verdicts,
                             const WorkDone& done, const WorkDone* without_faults) {
  return MustReader(must, e, verdicts, done, without_faults).run();
}

}  // namespace tarry
