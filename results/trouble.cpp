#include "results/trouble.hpp"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/at_work.hpp"
#include "results/client_error.hpp"
#include "results/event_reader.hpp"
#include "results/session_waits.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;

// Faults that last, and what they are.
struct ConditionRow {
  std::string_view key;
  Kind kind;
};
constexpr ConditionRow kConditions[] = {{"part", Kind::parted},
                                        {"part_one_way", Kind::parted_one_way},
                                        {"part_breaking", Kind::breaking},
                                        {"jam", Kind::jammed},
                                        {"swizzle", Kind::held},
                                        {"delay", Kind::delayed},
                                        {"reorder", Kind::delayed},
                                        {"narrow", Kind::narrowed},
                                        {"slow", Kind::slowed},
                                        {"throttle", Kind::slowed},
                                        {"heavy_tail", Kind::slowed},
                                        {"slow_save", Kind::slowed},
                                        {"slow_host", Kind::slowed_host},
                                        {"pause", Kind::paused}};

// A kernel, or a message, takes as long as was decided when it began. Bandwidth is there again at once.
bool leaves_steps_under_way(const Trouble& t) { return only_slows_down(t) && t.kind != Kind::narrowed; }

// Faults that make a client fail, and what is in its error then.
struct HarmRow {
  std::string_view key, sign;
};
constexpr HarmRow kHarms[] = {{"lose_gpu", "GPU sync failed"},
                              {"take_memory", "OOM when allocating"},
                              {"fail_save", "No space left on device"},
                              {"tear_save", "Checksum does not match"}};

bool is_of_saves(const Trouble& t) { return t.fault.starts_with("slow_save"); }

class TroubleReader {
 public:
  TroubleReader(const EventLog& log, const TaskNames& tasks)
      : log_(log), tasks_(tasks), session_waits_(read_session_waits(log, tasks)), at_end_(read_end(log)) {}

  std::vector<Trouble> run(const Losses& losses) {
    for (const Loss& l : losses.processes)
      out_.push_back({.kind = Kind::gone, .task = l.task, .from = l.at, .to = l.back});
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
    }
    std::erase_if(out_, [this](const Trouble& t) { return slows_no_save(t); });
    steps_ = training_steps();
    for (Trouble& t : out_)
      if (t.kind == Kind::gone && tasks_.is_ps(t.task))
        t.to = when_sessions_were_ready(t);
      else if (t.kind == Kind::breaking)
        t.back = t.to, t.to = when_sessions_were_ready(t);
    for (Trouble& t : out_)
      if (t.to >= 0 && (t.kind == Kind::gone || t.kind == Kind::breaking))
        t.over = when_all_were_ready(t);
      else if (t.to >= 0 && leaves_steps_under_way(t))
        t.over = when_its_steps_were_done(t);
    std::ranges::stable_sort(out_, {}, &Trouble::from);
    return std::move(out_);
  }

 private:
  // What was over before training started was over at its start: an end below 0 is none.
  [[nodiscard]] Nanos end_now() const { return std::max<Nanos>(0, now_); }
  // Those that had been ready before it was lost; when it was back where none was made anew.
  [[nodiscard]] Nanos when_sessions_were_ready(const Trouble& lost) const {
    std::set<TaskId> before;
    bool was_broken = false;
    for (const SessionAt& s : sessions_) {
      if (s.at <= lost.from && s.stage == SessionStage::ready) before.insert(s.task);
      if (s.at <= lost.from || !before.contains(s.task)) continue;
      was_broken |= s.stage == SessionStage::created || s.stage == SessionStage::waiting;
      const Nanos at = std::max<Nanos>(0, s.at);
      if (s.stage == SessionStage::ready && lost.back >= 0 && at >= lost.back) return at;
    }
    // One that waits in CreateSession has made none.
    was_broken |= std::ranges::any_of(session_waits_, [&](const SessionWait& w) {
      return before.contains(w.client) && (w.to < 0 || w.to > lost.from);
    });
    // One that still computes for its step has yet to learn of it.
    for (const auto& [task, began] : at_end_.at_work)
      was_broken |= lost.kind == Kind::gone && before.contains(task) && began <= lost.from;
    return was_broken ? -1 : lost.back;
  }
  // A client that lost its session, and found no model that was ready, looks again only after a while; one that
  // computed learns of the loss later. What breaks sessions anew ends the search.
  [[nodiscard]] Nanos when_all_were_ready(const Trouble& t) const {
    std::set<TaskId> before, broken;
    Nanos last = t.to, next = log_.ended_at - log_.started_at;
    for (const Trouble& other : out_)
      if ((other.kind == Kind::gone || other.kind == Kind::breaking) && other.from > t.from)
        next = std::min(next, other.from);
    for (const SessionAt& s : sessions_) {
      const bool is_made_anew = s.stage == SessionStage::created || s.stage == SessionStage::waiting;
      if (s.stage == SessionStage::ready && s.at <= t.from) before.insert(s.task);
      if (is_made_anew && s.at > t.from && s.at <= std::max(t.to, next) && before.contains(s.task))
        broken.insert(s.task);
      if (s.stage != SessionStage::ready || broken.erase(s.task) == 0) continue;
      last = std::max(last, s.at);
      before.erase(s.task);
    }
    return last;
  }

  [[nodiscard]] bool slows_no_save(const Trouble& t) const {
    return is_of_saves(t) && !has_saves_between(log_, t.from, t.to);
  }
  // The steps of its workers that were under way at its end had brought their gradients, or had ended.
  [[nodiscard]] Nanos when_its_steps_were_done(const Trouble& t) const {
    if (is_of_saves(t)) return when_saves_were_done(log_, t.to);
    Nanos last = t.to;
    for (const auto& [task, steps] : steps_) {
      if (t.task.valid() ? t.task != task : tasks_.host(task) != t.a && tasks_.host(task) != t.b) continue;
      const auto after = std::ranges::lower_bound(steps, t.to, {}, &StepSpan::began);
      if (after == steps.begin()) continue;
      const Nanos done = std::prev(after)->done;
      const bool is_of_kernels = t.kind == Kind::slowed || t.kind == Kind::slowed_host;
      if (done < log_.ended_at - log_.started_at || may_have_begun(log_, task, is_of_kernels, t.from, t.to))
        last = std::max(last, done);
    }
    return last;
  }

 public:
  void on(const ProcessBegan& e) {
    for (Trouble& t : out_)
      if (t.kind == Kind::gone && t.task == e.task && t.from <= now_ && t.back < 0) t.back = end_now();
  }
  void on(const SessionMoved& e) {
    sessions_.push_back({now_, e.task, e.stage});
    if (e.stage == SessionStage::ready) end(Kind::left, e.task), end(Kind::failed, e.task);
    if (e.stage == SessionStage::failed) out_.push_back(of_client(Kind::failed, e));
    if (e.stage == SessionStage::left_loop || (e.stage == SessionStage::closed && !has_left(e.task)))
      out_.push_back(of_client(Kind::left, e));
  }
  [[nodiscard]] Trouble of_client(Kind kind, const SessionMoved& e) const {
    Trouble t{.kind = kind, .task = e.task, .from = now_, .text = std::string(log_.name(e.detail))};
    for (const Harm& h : harms_)  // the last one that fits
      if (kind == Kind::failed && t.text.find(h.sign) != t.text.npos) t.why = h.text;
    if (kind == Kind::left && told_to_leave_.contains(tasks_.names[e.task.index()]))
      t.fault = "leave " + tasks_.names[e.task.index()];
    return t;
  }
  [[nodiscard]] bool has_left(TaskId task) const {
    return std::ranges::any_of(out_, [&](const Trouble& t) {
      return (t.kind == Kind::left || t.kind == Kind::failed) && t.task == task && t.to < 0;
    });
  }
  void on(const ProcessEnded& e) { end(Kind::paused, e.task); }
  void on(const ConditionChanged& e) {
    const std::string_view key = log_.name(e.kind);
    if (const auto row = std::ranges::find(kConditions, key, &ConditionRow::key); row != std::end(kConditions))
      change(row->kind, e);
    if (const auto row = std::ranges::find(kHarms, key, &HarmRow::key); e.holds && row != std::end(kHarms))
      harms_.push_back({row->sign, fmt::format("{} {}", tasks_.in_plain(log_.name(e.what)), moment_in_words(now_))});
    if (key == "lose_host" || key == "lose_rack") explain_losses(e);
    if (key == "leave") told_to_leave_.emplace(log_.name(e.a));
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  // Who ends at this moment on one of the hosts, ends by that.
  void explain_losses(const ConditionChanged& e) {
    for (Trouble& t : out_)
      if (t.kind == Kind::gone && t.from == now_ && has_word(log_.name(e.a), tasks_.host(t.task)))
        t.why = std::string(log_.name(e.what));
  }
  // A condition that is set again replaces the one before.
  void change(Kind kind, const ConditionChanged& e) {
    Trouble t{.kind = kind, .from = now_, .text = tasks_.in_plain(log_.name(e.what))};
    t.fault = fmt::format("{} {} {}", log_.name(e.kind), log_.name(e.a), log_.name(e.b));
    const TaskId a = tasks_.find(log_.name(e.a)), b = tasks_.find(log_.name(e.b));
    if (kind == Kind::slowed || kind == Kind::paused)
      t.task = a;
    else {
      t.a = a.valid() ? tasks_.host(a) : std::string(log_.name(e.a));
      t.b = b.valid() ? tasks_.host(b) : std::string(log_.name(e.b));
    }
    for (Trouble& before : out_)
      if (before.kind == kind && before.fault == t.fault && before.to < 0) before.to = end_now();
    if (e.holds) out_.push_back(std::move(t));
  }
  void end(Kind kind, TaskId task) {
    for (Trouble& t : out_)
      if (t.kind == kind && t.task == task && t.to < 0) t.to = end_now();
  }

  struct Harm {
    std::string_view sign;
    std::string text;
  };

  struct SessionAt {
    Nanos at = 0;
    TaskId task;
    SessionStage stage = SessionStage::created;
  };
  // A training step, up to its first gradient, or to its end where it pushes none.
  struct StepSpan {
    Nanos began = 0, done = 0;
  };

  // By client, in order; none where nothing asks for them.
  [[nodiscard]] std::map<TaskId, std::vector<StepSpan>> training_steps() const {
    std::map<TaskId, std::vector<StepSpan>> steps;
    if (std::ranges::none_of(out_, leaves_steps_under_way)) return steps;
    absl::flat_hash_map<StepId, TaskId> open;
    for (const LoggedEvent& e : log_.events()) {
      const Nanos at = e.at - log_.started_at;
      if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train) {
        open[began->step] = began->task;
        steps[began->task].push_back({at, log_.ended_at - log_.started_at});
      }
      const auto* pushed = std::get_if<GradientPushed>(&e.event);
      const auto* ended = std::get_if<StepEnded>(&e.event);
      if (pushed == nullptr && ended == nullptr) continue;
      const auto it = open.find(pushed != nullptr ? pushed->step : ended->step);
      if (it == open.end()) continue;
      steps[it->second].back().done = at;
      open.erase(it);
    }
    return steps;
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  const std::vector<SessionWait> session_waits_;
  const AtEnd at_end_;
  std::vector<SessionAt> sessions_;
  std::map<TaskId, std::vector<StepSpan>> steps_;
  std::vector<Harm> harms_;
  std::set<std::string> told_to_leave_;  // whose data a fault brought to its end
  std::vector<Trouble> out_;
  Nanos now_ = 0;
};

}  // namespace

std::string moment_in_words(Nanos at) {
  constexpr Nanos kHalfOfTheLastDigit = 500'000;
  if (at <= -kHalfOfTheLastDigit) return fmt::format("{:.3f} s before the start", -in_seconds(at));
  return fmt::format("at {:.3f} s", in_seconds(std::max<Nanos>(0, at)));
}

bool has_word(std::string_view text, std::string_view word) {
  const auto ends = [&](std::size_t at) { return at == text.size() || text[at] == ',' || text[at] == ' '; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || text[at - 1] == ' ') && ends(at + word.size())) return true;
  return false;
}

bool only_slows_down(const Trouble& t) {
  return t.kind == Kind::slowed || t.kind == Kind::delayed || t.kind == Kind::narrowed || t.kind == Kind::slowed_host;
}

bool slows_down_only(std::string_view fault_key) {
  const auto row = std::ranges::find(kConditions, fault_key, &ConditionRow::key);
  return row != std::end(kConditions) && only_slows_down(Trouble{.kind = row->kind});
}

std::vector<Trouble> read_troubles(const EventLog& log, const TaskNames& tasks, const Losses& losses) {
  return TroubleReader(log, tasks).run(losses);
}

namespace {

// ", the last one at 62.000 s": clients that find no model that is ready look again only after a while.
std::string last_session_in_words(const Trouble& t) {
  return t.over < t.to + kSecond ? "" : fmt::format(", the last one at {:.3f} s", in_seconds(t.over));
}

// "the process of ps 0 ended at 2.000 s, the next one began at 2.500 s, and the first session was ready again at
// 32.000 s".
std::string gone_in_words(const Trouble& t, const TaskNames& tasks) {
  const std::string ended = fmt::format("the process of {} ended {}{}{}", tasks.show(t.task), moment_in_words(t.from),
                                        tasks.is_ps(t.task) ? " with all that it held" : "",
                                        t.why.empty() ? "" : fmt::format(" ({})", t.why));
  if (t.back < 0) return ended + " and did not come back";
  const std::string began = fmt::format("{}, the next one began at {:.3f} s", ended, in_seconds(t.back));
  const bool is_ps = tasks.is_ps(t.task);
  if (is_ps && t.to == t.back) return began;  // no client had lost a session and made another one
  return t.to < 0
             ? fmt::format("{}, and {} ready again before the end", began, is_ps ? "no session was" : "it was not")
             : fmt::format("{}, and {} ready again at {:.3f} s{}", began, is_ps ? "the first session was" : "it was",
                           in_seconds(t.to), is_ps ? last_session_in_words(t) : "");
}

// "worker 0 left training with an error at 2.100 s (GPU sync failed); before that: GPU:0 of worker 0 is lost ...".
std::string failed_in_words(const Trouble& t, const TaskNames& tasks) {
  return fmt::format("{} left training with an error {} ({}){}", tasks.show(t.task), moment_in_words(t.from),
                     gist_of(t.text), t.why.empty() ? "" : "; before that: " + t.why);
}

// "from 5.000 s on", "from 24.000 s before the start to 30.000 s".
std::string span_in_words(Nanos from, Nanos to) {
  std::string begin = moment_in_words(from);
  if (begin.starts_with("at ")) begin.erase(0, 3);
  return to < 0 ? fmt::format("from {} on", begin) : fmt::format("from {} to {:.3f} s", begin, in_seconds(to));
}

std::string breaking_in_words(const Trouble& t) {
  const std::string parted = fmt::format("{} {}", t.text, span_in_words(t.from, t.back));
  if (t.back < 0 || t.to == t.back) return parted;
  return t.to < 0 ? parted + ", and no session was ever ready again"
                  : fmt::format("{}, and the first session was ready again at {:.3f} s{}", parted, in_seconds(t.to),
                                last_session_in_words(t));
}

}  // namespace

std::string in_words(const Trouble& t, const TaskNames& tasks) {
  switch (t.kind) {
    case Kind::gone:
      return gone_in_words(t, tasks);
    case Kind::failed:
      return failed_in_words(t, tasks);
    case Kind::left:
      return fmt::format("{} left training {}{}", tasks.show(t.task), moment_in_words(t.from),
                         is_end_of_data(t.text) ? ", as its data was at its end" : "");
    case Kind::breaking:
      return breaking_in_words(t);
    default:
      return fmt::format("{} {}", t.text, span_in_words(t.from, t.to));
  }
}

namespace {

std::string end_of_network_trouble(const Trouble& t) {
  switch (t.kind) {
    case Kind::parted_one_way:
      return fmt::format("messages passed again from {} to {}", t.a, t.b);
    case Kind::jammed:
      return fmt::format("all messages between {} and {} were there", t.a, t.b);
    case Kind::held:
      return fmt::format("the network of {} was released", t.a);
    case Kind::delayed:
      return fmt::format("messages between {} and {} took their usual time", t.a, t.b);
    case Kind::narrowed:
      return fmt::format("the path between {} and {} had its usual bandwidth", t.a, t.b);
    default:
      return fmt::format("messages passed again between {} and {}", t.a, t.b);
  }
}

}  // namespace

std::string end_in_words(const Trouble& t, const TaskNames& tasks) {
  const bool were_sessions_broken = t.kind == Kind::breaking ? t.to != t.back : tasks.is_ps(t.task);
  switch (t.kind) {
    case Kind::slowed:
      return fmt::format("the {} of {} took their usual time", is_of_saves(t) ? "saves" : "kernels",
                         tasks.show(t.task));
    case Kind::slowed_host:
      return fmt::format("the kernels on {} took their usual time", t.a);
    case Kind::paused:
      return fmt::format("the process of {} went on", tasks.show(t.task));
    case Kind::gone:
    case Kind::failed:
    case Kind::left:
    case Kind::breaking:
      if (were_sessions_broken) return "the first session was ready again";
      if (t.kind != Kind::breaking) return fmt::format("{} was ready again", tasks.show(t.task));
      break;
    default:
      break;
  }
  return end_of_network_trouble(t);
}

}  // namespace tarry
