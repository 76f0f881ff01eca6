#include "results/trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tarry {
namespace {

using Kind = Trouble::Kind;

class TroubleReader {
 public:
  TroubleReader(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  std::vector<Trouble> run(const Losses& losses) {
    for (const Loss& l : losses.processes)
      out_.push_back({.kind = Kind::gone, .task = l.task, .from = l.at, .to = l.back});
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    for (Trouble& t : out_)
      if (t.kind == Kind::gone && tasks_.is_ps(t.task)) t.to = when_sessions_were_ready(t);
    std::ranges::stable_sort(out_, {}, &Trouble::from);
    return std::move(out_);
  }

 private:
  // Those that had been ready before the parameter server was lost; when it was back where none was made anew.
  [[nodiscard]] Nanos when_sessions_were_ready(const Trouble& lost) const {
    std::set<TaskId> before;
    bool was_broken = false;
    for (const LoggedEvent& e : log_.events()) {
      const auto* s = std::get_if<SessionMoved>(&e.event);
      const Nanos at = e.at - log_.started_at;
      if (s == nullptr) continue;
      if (at <= lost.from && s->stage == SessionStage::ready) before.insert(s->task);
      if (at <= lost.from || !before.contains(s->task)) continue;
      was_broken |= s->stage == SessionStage::created || s->stage == SessionStage::waiting;
      if (s->stage == SessionStage::ready && lost.back >= 0 && at >= lost.back) return at;
    }
    return was_broken ? -1 : lost.back;
  }

  void on(const ProcessBegan& e) {
    for (Trouble& t : out_)
      if (t.kind == Kind::gone && t.task == e.task && t.from <= now_ && t.back < 0) t.back = now_;
  }
  void on(const SessionMoved& e) {
    if (e.stage == SessionStage::ready) end(Kind::left, e.task), end(Kind::failed, e.task);
    if (e.stage == SessionStage::failed) out_.push_back(of_client(Kind::failed, e));
    if (e.stage == SessionStage::left_loop || (e.stage == SessionStage::closed && !has_left(e.task)))
      out_.push_back(of_client(Kind::left, e));
  }
  [[nodiscard]] Trouble of_client(Kind kind, const SessionMoved& e) const {
    return {.kind = kind, .task = e.task, .from = now_, .text = std::string(log_.name(e.detail))};
  }
  [[nodiscard]] bool has_left(TaskId task) const {
    return std::ranges::any_of(out_, [&](const Trouble& t) {
      return (t.kind == Kind::left || t.kind == Kind::failed) && t.task == task && t.to < 0;
    });
  }
  void on(const ConditionChanged& e) {
    const std::string_view kind = log_.name(e.kind);
    if (kind == "part") change(Kind::parted, e);
    if (kind == "part_one_way") change(Kind::parted_one_way, e);
    if (kind == "delay") change(Kind::delayed, e);
    if (kind == "slow") change(Kind::slowed, e);
  }
  template <class E>
  void on(const E&) {}

  // A condition that is set again replaces the one before.
  void change(Kind kind, const ConditionChanged& e) {
    Trouble t{.kind = kind, .from = now_, .text = std::string(log_.name(e.what))};
    if (kind == Kind::slowed) {
      t.task = tasks_.find(log_.name(e.a));
      if (const auto at = t.text.find(log_.name(e.a)); at != std::string::npos)
        t.text.replace(at, log_.name(e.a).size(), tasks_.show(t.task));
    } else
      t.a = log_.name(e.a), t.b = log_.name(e.b);
    for (Trouble& before : out_)
      if (before.kind == kind && before.task == t.task && before.a == t.a && before.b == t.b && before.to < 0)
        before.to = now_;
    if (e.holds) out_.push_back(std::move(t));
  }
  void end(Kind kind, TaskId task) {
    for (Trouble& t : out_)
      if (t.kind == kind && t.task == task && t.to < 0) t.to = now_;
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  std::vector<Trouble> out_;
  Nanos now_ = 0;
};

}  // namespace

std::vector<Trouble> read_troubles(const EventLog& log, const TaskNames& tasks, const Losses& losses) {
  return TroubleReader(log, tasks).run(losses);
}

namespace {

// "the process of ps 0 ended at 2.000 s, the next one began at 2.500 s, and sessions were ready again at 32.000 s".
std::string gone_in_words(const Trouble& t, const TaskNames& tasks) {
  const std::string ended = fmt::format("the process of {} ended at {:.3f} s{}", tasks.show(t.task), in_seconds(t.from),
                                        tasks.is_ps(t.task) ? " with all that it held" : "");
  if (t.back < 0) return ended + " and did not come back";
  const std::string began = fmt::format("{}, the next one began at {:.3f} s", ended, in_seconds(t.back));
  const char* what = tasks.is_ps(t.task) ? "sessions were" : "it was";
  return t.to < 0 ? fmt::format("{}, and {} never ready again", began, what)
                  : fmt::format("{}, and {} ready again at {:.3f} s", began, what, in_seconds(t.to));
}

}  // namespace

std::string in_words(const Trouble& t, const TaskNames& tasks) {
  const std::string when = t.to < 0 ? fmt::format("since {:.3f} s", in_seconds(t.from))
                                    : fmt::format("from {:.3f} s to {:.3f} s", in_seconds(t.from), in_seconds(t.to));
  switch (t.kind) {
    case Kind::gone:
      return gone_in_words(t, tasks);
    case Kind::failed:
      return fmt::format("{} left training with an error at {:.3f} s ({})", tasks.show(t.task), in_seconds(t.from),
                         t.text);
    case Kind::left:
      return fmt::format("{} left training at {:.3f} s", tasks.show(t.task), in_seconds(t.from));
    case Kind::parted:
    case Kind::parted_one_way:
    case Kind::delayed:
    case Kind::slowed:
      break;
  }
  return fmt::format("{} {}", t.text, when);
}

std::string end_in_words(const Trouble& t, const TaskNames& tasks) {
  switch (t.kind) {
    case Kind::parted:
      return fmt::format("messages passed again between {} and {}", t.a, t.b);
    case Kind::parted_one_way:
      return fmt::format("messages passed again from {} to {}", t.a, t.b);
    case Kind::delayed:
      return fmt::format("messages between {} and {} took their usual time", t.a, t.b);
    case Kind::slowed:
      return fmt::format("the kernels of {} took their usual time", tasks.show(t.task));
    case Kind::gone:
    case Kind::failed:
    case Kind::left:
      break;
  }
  return tasks.is_ps(t.task) ? std::string("sessions were ready again")
                             : fmt::format("{} was ready again", tasks.show(t.task));
}

}  // namespace tarry
